"""The watchman of one session: turns what a script did into the alerts that an operator should hear."""

import re
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sandbox.alerts import Alert, AlertCode
from sandbox.guest.outbox import NO_ROOM, NOT_REGULAR, NOT_TEXT, TOO_MANY, UNPRINTABLE
from sandbox.names import clean_text, deceives
from sandbox.session import ExitStatus, FileEntry, SkippedFile

MAX_DETAIL = 200
"""Characters."""
_REPEATED = 3
_STATUSES = {
    ExitStatus.TIMEOUT: AlertCode.TIME_LIMIT,
    ExitStatus.OUT_OF_MEMORY: AlertCode.MEMORY_LIMIT,
    ExitStatus.OUTPUT_LIMIT: AlertCode.OUTPUT_LIMIT,
    ExitStatus.DISK_LIMIT: AlertCode.DISK_LIMIT,
}
_SKIPS = {
    NOT_REGULAR: AlertCode.SPECIAL_FILE,
    NOT_TEXT: AlertCode.FORGED_NAME,
    UNPRINTABLE: AlertCode.FORGED_NAME,
    NO_ROOM: AlertCode.DISK_LIMIT,
}
_TOO_MANY = re.compile(TOO_MANY.format(r"\d+"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What there is to know of one script that has ended."""

    status: ExitStatus = ExitStatus.OK
    exit_code: int = 0
    observed: tuple[tuple[str, str], ...] = ()
    """Code and detail of what its audit hook saw."""
    oom_kills: int = 0
    refused_forks: int = 0
    no_space: bool = False
    timeouts: int = 0
    """Of the session so far, this one included."""
    skipped: tuple[SkippedFile, ...] = ()
    files: tuple[FileEntry, ...] = ()


def alerts_of(sighting: Sighting) -> tuple[Alert, ...]:
    """Every alert that it gives cause for, each code once, with the first detail that there is.

    A limit that the script ran into and survived counts too.
    """
    found: dict[AlertCode, str] = {}
    for causes in (_reached_for(sighting), _limits(sighting), _left(sighting)):
        for code, detail in causes:
            found.setdefault(code, _clean(detail))
    return tuple(Alert(code=code, detail=detail) for code, detail in found.items())


class Watchman:
    """Lets each code pass once, so that a script in a loop cannot fill anybody's log."""

    def __init__(self) -> None:
        self._raised: set[AlertCode] = set()

    def news(self, alerts: Iterable[Alert]) -> tuple[Alert, ...]:
        new = tuple(alert for alert in alerts if alert.code not in self._raised)
        self._raised.update(alert.code for alert in new)
        return new


def _reached_for(sighting: Sighting) -> Iterator[tuple[AlertCode, str]]:
    for code, detail in sighting.observed:
        yield AlertCode(code), detail
    if sighting.exit_code == 128 + signal.SIGSYS:
        yield AlertCode.SECCOMP_KILL, "SIGSYS"


def _limits(sighting: Sighting) -> Iterator[tuple[AlertCode, str]]:
    if (limit := _STATUSES.get(sighting.status)) is not None:
        yield limit, ""
    if sighting.timeouts >= _REPEATED and sighting.status is ExitStatus.TIMEOUT:
        yield AlertCode.REPEATED_TIMEOUTS, f"timeouts in one session: {sighting.timeouts}"
    if sighting.oom_kills:
        yield AlertCode.MEMORY_LIMIT, f"processes killed: {sighting.oom_kills}"
    if sighting.refused_forks:
        yield AlertCode.PROCESS_LIMIT, f"processes refused: {sighting.refused_forks}"
    if sighting.no_space:
        yield AlertCode.DISK_LIMIT, ""


def _left(sighting: Sighting) -> Iterator[tuple[AlertCode, str]]:
    """What it left in out/."""
    for file in sighting.skipped:
        if (code := _SKIPS.get(file.reason)) is not None:
            yield code, file.path
        elif _TOO_MANY.fullmatch(file.reason):
            yield AlertCode.DISK_LIMIT, file.reason
    for entry in sighting.files:
        if deceives(entry.path):
            yield AlertCode.FORGED_NAME, entry.path


def _clean(detail: str) -> str:
    """One line that steers no terminal and hides nothing."""
    line = " ".join(clean_text(detail).split())[:MAX_DETAIL]
    return "".join(c if c.isprintable() else "\ufffd" for c in line)
