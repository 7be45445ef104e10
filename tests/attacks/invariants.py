"""What no attack changes on the host, whatever it does in its container."""

import os
import resource
import stat
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiodocker
import pytest

from sandbox.lease import LeaseFolder
from sandbox.session import RunResult, SandboxSession, Workspace
from sandbox.warm import POOL
from tests.conftest import containers, until

_SLACK = 64 << 20
_CANARY = "nobody may read or change this"
_ALIVE = """
import os
processes = [name for name in os.listdir('/proc') if name.isdigit()]
print(len(processes), sorted(os.listdir('/tmp')), os.listdir('/dev/shm'), os.getcwd())
"""


@dataclass(frozen=True, slots=True)
class Host:
    """The host's side of one sandbox, as the tests see it without the product's help."""

    root: Path
    install: str
    canary: Path

    @classmethod
    def below(cls, folder: Path, root: Path, install: str) -> "Host":
        canary = folder / "canary"
        canary.write_text(_CANARY)
        canary.chmod(0o600)
        return cls(root, install, canary)

    @asynccontextmanager
    async def unchanged(self, workspace: Workspace) -> AsyncGenerator[None]:
        """Nothing is left in the engine or on the disk, the canary lives, memory and disk are as before."""
        before = _facts(self, workspace)
        yield
        await until(lambda: _names(self) == before.names, seconds=10)  # the pool may be filling up just now
        after = _facts(self, workspace)
        assert after.mounts == before.mounts
        assert after.canary == before.canary
        assert after.memory - before.memory < _SLACK, "the host's process kept what a script sent"
        assert after.disk - before.disk < _SLACK + _kept(workspace)
        await _engine_answers()


@dataclass(frozen=True, slots=True)
class _Facts:
    names: tuple[list[str], list[str], list[str]]
    mounts: int
    canary: tuple[str, int, int]
    memory: int
    disk: int


def _facts(host: Host, workspace: Workspace) -> _Facts:
    status = host.canary.stat()
    with Path("/proc/self/mounts").open() as mounts:
        own = sum(str(host.root) in line for line in mounts)
    return _Facts(
        names=_names(host),
        mounts=own,
        canary=(host.canary.read_text(), status.st_mode, status.st_mtime_ns),
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
        disk=_blocks(host.root) + _blocks(workspace.out),
    )


def _names(host: Host) -> tuple[list[str], list[str], list[str]]:
    leases = host.root / "leases"
    return (
        sorted(name for name in containers(host.install) if f"-{POOL}." not in name),
        sorted(path.name for path in leases.glob("*") if not _warm(path)),
        sorted(path.name for path in leases.glob("*/incoming/*")),
    )


def _warm(lease: Path) -> bool:
    """It belongs to the pool, and to no attack."""
    record = LeaseFolder(lease).record()
    return record is not None and record.owner == POOL


def _blocks(folder: Path) -> int:
    """Bytes on the disk. Only what is ours: other tests, and other people, write to the same disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def _kept(workspace: Workspace) -> int:
    """What a script's outputs may take on the host: that is their purpose."""
    return _blocks(workspace.out)


async def _engine_answers() -> None:
    """Within a second; asked three times, for other tests keep it busy too."""
    async with aiodocker.Docker() as engine:
        for _ in range(3):
            began = time.monotonic()
            await engine.version()
            if time.monotonic() - began < 1:
                return
    pytest.fail("the engine does not answer within a second")


def only_plain_files(workspace: Workspace) -> None:
    """The host's copy of out/ holds files and folders of ours, with the modes that we give."""
    for path in workspace.out.rglob("*"):
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode):
            assert stat.S_ISREG(status.st_mode), path
            assert stat.S_IMODE(status.st_mode) == 0o644, path
            assert status.st_nlink == 1, path
        assert status.st_uid == os.getuid(), path
        assert os.listxattr(path, follow_symlinks=False) == [], path


async def as_good_as_new(session: SandboxSession) -> None:
    """The next script finds two processes, an empty /tmp and no shared memory."""
    await session.write("alive.py", _ALIVE)
    alive: RunResult = await session.run("alive.py")
    assert alive.stdout == "2 ['mpl'] [] /workspace/out\n", alive
