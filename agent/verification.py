"""What was checked of a run before its person got the results: numbers, files, the scripts once more."""

from dataclasses import dataclass
from enum import StrEnum


class Rerun(StrEnum):
    """What came of running the run's scripts once more, from clean, in fresh containers."""

    IDENTICAL = "identical"
    """The same facts."""
    DIFFERENT = "different"
    FAILED = "failed"
    """A script that had succeeded did not this time."""
    SKIPPED = "skipped"
    """There was nothing to run, or no time or budget was left for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UntracedNumber:
    """A number in a deliverable, or in the answer, that no fact and no registered table accounts for."""

    file: str
    """Relative to out/; empty for the answer."""
    place: str
    """Where in it, for a person: `slide 4, title`."""
    text: str
    """As it stands there: `38.5%`."""
    asserted: bool = False
    """A script stated it with a source in words, and computed it from nothing."""
    detail: str = ""
    """For the author, in English: the nearest fact, or why none counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFinding:
    """One thing that a check of the gate found in a deliverable."""

    check: int
    """1 to 16: see skills/checks/SKILL.md. 0: the check could not be made."""
    code: str
    """Stable, such as `off_canvas`: the sentence for a person is made of it in `bot`."""
    file: str
    place: str
    detail: str
    """Facts for the author, in English."""
    blocking: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    numerals: int
    """Numbers found in the deliverables and in the answer that claim something."""
    traced: int
    untraced: tuple[UntracedNumber, ...] = ()
    """At most as many as a person can read; `numerals - traced` tells how many there are."""
    findings: tuple[GateFinding, ...] = ()
    """What is still there after the author had the chance to mend it, the untraced numbers left aside."""
    rerun: Rerun = Rerun.SKIPPED
    differences: tuple[str, ...] = ()
    """Facts that came out otherwise: `revenue: 847,368.30 → 847,368.31`."""
    assumptions: tuple[str, ...] = ()
    """What scripts said they took for granted, in the language of the request."""
