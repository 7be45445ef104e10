"""A todo's sandbox session that outlives one fault of the engine."""

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

    def __init__(self, sandbox: Sandbox, workspace: Workspace) -> None:
        self._sandbox = sandbox
        self._workspace = workspace
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
            self._session = await self._stack.enter_async_context(self._sandbox.lease(self._workspace))
        return self._session
