"""Runs whose results are checked: a catalogue with the skill `checks`, and what its library would print."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skills.catalog import SkillCatalog
from tests.endpoint import completion
from tests.fakes import FakeRun

LEDGER = ".deckhand/facts/01.jsonl"
REPORT = {"numerals": 3, "traced": 3, "untraced": [], "findings": [], "assumptions": [], "facts": []}
FINDING = {
    "check": 3,
    "code": "off_canvas",
    "file": "deck.xlsx",
    "place": "slide 3",
    "detail": "the chart ends 0.4 in below the slide",
    "blocking": True,
}
UNTRACED = {"file": "deck.xlsx", "place": "slide 4, title", "text": "38.5%", "asserted": False}


def checked(**facts: object) -> FakeRun:
    return FakeRun(stdout=json.dumps(REPORT | facts))


def fact(name: str = "rows", value: float = 3, text: str = "3", **more: object) -> bytes:
    line = {"kind": "fact", "id": name, "value": value, "text": text, "script": "01.py", "line": 4} | more
    return json.dumps(line).encode() + b"\n"


def catalog(folder: Path) -> SkillCatalog:
    for name in ("eda", "checks"):
        scripts = folder / "skills" / name / "scripts"
        scripts.mkdir(parents=True, exist_ok=True)
        head = f"---\nname: {name}\ndescription: What {name} is for.\n---\nLook twice.\n"
        (scripts.parent / "SKILL.md").write_text(head)
    return SkillCatalog.load(folder / "skills")


def played(
    *repairs: Mapping[str, Any], answer: str = "There are 3 rows.", name: str = "deck"
) -> Sequence[Any]:
    """A run of one todo with one script; `repairs` follow the first report."""
    todo = {"id": name, "title": "Do it", "skills": ["eda"]}
    script = {"name": "01.py", "content": "print(3)"}
    return (
        completion(calls=[("create_todo_list", {"todos": [todo]}), ("start_next_todo", {})]),
        completion(calls=[("write_and_run_python", script)]),
        completion("done\n3 rows"),
        *repairs,
        completion(calls=[("complete_todo", {"id": name, "notes": "3 rows", "answer": answer})]),
    )
