"""What the reaper removes, and above all what it leaves."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.docker import DockerSandbox
from sandbox.engine import Engine
from sandbox.errors import SandboxUnavailable
from sandbox.lease import LeaseFolder, LeaseRecord, identity, lease_folders, pid_namespace, process_start
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.reaper import LEASES, main, orphans, reap
from tests.conftest import containers, until

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
    assert orphans([], [ALIVE, DEAD, None], now=0.0) == ()


def test_a_container_has_an_owner_under_each_name_of_its_record() -> None:
    """Between the record of its lease and the new name it may be listed under the one or the other."""
    leased = replace(ALIVE, containers=("here-pool.1", "here-a"))
    late = replace(leased, containers=("here-pool.2", "here-a"), deadline=0.0)
    assert orphans(["here-pool.1"], [leased], now=1.0) == ()
    assert orphans(["here-a", "here-pool.2"], [leased, late], now=1.0) == ("here-pool.2",)


def test_an_owner_in_another_pid_namespace_counts_as_living_until_the_deadline() -> None:
    elsewhere = replace(DEAD, pids="pid:[1]")
    assert orphans(["here-b"], [elsewhere], now=999.0) == ()
    assert orphans(["here-b"], [elsewhere], now=1001.0) == ("here-b",)
    assert orphans(["here-b"], [replace(DEAD, pids=pid_namespace())], now=999.0) == ("here-b",)


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
        print('opened', flush=True)
        async with sandbox.lease(workspace) as session:
            await session.write('spin.py', 'while True: pass')
            print('leased', flush=True)
            await session.run('spin.py')

asyncio.run(main(*sys.argv[1:]))
"""


@asynccontextmanager
async def _holder(root: Path, install: str) -> AsyncGenerator[asyncio.StreamReader]:
    """Another process, which opens a sandbox with warm containers and leases one. It is killed at the end."""
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _HOLDER, str(root), install, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"opened\n"
    yield holder.stdout
    holder.kill()
    await holder.wait()


@pytest.mark.docker
async def test_a_killed_owner_leaves_nothing_after_the_next_boot(tmp_path: Path, docker_install: str) -> None:
    async with _holder(tmp_path, docker_install) as output:
        assert await output.readline() == b"leased\n"
        name = f"{docker_install}-victim-1"
        assert name in containers(docker_install)
    await until(lambda: name not in containers(docker_install), seconds=5)
    assert lease_folders(tmp_path / LEASES) != []
    assert await asyncio.to_thread(main, ["--root", str(tmp_path), "--install", docker_install]) == 0
    assert lease_folders(tmp_path / LEASES) == []


@pytest.mark.docker
@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.6])
async def test_killed_while_containers_start_or_are_leased_it_leaves_nothing(
    seconds: float, tmp_path: Path, docker_install: str
) -> None:
    async with _holder(tmp_path, docker_install):
        await asyncio.sleep(seconds)
    async with Engine() as engine, asyncio.timeout(20):
        # The engine may still be at work on what it was asked for last; the reaper comes again.
        while containers(docker_install) or lease_folders(tmp_path / LEASES):
            await reap(engine, tmp_path, docker_install, now=time.time())


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


class _Stuck(_Containers):
    async def remove(self, name: str) -> None:
        if name == "here-b":
            message = "device busy"
            raise SandboxUnavailable(message)
        self.names.remove(name)


async def test_a_container_that_is_stuck_keeps_no_other_from_going(tmp_path: Path) -> None:
    folders = [LeaseFolder.named(tmp_path / LEASES) for _ in range(2)]
    for folder, name in zip(folders, ("here-b", "here-c"), strict=True):
        folder.lay_out(replace(DEAD, owner=name, containers=(name,)))
    engine = _Stuck(["here-b", "here-c"])
    with pytest.raises(SandboxUnavailable, match="device busy"):
        await reap(engine, tmp_path, "here", now=1.0)
    assert engine.names == ["here-b"]
    assert [folder.path for folder in lease_folders(tmp_path / LEASES)] == [folders[0].path]
