"""One check of a policy on this host: what was expected, what was found, and how to mend it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sandbox.degradation import NEVER_ACCEPTED, Degradation


class Standing(StrEnum):
    HOLDS = "holds"
    LOOK = "look"
    """No promise is broken, but a person should know of it."""
    ACCEPTED = "accepted"
    """Broken, and the policy's `allow_degraded` lists it."""
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    check: str
    """A stable name."""
    breaks: Degradation | None
    """The promise that is broken when this does not hold; None when it is only a warning."""
    holds: bool
    expected: str
    found: str
    mend: str
    """What an operator can do, as a sentence."""
    threat: int
    """Its number in SECURITY.md."""

    def standing(self, accepted: Iterable[Degradation]) -> Standing:
        if self.holds:
            return Standing.HOLDS
        if self.breaks is None:
            return Standing.LOOK
        return Standing.ACCEPTED if self.breaks in {*accepted} - NEVER_ACCEPTED else Standing.BROKEN

    def __str__(self) -> str:
        name = self.check if self.breaks in (None, self.check) else f"{self.breaks} ({self.check})"
        return f"{name}: expected {self.expected}, found {self.found}. {self.mend}"


def listed(names: Iterable[str], *, none: str = "none") -> str:
    """At most eight of them."""
    found = list(names)
    more = f" and {len(found) - 8} more" if len(found) > 8 else ""
    return f"{', '.join(found[:8])}{more}" if found else none
