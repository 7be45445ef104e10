"""Fixtures: the second engine with the sandbox image in it, and a sandbox over it that must leave nothing."""

import asyncio
import secrets
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.docker import DockerSandbox
from sandbox.engine import Deadlines, Engine
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.reaper import LEASES, reap
from sandbox.session import Workspace
from tests.conftest import changed, fresh_workspace
from tests.second_engine import SecondEngine

HASTY = Deadlines(call=4.0, start=8.0, copy=8.0, aside=5.0)
"""For what comes after an engine has wedged."""


@dataclass(frozen=True)
class Place:
    """A data folder with an engine that may fail."""

    engine: SecondEngine
    root: Path
    install: str
    policy: Policy

    def connection(self) -> Engine:
        return Engine(self.engine.url)

    def sandbox(self, policy: Policy | None = None, *, over: Engine | None = None) -> DockerSandbox:
        engine, policies = over or self.connection(), {DEFAULT_NAME: policy or self.policy}
        return DockerSandbox(policies, root=self.root, install=self.install, engine=engine)

    def workspace(self, owner: str = "todo-1") -> Workspace:
        return fresh_workspace(self.root / "run", owner)

    def container(self, owner: str = "todo-1") -> str:
        return f"{self.install}-{owner}"

    def leases(self) -> list[Path]:
        return list((self.root / LEASES).glob("*"))

    async def reap(self) -> None:
        """What the product does every minute and when it starts."""
        async with self.connection() as engine:
            await reap(engine, self.root, self.install, now=time.time())


@pytest.fixture(scope="session")
def second_engine(docker_policy: Policy) -> Iterator[SecondEngine]:
    with SecondEngine() as engine:
        engine.load(str(docker_policy.container.image))
        yield engine


@pytest_asyncio.fixture
async def place(second_engine: SecondEngine, docker_policy: Policy, tmp_path: Path) -> AsyncIterator[Place]:
    """At its end nothing is left behind: no container, no lease's folder, no task, no thread."""
    policy = changed(docker_policy, "resources", grace=1.0)
    place = Place(second_engine, tmp_path / "data", f"faults-{secrets.token_hex(4)}", policy)
    tasks = asyncio.all_tasks()
    yield place
    if second_engine.lives:
        second_engine.thaw()
    else:
        second_engine.start()
    await place.reap()
    assert second_engine.containers() == []
    assert place.leases() == []
    assert asyncio.all_tasks() - tasks == {asyncio.current_task()}
    # asyncio's own helpers wait for more work until the loop ends.
    assert [
        t.name for t in threading.enumerate() if t.daemon or not t.name.startswith(("asyncio_", "Main"))
    ] == []


@pytest.fixture
def small_disk(place: Place) -> Iterator[Path]:
    """The data folder becomes a file system of 24 MiB."""
    place.root.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place.root], check=True, timeout=30)
    yield place.root
    subprocess.run(["umount", "--lazy", place.root], check=True, timeout=30)
