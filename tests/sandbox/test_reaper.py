"""What the reaper removes, and above all what it leaves."""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.docker import DockerSandbox
from sandbox.engine import Engine
from sandbox.lease import LeaseFolder, LeaseRecord, identity, lease_folders, process_start
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.reaper import LEASES, main, orphans, reap
from tests.conftest import containers

ALIVE = LeaseRecord(
    install="here",
    owner="a",
    containers=("here-a",),
    uid=20000,
    deadline=1000.0,
    pid=os.getpid(),
    started=process_start(os.getpid()),
)
DEAD = replace(ALIVE, owner="b", containers=("here-b",), started=1)


def test_a_container_is_an_orphan_without_record_owner_or_time() -> None:
    assert orphans(["here-a", "here-b", "here-c"], [ALIVE, DEAD], now=999.0) == ("here-b", "here-c")
    assert orphans(["here-a", "here-b", "here-c"], [ALIVE, DEAD], now=1001.0) == (
        "here-a",
        "here-b",
        "here-c",
    )
    assert orphans([], [ALIVE, DEAD], now=0.0) == ()


class _Containers(Engine):
    """An engine with a list of names."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.names = names

    async def containers(self, install: str, root: str) -> list[str]:
        return list(self.names)

    async def remove(self, name: str) -> None:
        self.names.remove(name)


async def test_folders_go_with_their_owners(tmp_path: Path) -> None:
    kept, gone, foreign = (LeaseFolder.named(tmp_path / LEASES) for _ in range(3))
    kept.lay_out(ALIVE)
    gone.lay_out(DEAD)
    foreign.lay_out(replace(DEAD, install="there"))
    wreck, fresh = tmp_path / LEASES / "wreck", tmp_path / LEASES / "fresh"
    wreck.mkdir()
    fresh.mkdir()
    os.utime(wreck, (0, 0))
    engine = _Containers(["here-a", "here-b"])
    reaped = await reap(engine, tmp_path, "here", now=999.0)
    assert reaped.containers == ("here-b",)
    assert set(reaped.folders) == {gone.path, wreck}
    assert {folder.path for folder in lease_folders(tmp_path / LEASES)} == {kept.path, foreign.path, fresh}
    assert engine.names == ["here-a"]


_HOLDER = """
import asyncio, sys
from pathlib import Path
from sandbox.docker import DockerSandbox
from sandbox.policyfile import load_policies
from sandbox.session import Workspace

async def main(root, install):
    workspace = Workspace(owner='victim-1', code=Path(root, 'code'), out=Path(root, 'out'))
    async with DockerSandbox(load_policies(), root=Path(root), install=install) as sandbox:
        async with sandbox.lease(workspace) as session:
            await session.write('spin.py', 'while True: pass')
            print('leased', flush=True)
            await session.run('spin.py')

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.docker
async def test_a_killed_owner_leaves_nothing_after_the_next_boot(tmp_path: Path, docker_install: str) -> None:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLDER, str(tmp_path), docker_install, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"leased\n"
    name = f"{docker_install}-victim-1"
    assert name in containers(docker_install)
    holder.kill()
    await holder.wait()
    deadline = time.monotonic() + 5
    while name in containers(docker_install):
        assert time.monotonic() < deadline, "the container outlives its owner"
        await asyncio.sleep(0.05)
    assert len(lease_folders(tmp_path / LEASES)) == 1
    assert await asyncio.to_thread(main, ["--root", str(tmp_path), "--install", docker_install]) == 0
    assert lease_folders(tmp_path / LEASES) == []


@pytest.mark.docker
async def test_an_orphan_is_removed_at_boot_and_those_of_others_are_let_be(
    tmp_path: Path, docker_policy: Policy, docker_install: str
) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    foreign = f"{docker_install}x"
    async with Engine() as engine:
        for name, install, root in (
            ("orphan", docker_install, mine),
            ("of-another-install", foreign, mine),
            ("of-another-folder", docker_install, other),
        ):
            labels = {
                "deckhand.install": install,
                "deckhand.root": identity(root),
                "deckhand.kind": "sandbox",
            }
            body = {
                "Image": docker_policy.container.image,
                "Labels": labels,
                "HostConfig": {"NetworkMode": "none"},
            }
            await engine.create(f"{docker_install}-{name}", body)
        async with DockerSandbox({DEFAULT_NAME: docker_policy}, root=mine, install=docker_install):
            assert containers(docker_install) == [f"{docker_install}-of-another-folder"]
            assert containers(foreign) == [f"{docker_install}-of-another-install"]
        for name in ("of-another-install", "of-another-folder"):
            await engine.remove(f"{docker_install}-{name}")
        assert containers(foreign) == []
