"""Which process owns a run, so that the next one can tell a dead owner from a busy one."""

import os
from dataclasses import dataclass
from pathlib import Path

from sandbox.lease import process_start

_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""New at each start of the machine, and the same inside its containers, whose host names come and go."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A process. Its start time tells it from a later one that was given the same pid."""

    boot: str
    pid: int
    started: int
    """In the kernel's ticks."""

    def __str__(self) -> str:
        return f"{self.boot}:{self.pid}:{self.started}"


def this_process() -> Owner:
    pid = os.getpid()
    return Owner(boot=_BOOT.read_text("ascii").strip(), pid=pid, started=process_start(pid))


def is_alive(owner: str, here: Owner) -> bool:
    """Whether the process that wrote `owner` is at work. None of an earlier boot is.

    No other machine has runs in our database: it is a file on this one.
    """
    boot, _, process = owner.partition(":")
    pid, _, started = process.partition(":")
    if boot != here.boot or not (pid.isdecimal() and started.isdecimal()):
        return False
    return int(started) == process_start(int(pid)) != 0
