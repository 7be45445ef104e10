"""The sandbox over a Docker engine: a pool of containers per policy, and a reaper for what others left."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import fields
from pathlib import Path
from typing import Self

import structlog

from sandbox.engine import Engine
from sandbox.errors import PolicyError, SandboxUnavailable
from sandbox.gate import Gate
from sandbox.hardening import seccomp_profile
from sandbox.images import image_tag
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.pool import Pool
from sandbox.reaper import LEASES, reap
from sandbox.session import SandboxSession, SandboxStats, Workspace
from sandbox.starts import Starts
from sandbox.tasks import Background, undisturbed
from sandbox.uids import Uids
from sandbox.warm import Starter, WarmContainer

_REAP_SECONDS = 60.0
_log = structlog.get_logger()


class DockerSandbox:
    """A `Sandbox`. Inside its `async with` it fills its pools, and removes every minute what others left."""

    def __init__(
        self, policies: Mapping[str, Policy], *, root: Path, install: str, engine: Engine | None = None
    ) -> None:
        """
        `policies` has one called `default`, whose `pool.starts` counts for all of them together: more starts
        at once only make each other slow. `root` is a folder of the host that the engine sees under the same
        path; the workspaces' out folders lie on its file system. `install`, of [a-z0-9-], begins the
        containers' names; together with `root` it tells them from all others. `engine` is opened and closed
        with the sandbox; None for the usual one.
        """
        self._policies = dict(policies)
        self._root = root.resolve()
        self._install = install
        # Asked once: the sources may be updated under a running process, its image stays.
        self._images = {
            name: policy.container.image or image_tag() for name, policy in self._policies.items()
        }
        self._engine = engine or Engine()
        self._gate = Gate()
        self._uids = Uids(self._root / LEASES)
        self._starts = Starts(self._policies[DEFAULT_NAME].pool.starts)
        self._pools: dict[str, Pool[WarmContainer]] = {}
        self._stack = AsyncExitStack()
        self._closed = False

    async def __aenter__(self) -> Self:
        """Raises: PolicyError: the default policy's seccomp profile cannot be read."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._engine)
            await self._reap()
            background = Background()
            stack.push_async_callback(background.stop)
            background.begin(self._reap_always())
            stack.push_async_callback(self._drain)
            self._pool(DEFAULT_NAME)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await undisturbed(self._stack.aclose())

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        pool = self._pool(workspace.policy)
        async with pool.lease(lambda container: container.lease(workspace), waiting=waiting) as session:
            try:
                yield session
            finally:
                session.close()

    def stats(self) -> SandboxStats:
        pools = [pool.stats() for pool in self._pools.values()]
        counts = {
            count.name: sum(getattr(pool, count.name) for pool in pools) for count in fields(SandboxStats)
        }
        counts["limit"] = sum(_limit(policy) for policy in self._policies.values())
        return SandboxStats(**counts)

    def _pool(self, name: str) -> Pool[WarmContainer]:
        if (pool := self._pools.get(name)) is not None:
            return pool
        if self._closed:
            message = "the sandbox is closed"
            raise SandboxUnavailable(message)
        if (policy := self._policies.get(name)) is None:
            message = f"there is no policy called {name!r}"
            raise PolicyError(message)
        starter = Starter(
            engine=self._engine,
            policy=policy,
            image=self._images[name],
            root=self._root,
            leases=self._root / LEASES,
            install=self._install,
            uids=self._uids,
            seccomp=seccomp_profile(policy),
            gate=self._gate,
        )
        limit = _limit(policy)
        pool = Pool(
            starter.start, name=name, size=min(policy.pool.size, limit), limit=limit, starts=self._starts
        )
        self._pools[name] = pool
        pool.open()
        return pool

    async def _drain(self) -> None:
        self._closed = True
        await self._starts.close()
        await asyncio.gather(*(pool.close() for pool in self._pools.values()))

    async def _reap(self) -> None:
        try:
            await reap(self._engine, self._root, self._install, now=time.time())
        except (SandboxUnavailable, OSError) as error:
            _log.warning("sandbox.reap_failed", reason=str(error))

    async def _reap_always(self) -> None:
        while True:
            await asyncio.sleep(_REAP_SECONDS)
            await self._reap()


def _limit(policy: Policy) -> int:
    """No more containers than uids: the others would not start."""
    return min(policy.pool.limit, len(policy.container.uids))
