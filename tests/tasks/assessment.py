"""How a result does: every line of `must_have`, and whether each of its clauses notices what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.verification import Rerun
from tests.tasks.clauses import AnyOf, Clause, Shape
from tests.tasks.mutation import Delivery, spoilt, trimmed
from tests.tasks.requirements import LINES, Line
from tests.tasks.running import Result
from tests.tasks.task import Task

UNCHECKED = "unchecked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    text: str
    line: Line
    failing: Sequence[Clause | AnyOf]

    @property
    def outcome(self) -> bool | str:
        return UNCHECKED if self.line is None else not self.failing


def delivery_of(result: Result) -> Delivery:
    return Delivery(result.answer, result.files, result.facts)


def assess(task: Task, delivery: Delivery) -> list[Verdict]:
    reading = delivery.read()
    return [
        Verdict(text=text, line=line, failing=[clause for clause in line or () if not clause.holds(reading)])
        for text, line in zip(task.must_have, LINES[task.id], strict=True)
    ]


def unnoticed(verdicts: Sequence[Verdict], delivery: Delivery, folder: Path) -> list[str]:
    """Clauses that still hold of a result in which what they claim was made wrong."""
    blind: list[str] = []
    short = trimmed(delivery, folder / "short")
    for place, verdict in enumerate(verdicts):
        for part, clause in enumerate(verdict.line or ()):
            if clause in verdict.failing:
                continue
            whole = delivery if isinstance(clause, Shape) else short
            wrong = spoilt(whole, clause, folder / f"{place}-{part}")
            if clause.holds(wrong.read()):
                blind.append(f"{verdict.text}: {clause}")
    return blind


def row(result: Result, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """A task's part of tasks.json."""
    verified = result.verification
    return {
        "must_have": {verdict.text: verdict.outcome for verdict in verdicts},
        "traced": [verified.traced, verified.numerals] if verified else [0, 0],
        "rerun_identical": verified is not None and verified.rerun is Rerun.IDENTICAL,
        "gate": [
            f"{f.check} {f.code}: {f.file}, {f.place}: {f.detail}"
            for f in (verified.findings if verified else ())
            if f.blocking
        ],
        "calls": result.calls,
        "tokens": result.tokens,
    }
