"""Which process owns a run, so that the next one can tell a dead owner from a busy one."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

_START_TIME = 19
"""Place of `starttime` in /proc/PID/stat, counted behind the command's closing bracket."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process. Its start time tells it from a later one that was given the same pid."""

    host: str
    pid: int
    started: str
    """In the kernel's clock ticks since boot; empty where there is no /proc."""

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}:{self.started}"


def this_process() -> Owner:
    pid = os.getpid()
    return Owner(host=socket.gethostname(), pid=pid, started=_start_time(pid))


def is_alive(owner: str, here: Owner) -> bool:
    """Whether the process that wrote `owner` may still be at work. Of another host we cannot know better."""
    host, _, rest = owner.rpartition(":")[0].rpartition(":")
    started = owner.rpartition(":")[2]
    if host != here.host:
        return bool(host)
    if not rest.isdecimal():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it lives, under another user
    return _start_time(int(rest)) == started


def _start_time(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[_START_TIME]
