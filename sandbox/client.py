"""The sandbox over a service: for processes that have no Docker, and should have none."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Self

import structlog

from sandbox.collection import arriving
from sandbox.errors import PolicyError, SandboxError, SandboxUnavailable
from sandbox.policy import FileLimits
from sandbox.remote import CALL_SECONDS, Connection
from sandbox.remotesession import RemoteSession
from sandbox.service import wire
from sandbox.service.wire import ErrorCode, State
from sandbox.session import SandboxSession, SandboxStats, Workspace
from sandbox.tasks import undisturbed
from sandbox.upload import ToService, upload_workspace

_START_SECONDS = 180.0
"""For a container while nobody stands in front: the sandbox itself gives up after a third of it."""
_CLOSE_SECONDS = 60.0
_LOOK_SECONDS = (0.05, 0.5, 1.0)
"""Pauses between looks at a session that begins; the last one repeats."""
_log = structlog.get_logger()


class SandboxClient:
    """A `Sandbox` over a service at `unix:///path/of/its.socket` or `http(s)://host:port`.

    While files of out/ arrive they lie in a hidden folder beside the workspace's out folder, which goes with
    the lease, or with the next one after this process was killed.
    """

    def __init__(
        self,
        base_url: str,
        *,
        policy: str | None = None,
        token: str | None = None,
        most_out: int = 1 << 30,
    ) -> None:
        """`policy` is asked for instead of each workspace's own; `token` goes with every request.

        `most_out`: bytes that out/ may come to hold on this host, whatever more the service's policy allows.
        A service that sends more is unavailable.

        Raises: ValueError: `base_url` is no address of the two kinds.
        """
        self._connection = Connection(base_url, token)
        self._policy = policy
        self._most_out = most_out
        self._stack = AsyncExitStack()
        self._leased = self._waiting = self._leases = 0

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self._connection)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def policies(self) -> tuple[wire.PolicyInfo, ...]:
        """Those that may be asked for: also a way to see whether the service answers.

        Raises: SandboxUnavailable.
        """
        found = await self._connection.call("GET", "/v1/policies", wire.Policies, seconds=CALL_SECONDS)
        return found.policies

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        asked = wire.CreateSession(policy=self._policy or workspace.policy, owner=workspace.owner)
        opened = await self._connection.call(
            "POST",
            "/v1/sessions",
            wire.Session,
            asked,
            seconds=CALL_SECONDS,
            refusals={ErrorCode.NO_SUCH_POLICY: PolicyError},
        )
        out_bytes = min(opened.limits.out_bytes, self._most_out)
        limits = opened.limits.model_copy(update={"out_bytes": out_bytes})
        path = f"/v1/sessions/{opened.id}"
        awake = asyncio.create_task(self._keep_awake(path, max(opened.idle / 3, 0.1)))
        try:
            with arriving(workspace) as incoming:
                upload = ToService(self._connection, path)
                kept = FileLimits(limits.out_bytes, limits.out_files)
                left_out = await upload_workspace(upload, workspace, kept)
                await self._begin(path, waiting)
                session = RemoteSession(
                    self._connection,
                    path,
                    workspace=workspace,
                    limits=limits,
                    incoming=incoming,
                    left_out=left_out,
                )
                self._leased += 1
                self._leases += 1
                try:
                    yield session
                finally:
                    self._leased -= 1
                    session.close()
        finally:
            awake.cancel()
            await undisturbed(self._close(path))

    def stats(self) -> SandboxStats:
        """Of this client alone: the containers are the service's, and so are their numbers."""
        return SandboxStats(leased=self._leased, waiting=self._waiting, leases=self._leases)

    async def _begin(self, path: str, waiting: Callable[[int], None]) -> None:
        """Wait for a container as long as the service says that we stand in line, and no longer."""
        begun = asyncio.create_task(
            self._connection.call("POST", f"{path}/begin", wire.Session, seconds=None)
        )
        loop = asyncio.get_running_loop()
        hopeless = loop.time() + _START_SECONDS
        told = False
        pauses = iter(_LOOK_SECONDS)
        try:
            while not (await asyncio.wait([begun], timeout=next(pauses, _LOOK_SECONDS[-1])))[0]:
                seen = await self._connection.call("GET", path, wire.Session, seconds=CALL_SECONDS)
                if seen.state is State.WAITING:
                    hopeless = loop.time() + _START_SECONDS
                    if not told:
                        told = True
                        self._waiting += 1
                        waiting(seen.ahead or 0)
                elif loop.time() > hopeless:
                    message = "the sandbox service did not start a container in time"
                    raise SandboxUnavailable(message)
            begun.result()
        finally:
            self._waiting -= told
            begun.cancel()
            await asyncio.wait([begun])

    async def _keep_awake(self, path: str, every: float) -> None:
        """A lease may be held for longer than the service waits for a word of ours."""
        while True:
            await asyncio.sleep(every)
            with suppress(SandboxError):
                await self._connection.call("GET", path, wire.Session, seconds=CALL_SECONDS)

    async def _close(self, path: str) -> None:
        try:
            await self._connection.close(path, seconds=_CLOSE_SECONDS)
        except SandboxError as error:  # it closes the session itself when nobody asks for it
            _log.warning("sandbox.session_left", reason=str(error))
