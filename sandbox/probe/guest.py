"""The guest's part of the proof: looks around as any script could and writes what it saw to out/facts.json.

An ordinary script in an ordinary lease, on the standard library alone. It judges nothing: `compare` does, on
the host. Its one argument is a JSON object: seconds, masked (paths), folders, denied and allowed (programs).
"""

import ctypes
import json
import os
import platform
import resource
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_STATUS = ("Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
_CGROUP = Path("/sys/fs/cgroup")
_LIMITS = {
    "memory": ("memory.max", "memory/memory.limit_in_bytes"),
    "swap": ("memory.swap.max",),
    "memory_and_swap": ("memory/memory.memsw.limit_in_bytes",),
    "pids": ("pids.max", "pids/pids.max"),
    "cpu": ("cpu.max",),
    "quota": ("cpu/cpu.cfs_quota_us",),
    "period": ("cpu/cpu.cfs_period_us",),
}
"""Where cgroup v2 tells a limit, then v1."""
_WRITES = ("/", "/etc", "/opt", "/usr", "/dev", "/workspace", "/workspace/input", "/workspace/code",
           "/workspace/skills", "/proc/sys/kernel", "/sys/fs/cgroup")  # fmt: skip
_SIZES = ("/workspace/out", "/tmp", "/dev/shm")
_FAMILIES = {"unix": (1, 1), "inet": (2, 1), "inet6": (10, 2), "netlink": (16, 3), "packet": (17, 3),
             "alg": (38, 5), "vsock": (40, 1)}  # fmt: skip
"""The family's number and the type of a socket that it has."""

# The number on x86_64, on aarch64, and arguments that harm nothing where the call is let through: a bad
# descriptor, a null pointer, no flag at all, an unknown option, the process 0.
_CALLS: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "io_uring_setup": (425, 425, (0, 0)),
    "keyctl": (250, 219, (-1, 0, 0)),
    "bpf": (321, 280, (-1, 0, 0)),
    "perf_event_open": (298, 241, (0, 0, -1, -1, 0)),
    "userfaultfd": (323, 282, (-1,)),
    "unshare": (272, 97, (0,)),
    "setns": (308, 268, (-1, 0)),
    "mount": (165, 40, (0, 0, 0, 0, 0)),
    "ptrace": (101, 117, (0x4200, 0, 0, 0)),
    "process_vm_readv": (310, 270, (0, 0, 0, 0, 0, 0)),
    "clone3": (435, 435, (0, 0)),
    "open_by_handle_at": (304, 265, (-1, 0, 0)),
}
_LANDLOCK = 444
"""landlock_create_ruleset: one number on every processor."""
_MOST = 200
_UNSEARCHED = ("/proc", "/sys")
"""The kernel's own file systems hold no programs."""


def read(path: str | Path) -> str:
    try:
        return Path(path).read_text(errors="replace")[:100_000].strip()
    except OSError:
        return ""


def attempt(work: Callable[[], object]) -> int:
    """The error's number; 0 when it worked."""
    try:
        work()
    except OSError as error:
        return error.errno or -1
    return 0


def system_call(number: int, *arguments: int) -> int:
    """As `attempt`."""
    libc = ctypes.CDLL(None, use_errno=True)
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    return ctypes.get_errno() if result < 0 else 0


def calls() -> dict[str, int]:
    machine = platform.machine()
    if machine not in ("x86_64", "aarch64"):
        return {}
    return {
        name: system_call(x86 if machine == "x86_64" else arm, *arguments)
        for name, (x86, arm, arguments) in _CALLS.items()
    }


def landlock() -> int:
    """Its version; 0 without."""
    return max(0, ctypes.CDLL(None, use_errno=True).syscall(_LANDLOCK, None, 0, 1))


def mounts() -> list[dict[str, str]]:
    """What lies uppermost at each mount point."""
    found: dict[str, dict[str, str]] = {}
    for line in read("/proc/self/mountinfo").splitlines():
        own, _, file_system = line.partition(" - ")
        root, target, options = own.split()[3:6]
        kind, source = file_system.split()[:2]
        found[target] = {"target": target, "options": options, "kind": kind, "root": root, "source": source}
    return list(found.values())[:_MOST]


def cgroup() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, paths in _LIMITS.items():
        if existing := [path for path in paths if (_CGROUP / path).exists()]:
            found[name] = read(_CGROUP / existing[0])
    return found


def sizes() -> dict[str, tuple[int, int]]:
    """Bytes and inodes."""
    found: dict[str, tuple[int, int]] = {}
    for path in _SIZES:
        with suppress(OSError):
            stat = os.statvfs(path)
            found[path] = (stat.f_blocks * stat.f_frsize, stat.f_files)
    return found


