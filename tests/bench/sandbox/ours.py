"""Deckhand's own sandbox, through its public contract."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from sandbox.docker import DockerSandbox
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.session import InputFile, Sandbox, SandboxSession, Workspace
from tests.bench.sandbox.approach import Failed, Folder, Stopwatch, check
from tests.bench.sandbox.flags import MEMORY, PIDS
from tests.bench.sandbox.workloads import SOURCES, TABLE, Kind

_FILL_SECONDS = 600


def bench_policy(*, size: int, limit: int) -> Policy:
    """The default policy with the benchmark's numbers, written out."""
    return Policy.model_validate(
        {
            "resources": {"memory": MEMORY, "cpu": 1.0, "pids": PIDS, "timeout": 120.0},
            "pool": {"size": size, "limit": limit},
        }
    )


@asynccontextmanager
async def open_sandbox(policy: Policy, root: Path, install: str) -> AsyncGenerator[DockerSandbox]:
    """`root` is the folder of the whole benchmark: workspaces lie in it too."""
    folder = root / install
    folder.mkdir()
    async with DockerSandbox({DEFAULT_NAME: policy}, root=folder, install=f"bench-{install}") as sandbox:
        yield sandbox


async def until_ready(sandbox: Sandbox, warm: int) -> None:
    """Raises: Failed: the pool did not fill."""
    try:
        async with asyncio.timeout(_FILL_SECONDS):
            while sandbox.stats().ready < warm:  # noqa: ASYNC110  # the contract has no event for it
                await asyncio.sleep(0.05)
    except TimeoutError as error:
        message = f"the pool has only {sandbox.stats().ready} of {warm} containers"
        raise Failed(message) from error


def workspace(root: Path) -> Workspace:
    """With the table as its input, and the scripts in its code folder: they are staged in the lease."""
    folder = Folder.fresh(root)
    table = InputFile(name=TABLE, source=folder.input / TABLE)
    owner = f"bench-{secrets.token_hex(6)}"
    return Workspace(owner=owner, inputs=(table,), code=folder.code, out=folder.out)


class Ours:
    """A lease for each session. What `run` takes holds the copying of the outputs to the host."""

    without: tuple[str, ...] = ()

    def __init__(
        self, name: str, sandbox: Sandbox, root: Path, *, warm: int = 0, checked: bool = False
    ) -> None:
        """`warm`: containers that must be ready before a lease. `checked`: each script is handed over by
        `write`, so that it is checked first, and that counts."""
        self.name = name
        self._sandbox = sandbox
        self._root = root
        self._warm = warm
        self._checked = checked
        self._workspace: Workspace | None = None
        self._lease: AbstractAsyncContextManager[SandboxSession] | None = None
        self._session: SandboxSession | None = None

    async def prepare(self) -> None:
        await until_ready(self._sandbox, self._warm)
        self._workspace = workspace(self._root)

    async def lease(self) -> float:
        assert self._workspace is not None
        with Stopwatch() as watch:
            lease = self._sandbox.lease(self._workspace)
            self._session = await lease.__aenter__()
        self._lease = lease
        return watch.seconds

    async def run(self, kind: Kind) -> float:
        assert self._session is not None
        with Stopwatch() as watch:
            if self._checked and await self._session.write(f"{kind}.py", SOURCES[kind]):
                message = f"{kind} was found fault with"
                raise Failed(message)
            result = await self._session.run(f"{kind}.py")
        check(kind, result.exit_code, result.stdout or result.stderr)
        return watch.seconds

    async def close(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            await lease.__aexit__(None, None, None)
        await until_ready(self._sandbox, self._warm)
