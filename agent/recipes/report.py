"""The report: what a subagent of the recipes says, and how the orchestrator of the recipes reads it again."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, cast

_PARTS = ("facts", "mind", "files")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    problem: str = ""
    """Why it is not done; empty when it is."""
    headline: str = ""
    facts: tuple[str, ...] = ()
    mind: tuple[str, ...] = ()
    """What a reader of the figures should know."""
    files: tuple[str, ...] = ()
    """`name: what it is`."""

    @classmethod
    def of_script(cls, body: str) -> Self | None:
        """What a script printed: the last line of its answer that is a JSON object with a headline."""
        for line in reversed(body.splitlines()):
            try:
                value: object = json.loads(line) if line.startswith("{") else None
            except ValueError:
                continue
            if isinstance(value, dict) and "headline" in value:
                said = cast("dict[str, Any]", value)
                return cls(
                    problem=_line(said.get("problem", "")),
                    headline=_line(said["headline"]),
                    facts=_lines(said.get("facts", ())),
                    mind=_lines(said.get("mind", ())),
                    files=_lines(said.get("files", ())),
                )
        return None

    @classmethod
    def parse(cls, text: str) -> Self:
        lines = text.strip().splitlines() or [""]
        problem = lines[0].removeprefix("not done:").strip() if lines[0].startswith("not done") else ""
        parts: dict[str, list[str]] = {part: [] for part in ("headline", *_PARTS)}
        part = "headline"
        for line in lines[1:]:
            if line.rstrip(":") in _PARTS and line.endswith(":"):
                part = line.rstrip(":")
            elif line.strip():
                parts[part].append(line.removeprefix("- ").strip())
        return cls(
            problem=problem,
            headline=" ".join(parts["headline"]),
            facts=tuple(parts["facts"]),
            mind=tuple(parts["mind"]),
            files=tuple(parts["files"]),
        )

    def text(self) -> str:
        lines = [f"not done: {self.problem}" if self.problem else "done"]
        if self.headline:
            lines.append(self.headline)
        for part, items in zip(_PARTS, (self.facts, self.mind, self.files), strict=True):
            if items:
                lines += [f"{part}:", *(f"- {item}" for item in items)]
        return "\n".join(lines)


def _line(value: object) -> str:
    return re.sub(r"[ \t\r\n]+", " ", str(value)).strip()  # the no-break space of a number stays


def _lines(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(line for value in values if (line := _line(value)))
