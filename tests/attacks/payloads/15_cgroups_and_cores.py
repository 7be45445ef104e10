"""release_agent and core_pattern are programs that the host runs; a core file is a copy of memory."""

import os
import resource
import signal

from probing import denied, in_child, outcome, tell

writable = [
    os.path.join(folder, name)
    for top in ("/sys", "/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs")
    for folder, _, files in os.walk(top)
    for name in files
    if os.access(os.path.join(folder, name), os.W_OK, follow_symlinks=False)
]


def opened(path):
    """access() knows the modes, only open() knows the mount."""
    return outcome(os.open, path, os.O_WRONLY) == "allowed"


def raise_limit():
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    except ValueError:  # how Python names EPERM here
        raise PermissionError(1, "core") from None


def crash():
    os.chdir("/workspace/out")
    os.kill(os.getpid(), signal.SIGSEGV)


tell(
    writable=[path for path in writable if opened(path)][:5],
    core_pattern=denied(open, "/proc/sys/kernel/core_pattern", "w"),
    trigger=denied(open, "/proc/sysrq-trigger", "w"),
    group=sorted(
        {denied(os.mkdir, f"/sys/fs/cgroup/{name}x") for name in ("", "memory/", "pids/", "devices/")}
    ),
    core_limit=resource.getrlimit(resource.RLIMIT_CORE),
    raised=outcome(raise_limit),
    crash=in_child(crash),
    left=os.listdir("/workspace/out"),
)
