"""Pure arithmetic over measured seconds: medians, ratios, targets, tables."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tests.bench.sandbox.workloads import FIVE, Kind


class Column(StrEnum):
    PRINT = "print"
    PLOT = "plot"
    DECK = "deck"
    FIVE = "five"
    LEASE = "lease"


Row = Mapping[Column, float]
"""Milliseconds."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One session, in seconds."""

    lease: float
    scripts: tuple[float, ...]
    """Of `FIVE`, in their order."""

    def milliseconds(self) -> Row:
        """A kind of script counts by its first run in the session; `five` has the others too."""
        first = {Column(kind): self.scripts[FIVE.index(kind)] for kind in Kind}
        seconds = {**first, Column.FIVE: self.lease + sum(self.scripts), Column.LEASE: self.lease}
        return {column: value * 1e3 for column, value in seconds.items()}


def medians(samples: Sequence[Sample]) -> Row:
    rows = [sample.milliseconds() for sample in samples]
    return {column: statistics.median(row[column] for row in rows) for column in Column}


def percentile(values: Sequence[float], percent: float) -> float:
    """By linear interpolation between the two nearest of the sorted values."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(frozen=True, slots=True)
class Target:
    """A promise, the figure that was measured, and whether it holds."""

    promise: str
    measured: float | None
    """None: one of its two figures is missing."""
    bound: float
    at_most: bool = False
    unit: str = "×"

    @property
    def met(self) -> bool:
        if self.measured is None:
            return False
        return self.measured <= self.bound if self.at_most else self.measured >= self.bound

    def line(self) -> str:
        sign = "≤" if self.at_most else "≥"
        measured = "not measured" if self.measured is None else f"{self.measured:.2f} {self.unit}"
        verdict = "met" if self.met else "NOT MET"
        return f"{verdict:8} {measured:>12}  ({sign} {self.bound:g} {self.unit})  {self.promise}"


def latency_targets(rows: Mapping[str, Row]) -> list[Target]:
    warm = rows.get("ours-warm")

    def ratio(column: Column, over: str, under: str) -> float | None:
        return rows[over][column] / rows[under][column] if {over, under} <= rows.keys() else None

    def beyond(column: Column, over: str, under: str) -> float | None:
        return rows[over][column] - rows[under][column] if {over, under} <= rows.keys() else None

    return [
        Target(
            "five scripts, warm, over the bare fork",
            ratio(Column.FIVE, "ours-warm", "bare-fork"),
            1.10,
            at_most=True,
        ),
        Target("llm-sandbox's pool over ours, warm", ratio(Column.FIVE, "llm-sandbox-pool", "ours-warm"), 5),
        Target("a Jupyter kernel over ours, warm", ratio(Column.FIVE, "jupyter-kernel", "ours-warm"), 3),
        Target("llm-sandbox over ours, cold", ratio(Column.FIVE, "llm-sandbox", "ours-cold"), 1.7),
        Target(
            "lease of a warm container, inputs in place",
            warm[Column.LEASE] if warm else None,
            10,
            at_most=True,
            unit="ms",
        ),
        Target(
            "print(1) beyond the bare fork",
            beyond(Column.PRINT, "ours-warm", "bare-fork"),
            15,
            at_most=True,
            unit="ms",
        ),
    ]


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def latency_table(rows: Mapping[str, Row], without: Mapping[str, Sequence[str]]) -> str:
    header = ["approach", *(f"{column} ms" for column in Column), "without, or with what else"]
    lines = [
        [name, *(f"{row[column]:,.1f}" for column in Column), "; ".join(without.get(name, ())) or "–"]
        for name, row in rows.items()
    ]
    return markdown(header, lines)
