"""A todo's sandbox session that outlives one fault of the engine."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self, TypeVar

from sandbox.errors import SandboxUnavailable
from sandbox.session import Sandbox, SandboxSession, Workspace

T = TypeVar("T")


class Bench:
    """Opens a session when it is first used. When the engine fails, the action is tried once more in a fresh
    container: scripts and outputs lie on the host, so nothing that was finished is lost."""

    def __init__(
        self, sandbox: Sandbox, workspace: Workspace, *, waiting: Callable[[int], Awaitable[None]]
    ) -> None:
        """`waiting` is told how many leases are in front, each time that a container has to be waited for."""
        self._sandbox = sandbox
        self._workspace = workspace
        self._waiting = waiting
        self._stack = AsyncExitStack()
        self._session: SandboxSession | None = None
        self._owner = workspace.owner
        self._faults = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def use(self, action: Callable[[SandboxSession], Awaitable[T]]) -> T:
        """Raises: SandboxUnavailable: the engine failed twice in a row."""
        try:
            return await action(await self._open())
        except SandboxUnavailable:
            await self._stack.aclose()
            self._session = None
        self._faults += 1
        self._workspace = replace(self._workspace, owner=f"{self._owner}-f{self._faults}")
        return await action(await self._open())

    async def _open(self) -> SandboxSession:
        if self._session is None:
            telling: list[asyncio.Future[None]] = []

            def wait(ahead: int) -> None:
                telling.append(asyncio.ensure_future(self._waiting(ahead)))

            try:
                lease = self._sandbox.lease(self._workspace, waiting=wait)
                self._session = await self._stack.enter_async_context(lease)
            finally:
                await asyncio.gather(*telling)
        return self._session
