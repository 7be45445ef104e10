"""Turns: where runs stand, and in which order those who wait get to work. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter

from storage.records import Run


class JobState(StrEnum):
    QUEUED = "queued"
    WORKING = "working"
    ASKING = "asking"
    """It waits for its person."""
    DELIVERING = "delivering"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a run stands in this process."""

    run: Run
    state: JobState
    ahead: int = 0
    """Runs that come before it."""
    cancelled: bool = False


def turns(waiting: Iterable[Run], at_work: Iterable[Run]) -> tuple[Run, ...]:
    """First who has the fewest at work, then who came first: `waiting` is in the order of coming."""
    have = Counter(_person(run) for run in at_work)
    ranked: list[tuple[int, Run]] = []
    for run in waiting:
        ranked.append((have[_person(run)], run))
        have[_person(run)] += 1
    return tuple(run for _, run in sorted(ranked, key=itemgetter(0)))  # of equals the first stays first


def _person(run: Run) -> str:
    """Where a platform has one person only, each conversation has turns of its own."""
    return run.sender or run.conversation_id