def masked(path: str) -> str:
    """`absent`, `empty`, `closed`, or `readable`."""
    try:
        if Path(path).is_dir():
            return "readable" if os.listdir(path) else "empty"
        with open(path, "rb") as file:
            return "readable" if file.read(1) else "empty"
    except FileNotFoundError:
        return "absent"
    except OSError:
        return "closed"


def create(folder: str) -> None:
    path = Path(folder) / ".probe"
    path.touch()
    path.unlink()


def open_socket(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def limits() -> dict[str, tuple[int, int]]:
    return {
        name: resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
        for name in ("core", "nofile", "memlock", "msgqueue")
    }


def start(path: str) -> None:
    """Start a program without anything to read or to say, and end it at once."""
    nothing = os.open("/dev/null", os.O_RDWR)
    try:
        same = [(os.POSIX_SPAWN_DUP2, nothing, stream) for stream in (0, 1, 2)]
        pid = os.posix_spawn(path, [path, "--version"], {}, file_actions=same)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    finally:
        os.close(nothing)


def programs(folders: list[str], denied: list[str], allowed: list[str]) -> dict[str, int]:
    """Each program that may not be started, with the error that stopped it; all may when none is listed."""
    listed = {os.path.realpath(path) for name in allowed if (path := shutil.which(name))}
    listed |= {os.path.realpath(path) for path in allowed if path.startswith("/")}
    found: dict[str, int] = {}
    for folder in folders:
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for path in (f"{folder}/{name}" for name in names):
            forbidden = os.path.basename(path) in denied or (allowed and os.path.realpath(path) not in listed)
            if forbidden and os.path.isfile(path) and len(found) < _MOST:
                found[path] = attempt(lambda path=path: start(path))
    return found


def files(deadline: float) -> Iterator[str]:
    for folder, below, names in os.walk("/"):
        if time.monotonic() > deadline:
            return
        if folder == "/":
            below[:] = [name for name in below if f"/{name}" not in _UNSEARCHED]
        yield from (os.path.join(folder, name) for name in names)
    yield ""


def capable(path: str) -> bool:
    """Whether a program gets capabilities from its file."""
    try:
        return bool(os.getxattr(path, "security.capability", follow_symlinks=False))
    except OSError:
        return False


def setuid(seconds: float) -> tuple[list[str], bool]:
    """Files that run as someone else or with more rights, and whether all were looked at in the time."""
    found: list[str] = []
    complete = False
    for path in files(time.monotonic() + seconds):
        complete = not path
        with suppress(OSError):
            if path and (os.lstat(path).st_mode & 0o6000 or capable(path)):
                found.append(path)
    return found[:_MOST], complete


def look(options: dict[str, object]) -> dict[str, object]:
    def strings(key: str) -> list[str]:
        value = options[key]
        return [str(item) for item in value] if isinstance(value, list) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # the host wrote it

    status = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
    found, complete = setuid(float(str(options["seconds"])))
    return {
        "status": {name: status[name] for name in _STATUS if name in status},
        "uid_map": read("/proc/self/uid_map"),
        "mounts": mounts(),
        "sizes": sizes(),
        "writes": {folder: attempt(lambda folder=folder: create(folder)) for folder in _WRITES},
        "cgroup": cgroup(),
        "swaps": len(read("/proc/swaps").splitlines()) > 1,
        "limits": limits(),
        "interfaces": sorted(os.listdir("/sys/class/net"))[:_MOST],
        "sockets": {name: attempt(lambda kind=kind: open_socket(*kind)) for name, kind in _FAMILIES.items()},
        "calls": calls(),
        "setuid": found,
        "searched": complete,
        "programs": programs(strings("folders"), strings("denied"), strings("allowed")),
        "masked": {path: masked(path) for path in strings("masked")},
        "label": read("/proc/self/attr/current").rstrip("\0"),
        "landlock": landlock(),
        # With Landlock in force no script can say how much the kernel should spare it.
        "confined": attempt(lambda: open("/proc/self/oom_score_adj", "w").close()) != 0,
        "hostname": socket.gethostname(),
        "resolver": read("/etc/resolv.conf"),
        "threads": os.environ.get("OMP_NUM_THREADS", ""),
        "core_pattern": read("/proc/sys/kernel/core_pattern"),
        "kernel": platform.release(),
    }


if __name__ == "__main__":
    Path("facts.json").write_text(json.dumps(look(json.loads(sys.argv[1]))))
