"""Where the service listens: a Unix socket for its owner or a group, or TCP for those who have the token."""

import grp
import os
import socket
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from sandbox.errors import SandboxUnavailable

_HEADER_SECONDS = 75.0
"""For the whole head of a request, and for a connection on which nothing happens."""
_SHUTDOWN_SECONDS = 5.0
_MAX_LINE = 8 << 10
_MAX_HEADERS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class UnixAddress:
    path: Path
    group: int | None = None
    """Gid whose members may connect, too."""

    def __str__(self) -> str:
        return f"unix://{self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TcpAddress:
    """Plain HTTP: beyond one machine put TLS in front of it."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@asynccontextmanager
async def listening(
    app: web.Application, address: UnixAddress | TcpAddress
) -> AsyncGenerator[UnixAddress | TcpAddress]:
    """Serve inside the block. Yields the address, with the port that was taken where none was named.

    Raises: SandboxUnavailable: the address cannot be listened on.
    """
    runner = web.AppRunner(
        app,
        access_log=None,
        # A caller who hangs up gives up: a lease leaves the line, a running script is ended.
        handler_cancellation=True,
        auto_decompress=False,
        keepalive_timeout=_HEADER_SECONDS,
        max_line_size=_MAX_LINE,
        max_field_size=_MAX_LINE,
        max_headers=_MAX_HEADERS,
        shutdown_timeout=_SHUTDOWN_SECONDS,
    )
    try:
        listener = _bound(address)
    except OSError as error:
        message = f"{address} cannot be listened on: {error.strerror or error}"
        raise SandboxUnavailable(message) from error
    if isinstance(address, TcpAddress):
        address = TcpAddress(host=address.host, port=listener.getsockname()[1])
    try:
        await runner.setup()
        await web.SockSite(runner, listener).start()
        yield address
    finally:
        await runner.cleanup()
        listener.close()
        if isinstance(address, UnixAddress):
            with suppress(OSError):
                address.path.unlink()


def group_id(name: str) -> int:
    """Raises: LookupError: there is no such group."""
    return int(name) if name.isdecimal() else grp.getgrnam(name).gr_gid


def _bound(address: UnixAddress | TcpAddress) -> socket.socket:
    if isinstance(address, TcpAddress):
        family, kind, protocol, _, where = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    else:
        _clear(address.path)
        listener, where = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), str(address.path)
    try:
        if isinstance(address, TcpAddress):
            listener.bind(where)
        else:
            _bind_private(listener, address)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def _bind_private(listener: socket.socket, address: UnixAddress) -> None:
    """Nobody else can connect at any moment: the mask holds while the socket gets its name."""
    mask = os.umask(0o177)
    try:
        listener.bind(str(address.path))
    finally:
        os.umask(mask)
    if address.group is not None:
        os.chown(address.path, -1, address.group)
        address.path.chmod(0o660)


def _clear(path: Path) -> None:
    """Remove the socket of a service that was killed; a living one, or any other file, stays.

    Raises: OSError.
    """
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            message = "another file is there"
            raise FileExistsError(message)
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2.0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    message = "another service listens there"
    raise FileExistsError(message)
