"""The ten tasks: what is asked, with which files, and what the result must hold."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
LIST = Path(__file__).parent / "tasks.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    id: str
    request: str
    files: Sequence[Path]
    """A name that ends in .gz is sent unpacked and without that ending."""
    must_have: Sequence[str]
    deliverables: Sequence[str]
    """Kinds: the endings of names, or `text` for the answer."""

    def inputs(self) -> list[tuple[str, bytes]]:
        return [
            (path.stem, gzip.decompress(path.read_bytes()))
            if path.suffix == ".gz"
            else (path.name, path.read_bytes())
            for path in self.files
        ]

    @property
    def language(self) -> str:
        return "ru" if any("а" <= letter <= "я" for letter in self.request.lower()) else "en"


def tasks() -> list[Task]:
    return [
        Task(
            id=task["id"],
            request=task["request"],
            files=[ROOT / file for file in task["files"]],
            must_have=task["must_have"],
            deliverables=task["deliverables"],
        )
        for task in json.loads(LIST.read_text(encoding="utf-8"))
    ]
