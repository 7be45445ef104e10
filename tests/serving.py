"""A sandbox service for tests, in this process, on a Unix socket or on a port of its own."""

import asyncio
import secrets
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.service.access import Access
from sandbox.service.app import service_app
from sandbox.service.listen import TcpAddress, UnixAddress, listening
from sandbox.service.sessions import ServiceLimits
from sandbox.session import Sandbox, SandboxSession, Workspace
from tests.fakes import FakeSandbox


@asynccontextmanager
async def served(
    sandbox: Sandbox,
    root: Path,
    *,
    policies: Mapping[str, Policy] | None = None,
    token: str | None = None,
    limits: ServiceLimits | None = None,
    tcp: bool = False,
) -> AsyncGenerator[str]:
    """Yields its address."""
    app = service_app(
        sandbox,
        policies or {DEFAULT_NAME: Policy()},
        root=root,
        access=Access(token=token),
        limits=limits,
    )
    with tempfile.TemporaryDirectory() as folder:  # a short path: sockets take 107 bytes
        address = UnixAddress(path=Path(folder, secrets.token_hex(4)))
        where = TcpAddress(host="127.0.0.1", port=0) if tcp else address
        async with listening(app, where) as taken:
            yield str(taken)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110  # what it looks at is the product's, which has no event for it
            await asyncio.sleep(0.01)


class Engaged(FakeSandbox):
    """Somebody is in front until `free` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.free = asyncio.Event()
        self.in_line = 0

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        waiting(3)
        self.in_line += 1
        try:
            await self.free.wait()
        finally:
            self.in_line -= 1
        async with super().lease(workspace) as session:
            yield session
