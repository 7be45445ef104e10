"""An attack as a value: a payload, how it has to end, and what an operator hears of it."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.alerts import AlertCode
from sandbox.session import ExitStatus

PAYLOADS = Path(__file__).parent / "payloads"
HELPER = "probing.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    payload: str
    """A file of payloads/ without its suffix. It begins with the threat's number in SECURITY.md."""
    variant: str = "-"
    """The payload's first argument; the second one is the path of a file of the host."""
    seconds: float = 20.0
    """The limit that it runs under."""
    status: ExitStatus = ExitStatus.OK
    exit_codes: tuple[int, ...] = (0,)
    """More than one where kernels differ."""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the payload prints as JSON in its last line, whole. Empty: no such line."""
    stdout: str | None = None
    """All of it, if not None."""
    stderr: str = ""
    """A part of it."""
    files: tuple[str, ...] | None = ()
    """What reaches the host, in the order in which it does; None for whatever."""
    skipped: Mapping[str, str] | None = field(default_factory=dict[str, str])
    """What does not, by its name as it is shown, with the reason."""
    alerts: frozenset[AlertCode] = frozenset()
    fresh: bool = False
    """In a container of its own. An attack with alerts has one in any case: each is told once a session."""

    @property
    def threat(self) -> int:
        return int(self.payload.partition("_")[0])

    @property
    def source(self) -> str:
        return (PAYLOADS / f"{self.payload}.py").read_text(encoding="utf-8")

    def __str__(self) -> str:
        return self.payload if self.variant == "-" else f"{self.payload}-{self.variant}"


def variants(attack: Attack, *names: str, **changes: Any) -> list[Attack]:
    """The same right result for several ways."""
    return [dataclasses.replace(attack, variant=name, **changes) for name in names]
