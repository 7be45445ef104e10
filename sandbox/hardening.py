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

from sandbox.policy import Policy

COMMAND = ("/opt/venv/bin/python", "-I", "-u", "/opt/guest/supervisor.py")
INSTALL_LABEL = "deckhand.install"
ROOT_LABEL = "deckhand.root"
KIND_LABEL = "deckhand.kind"
KIND = "sandbox"
_PROFILE = Path(__file__).parent / "seccomp.json"
_TMP_FILES = 16384
_SHM_FILES = 4096
_MASKED = (
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
    """Used as the gid too; no other live container has it."""
    binds: Mapping[str, Path]
    """Guest folder to host folder, all of them read-only."""


def container_config(policy: Policy, placement: Placement) -> dict[str, Any]:
    """The whole body. Nothing in a policy can widen what stands here as a constant."""
    return {
        "Image": placement.image,
        "Cmd": list(COMMAND),
        "User": f"{placement.uid}:{placement.uid}",
        "WorkingDir": "/workspace",
        "Hostname": "sandbox",
        "Env": [f"{name}={value}" for name, value in environment(policy).items()],
        "Labels": {INSTALL_LABEL: placement.install, ROOT_LABEL: placement.root, KIND_LABEL: KIND},
        "NetworkDisabled": True,
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
    threads = str(max(1, math.floor(policy.cpus)))
    # OpenBLAS and OpenMP stay at one thread: PID 1 forks, and children of a parent with threads hang.
    home = "/tmp"  # noqa: S108  # in the guest
    return {"HOME": home, "POLARS_MAX_THREADS": threads, "LOKY_MAX_CPU_COUNT": threads}


def _host_config(policy: Policy, placement: Placement) -> dict[str, Any]:
    mount = "rw,noexec,nosuid,nodev"
    tmp = f"mode=1777,size={policy.tmp},nr_inodes={_TMP_FILES}"
    shm = f"mode=1777,size={policy.shm},nr_inodes={_SHM_FILES}"
    # One more inode than files: the folder itself.
    out = f"mode=0755,size={policy.out.size},nr_inodes={policy.out.files + 1}"
    owner = f"uid={placement.uid},gid={placement.uid}"
    return {
        "AutoRemove": True,
        "Binds": [f"{source}:{target}:ro" for target, source in sorted(placement.binds.items())],
        "Tmpfs": {
            "/tmp": f"{mount},{tmp}",  # noqa: S108  # in the guest
            "/dev/shm": f"{mount},{shm}",  # noqa: S108  # the engine's own has no limit of files
            "/workspace/out": f"{mount},{out},{owner}",
        },
        "NetworkMode": "none",
        "Dns": ["127.0.0.1"],
        "DnsSearch": ["."],
        "IpcMode": "private",
        "PidMode": "",
        "Privileged": False,
        "ReadonlyRootfs": True,
        "CapAdd": [],
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={seccomp_profile()}"],
        "MaskedPaths": list(_MASKED),
        "ReadonlyPaths": list(_READ_ONLY),
        "Devices": [],
        "Memory": policy.memory,
        "MemorySwap": policy.memory,
        "NanoCpus": int(policy.cpus * 1e9),
        "PidsLimit": policy.pids,
        "OomScoreAdj": 500,
        "Ulimits": [
            {"Name": "core", "Soft": 0, "Hard": 0},
            {"Name": "memlock", "Soft": 65536, "Hard": 65536},
            {"Name": "msgqueue", "Soft": 0, "Hard": 0},
            {"Name": "nofile", "Soft": 1024, "Hard": 1024},
        ],
        "LogConfig": {"Type": "none", "Config": {}},
        "RestartPolicy": {"Name": "no"},
        "Init": False,
    }


def seccomp_profile() -> str:
    """Our own allow-list as compact JSON: native system calls, AF_UNIX sockets, no namespaces, no tracing."""
    return json.dumps(json.loads(_PROFILE.read_text()), separators=(",", ":"))
