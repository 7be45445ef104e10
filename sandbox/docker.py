"""The sandbox over a Docker engine: one container per lease, started from a policy, destroyed at the end."""

import asyncio
import os
import random
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self

import structlog

from sandbox import frames
from sandbox.container import DockerSession
from sandbox.engine import AttachedStream, Engine, NameTaken, deadline
from sandbox.errors import SandboxUnavailable
from sandbox.hardening import Placement, container_config, seccomp_profile
from sandbox.images import image_tag
from sandbox.lease import LeaseFolder, LeaseRecord, identity, lease_folders, process_start
from sandbox.policy import Policy
from sandbox.reaper import LEASES, reap
from sandbox.session import SandboxSession, SandboxStats, Workspace

_START_SECONDS = 60.0
_REAP_SECONDS = 60.0
_log = structlog.get_logger()


class DockerSandbox:
    """A `Sandbox`. Inside its `async with` it also removes, every minute, what others left."""

    def __init__(self, policy: Policy, *, root: Path, install: str, starts: int = 2) -> None:
        """
        `root` is a folder of the host that the engine sees under the same path; the workspaces' out folders
        lie on its file system. `install`, of [a-z0-9-], begins the containers' names; together with `root` it
        tells them from all others. No more than `starts` containers start at once: more of them only make
        each other slow.
        """
        self._policy = policy
        self._root = root.resolve()
        self._install = install
        # Asked once: the sources may be updated under a running process, its image stays.
        self._image = policy.container.image or image_tag()
        self._seccomp = seccomp_profile(policy)
        self._engine = Engine()
        self._starts = asyncio.Semaphore(starts)
        self._uids: set[int] = set()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._engine)
        await self._reap()
        reaper = asyncio.create_task(self._reap_always())
        self._stack.push_async_callback(_cancel, reaper)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        name = f"{self._install}-{workspace.owner}"
        with self._own_uid() as uid:
            lifetime = _Lifetime(self._engine, name, LeaseFolder.named(self._root / LEASES))
            try:
                await self._lay_out(lifetime.folder, workspace, name, uid)
                async with self._starts:
                    session = await self._start(workspace, lifetime, uid)
                try:
                    yield session
                finally:
                    session.close()
            finally:
                await _undisturbed(lifetime.close())

    def stats(self) -> SandboxStats:
        return SandboxStats(leased=len(self._uids))

    async def _lay_out(self, folder: LeaseFolder, workspace: Workspace, name: str, uid: int) -> None:
        """The lease's folder and record; both are there before the container is.

        A thread cannot be cancelled: who is waits for its end, and then removes all that it has made.
        """
        record = LeaseRecord(
            install=self._install,
            owner=workspace.owner,
            container=name,
            uid=uid,
            deadline=time.time() + self._policy.resources.session + _START_SECONDS,
            pid=os.getpid(),
            started=process_start(os.getpid()),
        )
        try:
            await _undisturbed(
                asyncio.to_thread(folder.lay_out, record, workspace, self._policy.container.suffixes)
            )
        except (OSError, ValueError) as error:
            message = f"the sandbox's folder could not be prepared: {error}"
            raise SandboxUnavailable(message) from error

    async def _start(self, workspace: Workspace, lifetime: "_Lifetime", uid: int) -> DockerSession:
        placement = Placement(
            image=await self._engine.image_id(self._image),
            install=self._install,
            root=await asyncio.to_thread(identity, self._root),
            uid=uid,
            binds=lifetime.folder.binds,
            nothing=lifetime.folder.nothing,
            seccomp=self._seccomp,
        )
        channel = frames.Channel(await lifetime.start(container_config(self._policy, placement)))
        try:
            async with deadline(_START_SECONDS, "starting the sandbox"):
                hello = await channel.answer(frames.Hello)
        except SandboxUnavailable as error:
            message = f"{error}{await lifetime.trouble()}"
            raise SandboxUnavailable(message) from error
        if not hello.confined:
            _log.warning(
                "sandbox.degraded", reason="no Landlock: a script can have the kernel kill its sandbox"
            )
        session = DockerSession(
            channel,
            confined=hello.confined,
            policy=self._policy,
            workspace=workspace,
            folder=lifetime.folder,
            end=lambda: _undisturbed(lifetime.end_container()),
        )
        await session.begin()
        return session

    def _own_uid(self) -> "_Uid":
        """A uid that no live lease has: containers that share one can starve each other."""
        taken = self._uids | {
            record.uid
            for folder in lease_folders(self._root / LEASES)
            if (record := folder.record()) is not None
        }
        span = self._policy.container.uids
        count = len(span)
        start = random.randrange(count)  # noqa: S311  # only spreads installs that share a host
        for step in range(count):
            if (uid := span.first + (start + step) % count) not in taken:
                return _Uid(self._uids, uid)
        message = f"all {count} uids of the policy are in use"
        raise SandboxUnavailable(message)

    async def _reap(self) -> None:
        try:
            await reap(self._engine, self._root, self._install, now=time.time())
        except SandboxUnavailable as error:
            _log.warning("sandbox.reap_failed", reason=str(error))

    async def _reap_always(self) -> None:
        while True:
            await asyncio.sleep(_REAP_SECONDS)
            await self._reap()


class _Lifetime:
    """A container from its creation to its end, whatever fails in between."""

    def __init__(self, engine: Engine, name: str, folder: LeaseFolder) -> None:
        self.folder = folder
        self._engine = engine
        self._name = name
        self._ours = False
        self._stream: AttachedStream | None = None

    async def start(self, config: dict[str, Any]) -> AttachedStream:
        # The engine goes on with what a cancelled caller asked for: only after its answer can it be undone.
        await _undisturbed(self._create(config))
        self._stream = await self._engine.attach(self._name)
        await self._engine.start(self._name)
        return self._stream

    async def _create(self, config: dict[str, Any]) -> None:
        self._ours = True  # a container may exist, also when the engine's answer does not come
        try:
            await self._engine.create(self._name, config)
        except NameTaken:
            self._ours = False
            raise

    async def trouble(self) -> str:
        """What is known about a container that did not come up."""
        stderr = self._stream.stderr.decode("utf-8", "replace").strip() if self._stream else ""
        parts = [part for part in (await self._engine.describe_end(self._name), stderr) if part]
        return f" ({'; '.join(parts)})" if parts else ""

    async def end_container(self) -> None:
        """May be called more than once. The stream goes first: an unread one would hold up the engine."""
        if self._stream is not None:
            await self._stream.close()
        if not self._ours:
            return
        try:
            await self._engine.remove(self._name)
        except SandboxUnavailable as error:
            _log.warning("sandbox.container_left", container=self._name, reason=str(error))
        else:
            self._ours = False

    async def close(self) -> None:
        await self.end_container()
        if self._ours:
            self.folder.expire()  # the reaper tries again and removes the folder too
        else:
            await asyncio.to_thread(self.folder.remove)


class _Uid:
    """Takes a uid out of circulation for the length of a `with`."""

    def __init__(self, taken: set[int], uid: int) -> None:
        self._taken = taken
        self._uid = uid
        taken.add(uid)

    def __enter__(self) -> int:
        return self._uid

    def __exit__(self, *_: object) -> None:
        self._taken.discard(self._uid)


async def _undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """Finish `work` even when the caller is cancelled meanwhile; the cancellation then goes on afterwards."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    failure = task.exception()
    if cancelled is not None:
        raise cancelled
    if failure is not None:
        raise failure


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
