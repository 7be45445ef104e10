"""A sandbox service for tests, in this process, on a Unix socket or on a port of its own."""

import secrets
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.service.access import Access
from sandbox.service.app import service_app
from sandbox.service.listen import TcpAddress, UnixAddress, listening
from sandbox.service.sessions import ServiceLimits
from sandbox.session import Sandbox


@asynccontextmanager
async def served(
    sandbox: Sandbox,
    root: Path,
    *,
    policies: Mapping[str, Policy] | None = None,
    token: str | None = None,
    limits: ServiceLimits | None = None,
    tcp: bool = False,
) -> AsyncIterator[str]:
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
