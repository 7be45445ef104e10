"""The few things that are asked of the kernel directly: dumpability, threads, memory, Landlock."""

# os throughout, as for descriptors

import ctypes
import os
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_PIDS_EVENTS = ("/sys/fs/cgroup/pids.events", "/sys/fs/cgroup/pids/pids.events")
_OOM_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")
_MEMORY = ("/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory/memory.usage_in_bytes")
_SOCKETS = "/proc/net/unix"
_COLLECT_SECONDS = 1.0
_STILL_SECONDS = 0.03
"""Memory that has not fallen for so long falls no more."""

# linux/landlock.h: the numbers of the calls are the same on every processor
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _TRUNCATE = 1 << 0, 1 << 1, 1 << 14
_CHANGES = _WRITE_FILE | _TRUNCATE | sum(1 << bit for bit in range(4, 14))
"""Write, truncate, remove, make (of every kind), link and move to another folder."""
_LANDLOCK_NEEDED = 3
"""The first version that knows of truncate."""


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
    return _counter(_OOM_COUNTERS, "oom_kill ")


def refused_forks() -> int:
    """How often this container has come to its limit of processes."""
    return _counter(_PIDS_EVENTS, "max ")


def _counter(paths: Sequence[str], name: str) -> int:
    for path in paths:
        try:
            lines = Path(path).read_text().splitlines()
        except OSError:
            continue
        for line in lines:
            if line.startswith(name):
                return int(line.split()[1])
    return 0


def last_pid() -> int:
    """The number of the newest process or thread of this container. They are given out one after the other,
    so the difference of two tells how many there were between, also of those that PID 1 never reaped. 0 where
    it cannot be read."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/loadavg").read_text().split()[4])
    return 0


def offer_to_oom_killer() -> None:
    """The script and its descendants die before PID 1, so that the session lives."""
    Path("/proc/self/oom_score_adj").write_text("1000")


def can_confine() -> bool:
    """Whether the kernel has the Landlock that `confine` needs. Without, a script can offer PID 1 to
    the out-of-memory killer: it makes itself the smaller victim by its own oom_score_adj."""
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(_CREATE_RULESET, None, 0, _VERSION) >= _LANDLOCK_NEEDED


def confine(folders: Sequence[str], files: Sequence[str], programs: Sequence[str] | None) -> None:
    """From now on this process and its descendants change nothing by path but in `folders`, write to nothing
    else but `files`, and execute nothing but `programs`, of which None stands for all.

    Pipes, sockets and memory files have no path: see `programs` for what that leaves. Paths that do not exist
    are left out; a kernel without Landlock leaves everything as it is."""
    if not can_confine():
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS)")
    handled = struct.pack("=Q", _CHANGES if programs is None else _CHANGES | _EXECUTE)
    ruleset = libc.syscall(_CREATE_RULESET, handled, len(handled), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    rules = [(path, _CHANGES) for path in folders]
    rules += [(path, _WRITE_FILE | _TRUNCATE) for path in files]
    rules += [(path, _EXECUTE) for path in programs or ()]
    for path, allowed in rules:
        try:
            target = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        rule = struct.pack("=Qi", allowed, target)
        if libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0) != 0:
            raise OSError(ctypes.get_errno(), f"landlock_add_rule: {path}")
        os.close(target)
    if libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    os.close(ruleset)


def collect_sockets() -> None:
    """Free what dead processes left on its way in sockets that lie in each other: files, memory, all of it.

    Nobody holds such a ring any more, yet it lives until the kernel's collector has run, which the closing of
    any socket starts. To be called when PID 1 is alone: a socket that there still is belongs to no one.
    Bounded to two seconds; costs one read when there is none.
    """
    deadline = time.monotonic() + _COLLECT_SECONDS
    if not _sockets():
        return
    while _sockets() and time.monotonic() < deadline:
        for end in socket.socketpair():
            end.close()
        time.sleep(0.005)
    # The sockets are gone before what was in them.
    low, since = _memory(), time.monotonic()
    while time.monotonic() - since < _STILL_SECONDS and time.monotonic() < deadline + _COLLECT_SECONDS:
        time.sleep(0.005)
        if (now := _memory()) < low:
            low, since = now, time.monotonic()


def _sockets() -> bool:
    """Whether any socket is left in this container, which has a network namespace of its own."""
    with suppress(OSError), open(_SOCKETS, "rb") as table:
        return table.read().count(b"\n") > 1
    return False


def _memory() -> int:
    for path in _MEMORY:
        with suppress(OSError):
            return int(Path(path).read_text())
    return 0
