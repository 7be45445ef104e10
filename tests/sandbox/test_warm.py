"""Warm containers: ready before they are asked for, used once, and never left behind."""

import asyncio
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.docker import DockerSandbox
from sandbox.errors import PolicyError, SandboxUnavailable
from sandbox.lease import lease_folders
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.reaper import LEASES
from sandbox.session import InputFile
from tests.conftest import changed, containers, fresh_workspace, until

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]

Open = Callable[..., AbstractAsyncContextManager[DockerSandbox]]


@pytest.fixture
def pooled(docker_policy: Policy, docker_install: str, tmp_path: Path) -> Open:
    """Opens a sandbox whose default policy has these values of `pool`, waits until it is full, and looks at
    the end whether a folder is left."""

    @asynccontextmanager
    async def opened(
        others: dict[str, Policy] | None = None, **values: object
    ) -> AsyncGenerator[DockerSandbox]:
        policies = {DEFAULT_NAME: changed(docker_policy, "pool", **values), **(others or {})}
        async with DockerSandbox(policies, root=tmp_path / "data", install=docker_install) as sandbox:
            await until(lambda: sandbox.stats().ready == policies[DEFAULT_NAME].pool.size)
            yield sandbox
        assert containers(docker_install) == []
        assert lease_folders(tmp_path / "data" / LEASES) == []

    return opened


def _inspect(container: str, what: str) -> str:
    shown = subprocess.run(
        ["docker", "inspect", "--format", what, container],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return shown.stdout.strip()


async def test_a_lease_gets_a_ready_container_with_its_inputs_in_place(
    pooled: Open, docker_install: str, tmp_path: Path
) -> None:
    upload = tmp_path / "upload"
    upload.write_text("a,b\n")
    upload.chmod(0o444)
    workspace = replace(
        fresh_workspace(tmp_path, "warm-1"), inputs=(InputFile(name="data.csv", source=upload),)
    )
    workspace.out.mkdir()
    (workspace.out / "earlier.txt").write_text("kept")
    async with pooled(size=1, limit=2) as sandbox:
        [warm] = containers(docker_install)
        made = _inspect(warm, "{{.Id}}")
        async with sandbox.lease(workspace) as session:
            assert _inspect(f"{docker_install}-warm-1", "{{.Id}}") == made
            stats = sandbox.stats()
            assert (stats.leased, stats.leases, stats.warm_leases, stats.limit) == (1, 1, 1, 2)
            await session.write("a.py", "print(open('../input/data.csv').read(), open('earlier.txt').read())")
            assert (await session.run("a.py")).stdout == "a,b\n kept\n"
        await until(lambda: sandbox.stats().ready == 1)
        [other] = containers(docker_install)
        assert _inspect(other, "{{.Id}}") != made


async def test_a_container_removed_from_outside_is_not_handed_out(
    pooled: Open, docker_install: str, tmp_path: Path
) -> None:
    async with pooled(size=1) as sandbox:
        [warm] = containers(docker_install)
        process = await asyncio.create_subprocess_exec("docker", "rm", "-f", warm, stdout=subprocess.DEVNULL)
        assert await process.wait() == 0
        async with sandbox.lease(fresh_workspace(tmp_path)) as session:
            assert await session.list_inputs() == ()
        stats = sandbox.stats()
        assert (stats.leases, stats.warm_leases) == (1, 0)


async def test_a_workspace_that_cannot_be_laid_out_costs_one_container_and_says_why(
    pooled: Open, tmp_path: Path
) -> None:
    inputs = (InputFile(name="../a", source=tmp_path / "none"),)
    async with pooled(size=2) as sandbox:
        with pytest.raises(SandboxUnavailable, match="no canonical name"):
            async with sandbox.lease(replace(fresh_workspace(tmp_path), inputs=inputs)):
                pytest.fail("it should not come this far")
        stats = sandbox.stats()
        assert (stats.ready, stats.leases, stats.failed_starts) == (1, 0, 0)


async def test_each_policy_has_a_pool_of_its_own_made_when_it_is_needed(
    pooled: Open, docker_policy: Policy, docker_install: str, tmp_path: Path
) -> None:
    small = changed(changed(docker_policy, "resources", memory=512 << 20), "pool", size=1, limit=3)
    async with pooled({"small": small}, size=0, limit=2) as sandbox:
        assert containers(docker_install) == []
        assert sandbox.stats().limit == 5
        workspace = replace(fresh_workspace(tmp_path, "small-1"), policy="small")
        async with sandbox.lease(workspace):
            memory = _inspect(f"{docker_install}-small-1", "{{.HostConfig.Memory}}")
            assert memory == str(512 << 20)
            await until(lambda: sandbox.stats().ready == 1)
        with pytest.raises(PolicyError, match="'other'"):
            async with sandbox.lease(replace(workspace, policy="other")):
                pytest.fail("it should not come this far")


async def test_with_one_uid_todos_wait_for_each_other(
    docker_policy: Policy, docker_install: str, tmp_path: Path
) -> None:
    policy = changed(docker_policy, "container", user="21000:21000")
    told: list[int] = []
    async with DockerSandbox({DEFAULT_NAME: policy}, root=tmp_path, install=docker_install) as sandbox:

        async def second() -> None:
            workspace = fresh_workspace(tmp_path / "2", "two-1")
            async with sandbox.lease(workspace, waiting=told.append) as session:
                assert await session.list_inputs() == ()

        async with sandbox.lease(fresh_workspace(tmp_path / "1", "one-1"), waiting=told.append):
            task = asyncio.create_task(second())
            await until(lambda: told)
        await task
    assert told == [0]
