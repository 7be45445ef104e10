"""The few things that are asked of the kernel directly: dumpability, threads, the out-of-memory counter."""

# os throughout, as for descriptors

import ctypes
import os
from pathlib import Path

_PR_SET_DUMPABLE = 4
_OOM_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def set_dumpable(dumpable: bool) -> None:
    """An undumpable process cannot be traced or read through /proc by another of its own uid."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, int(dumpable), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE)")


def thread_count() -> int:
    return len(os.listdir("/proc/self/task"))


def oom_kills() -> int:
    """Processes that the kernel killed in this container for want of memory. Cgroup v2, then v1.

    The engine's own flag lies both ways: it is set when a grandchild died and unset when PID 1 lived on.
    """
    for path in _OOM_COUNTERS:
        try:
            lines = Path(path).read_text().splitlines()
        except OSError:
            continue
        for line in lines:
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


def offer_to_oom_killer() -> None:
    """The script and its descendants die before PID 1, so that the session lives."""
    Path("/proc/self/oom_score_adj").write_text("1000")
