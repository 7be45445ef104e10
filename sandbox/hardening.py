"""Turns a policy into Docker's create-container body. Pure, so a test can read every flag.

What remains visible: /proc/self/mountinfo shows a script where the data folder lies on the host, since every
bind names its source. Of a lease it shows a random name; so the data folder's own path should tell nothing.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.errors import PolicyError
from sandbox.policy import Policy

PROGRAM_FOLDERS = ("/opt/venv/bin", "/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin")
"""As in guest/programs.py, which cannot import this."""
COMMAND = ("/opt/venv/bin/python", "-I", "-u", "/opt/guest/supervisor.py")
INSTALL_LABEL = "deckhand.install"
ROOT_LABEL = "deckhand.root"
KIND_LABEL = "deckhand.kind"
KIND = "sandbox"
_PROFILE = Path(__file__).parent / "seccomp.json"
_INTERNET = (2, 10)
"""AF_INET and AF_INET6, of sys/socket.h."""
TMP_FILES = 16384
SHM_FILES = 4096
MASKED = (
    "/dev/mqueue",  # message queues outlive a script
    "/dev/pts",  # terminals are few, and counted for the whole host; /dev/ptmx is a link into it
    "/proc/acpi",
    "/proc/asound",
    "/proc/config.gz",
    "/proc/diskstats",
    "/proc/interrupts",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/sys/devices/virtual/powercap",
    "/sys/firmware",
)
_READ_ONLY = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """What differs from container to container under one policy."""

    image: str
    """An image id, so that a tag moved meanwhile changes nothing."""
    install: str
    root: str
    """`lease.identity` of the data folder: with the install it tells whose the container is."""
    uid: int
    """Used as the gid too; no other live container of this data folder has it."""
    binds: Mapping[str, Path]
    """Guest folder to host folder, all of them read-only."""
    nothing: Path
    """An empty file of the host that nobody may execute; it lies over denied programs."""
    seccomp: str
    """`seccomp_profile` of the policy."""


def container_config(policy: Policy, placement: Placement) -> dict[str, Any]:
    """The whole body. What a policy can widen is `Policy.exceptions`, all else stands here as a constant."""
    return {
        "Image": placement.image,
        "Cmd": list(COMMAND),
        "User": f"{placement.uid}:{placement.uid}",
        "WorkingDir": "/workspace",
        "Hostname": "sandbox",
        "Env": [f"{name}={value}" for name, value in environment(policy).items()],
        "Labels": {INSTALL_LABEL: placement.install, ROOT_LABEL: placement.root, KIND_LABEL: KIND},
        "NetworkDisabled": not policy.network.enabled,
        "Tty": False,
        "OpenStdin": True,
        "StdinOnce": True,
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "StopSignal": "SIGKILL",
        "HostConfig": _host_config(policy, placement),
    }


def environment(policy: Policy) -> dict[str, str]:
    """All variables that differ from the image's. Nothing of the host's is passed on."""
    threads = str(max(1, math.floor(policy.resources.cpu)))
    # OpenBLAS and OpenMP stay at one thread: PID 1 forks, and children of a parent with threads hang.
    home = "/tmp"  # noqa: S108  # in the guest
    return {"HOME": home, "POLARS_MAX_THREADS": threads, "LOKY_MAX_CPU_COUNT": threads}


def _host_config(policy: Policy, placement: Placement) -> dict[str, Any]:
    mount = "rw,noexec,nosuid,nodev"
    tmp = f"mode=1777,size={policy.tmp},nr_inodes={TMP_FILES}"
    shm = f"mode=1777,size={policy.shm},nr_inodes={SHM_FILES}"
    # One more inode than files: the folder itself.
    out = f"mode=0755,size={policy.out.size},nr_inodes={policy.out.files + 1}"
    owner = f"uid={placement.uid},gid={placement.uid}"
    return {
        "AutoRemove": True,
        "Binds": [f"{source}:{target}:ro" for target, source in sorted(_binds(policy, placement).items())],
        "Tmpfs": {
            "/tmp": f"{mount},{tmp}",  # noqa: S108  # in the guest
            "/dev/shm": f"{mount},{shm}",  # noqa: S108  # the engine's own has no limit of files
            "/workspace/out": f"{mount},{out},{owner}",
        },
        **_network(policy),
        "IpcMode": "private",
        "PidMode": "",
        "Privileged": False,
        "ReadonlyRootfs": True,
        "CapAdd": [],
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={placement.seccomp}"],
        "MaskedPaths": list(MASKED),
        "ReadonlyPaths": list(_READ_ONLY),
        "Devices": [],
        "Memory": policy.resources.memory,
        "MemorySwap": policy.resources.memory,
        "NanoCpus": int(policy.resources.cpu * 1e9),
        "PidsLimit": policy.resources.pids,
        "OomScoreAdj": 500,
        "Ulimits": [
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "memlock", "Soft": 65536, "Hard": 65536},
            {"Name": "msgqueue", "Soft": 0, "Hard": 0},
            {"Name": "nofile", "Soft": 1024, "Hard": 1024},
        ],
        "LogConfig": {"Type": "none", "Config": {}},
        "Runtime": policy.container.runtime,
        "RestartPolicy": {"Name": "no"},
        "Init": False,
    }


def _binds(policy: Policy, placement: Placement) -> Mapping[str, Path]:
    masked = [f"{folder}/{name}" for name in policy.commands.deny for folder in PROGRAM_FOLDERS]
    return {**placement.binds, **dict.fromkeys(masked, placement.nothing)}


def _network(policy: Policy) -> dict[str, Any]:
    if policy.network.enabled:
        return {"NetworkMode": "bridge"}
    return {"NetworkMode": "none", "Dns": ["127.0.0.1"], "DnsSearch": ["."]}


def seccomp_profile(policy: Policy) -> str:
    """The profile as compact JSON. Ours admits native system calls, AF_UNIX sockets, no namespaces and no
    tracing; with the network enabled also the two families of the internet.

    Raises: PolicyError: the operator's own profile cannot be read.
    """
    own = policy.container.seccomp != "default"
    path = Path(policy.container.seccomp) if own else _PROFILE
    try:
        profile = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        message = f"container.seccomp: {path} cannot be read as a profile: {error}"
        raise PolicyError(message) from error
    if not isinstance(profile, dict) or "defaultAction" not in profile:
        message = f"container.seccomp: {path} is no profile: it has no defaultAction"
        raise PolicyError(message)
    if policy.network.enabled and not own:
        profile["syscalls"] += [_socket_rule(family) for family in _INTERNET]
    return json.dumps(profile, separators=(",", ":"))


def _socket_rule(family: int) -> dict[str, Any]:
    argument = {"index": 0, "value": family, "valueTwo": 0, "op": "SCMP_CMP_EQ"}
    return {"names": ["socket"], "action": "SCMP_ACT_ALLOW", "args": [argument]}
