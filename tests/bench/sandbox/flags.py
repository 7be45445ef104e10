"""The one set of flags that every container of the benchmark gets, in the spellings of its users."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.bench.sandbox.approach import Folder

LABEL = "deckhand.bench"
USER = "10001:10001"
MEMORY = 1 << 30
PIDS = 128
TMP = "rw,noexec,nosuid,nodev,mode=1777,size=128m"
FONTS = "/tmp/mpl"


def binds(folder: Folder, fonts: Path) -> dict[str, tuple[Path, str]]:
    """Guest folder to host folder and mode. The font cache is laid ready: to make it takes seconds."""
    return {
        "/workspace/input": (folder.input, "ro"),
        "/workspace/code": (folder.code, "ro"),
        "/workspace/out": (folder.out, "rw"),
        FONTS: (fonts, "rw"),
    }


def body(image: str, command: list[str], mounts: Mapping[str, tuple[Path, str]]) -> dict[str, Any]:
    """As the engine's API has it."""
    return {
        "Image": image,
        "Cmd": command,
        "User": USER,
        "WorkingDir": "/workspace/out",
        "Labels": {LABEL: "1"},
        "HostConfig": {
            "Binds": [f"{source}:{target}:{mode}" for target, (source, mode) in mounts.items()],
            "NetworkMode": "none",
            "ReadonlyRootfs": True,
            "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "Memory": MEMORY,
            "MemorySwap": MEMORY,
            "NanoCpus": 1_000_000_000,
            "PidsLimit": PIDS,
            "Tmpfs": {"/tmp": TMP},
            "LogConfig": {"Type": "none"},
        },
    }


def options(mounts: Mapping[str, tuple[Path, str]]) -> list[str]:
    """As `docker run` has it."""
    volumes = [f"--volume={source}:{target}:{mode}" for target, (source, mode) in mounts.items()]
    return [
        f"--user={USER}",
        "--workdir=/workspace/out",
        f"--label={LABEL}=1",
        "--network=none",
        "--read-only",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges",
        f"--memory={MEMORY}",
        f"--memory-swap={MEMORY}",
        "--cpus=1",
        f"--pids-limit={PIDS}",
        f"--tmpfs=/tmp:{TMP}",
        "--log-driver=none",
        *volumes,
    ]


def keywords() -> dict[str, Any]:
    """As Docker's own Python library has it, which the peers use. They add their mounts."""
    return {
        "user": USER,
        "labels": {LABEL: "1"},
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "mem_limit": MEMORY,
        "memswap_limit": MEMORY,
        "nano_cpus": 1_000_000_000,
        "pids_limit": PIDS,
        "tmpfs": {"/tmp": TMP},
    }
