"""The connection to a sandbox service. What comes from it counts as hostile: capped, typed, timed."""

import asyncio
import io
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from types import MappingProxyType
from typing import Self, TypeVar
from urllib.parse import urlsplit

import aiohttp
from pydantic import BaseModel, ValidationError

from sandbox.errors import NoSuchFile, SandboxError, SandboxUnavailable
from sandbox.names import clean_text
from sandbox.service.wire import ErrorCode, Failure, Problem

_MAX_ANSWER = 32 << 20
"""Bytes of a JSON answer: the longest lists and texts that the models allow fit."""
_MAX_FAILURE = 64 << 10
CALL_SECONDS = 40.0
"""For what the sandbox itself ends after 20."""
_CONNECT_SECONDS = 10.0
_PIECE = 256 << 10

ModelT = TypeVar("ModelT", bound=BaseModel)
Refusals = Mapping[ErrorCode, Callable[[str], SandboxError]]
"""What one operation may be refused, and the exception that its caller expects then, made of the message."""
_NONE: Refusals = MappingProxyType({})


class NoRoom(SandboxUnavailable):
    """The service takes no more files, or not one of this size."""


class Connection:
    """Opened by `async with`; whether a service answers is only known after the first call.

    Every call raises `SandboxUnavailable` when the service is gone, late, or answers what it never should.
    That holds for a refusal, too, unless the operation names its code: the service does not choose which
    exceptions our callers get.
    """

    def __init__(self, url: str, token: str | None) -> None:
        """Raises: ValueError: `url` is neither unix:///path nor http(s)://host."""
        self._base, self._socket = _address(url)
        self._url = url
        self._token = token
        self._stack = AsyncExitStack()
        self._client: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        # As many connections as there are leases; an idle one goes before the service would close it.
        connector = (
            aiohttp.TCPConnector(limit=0)
            if self._socket is None
            else aiohttp.UnixConnector(self._socket, limit=0)
        )
        headers = {"Accept-Encoding": "identity"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        client = aiohttp.ClientSession(
            connector=connector,
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
        )
        self._client = await self._stack.enter_async_context(client)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client = None
        await self._stack.aclose()

    async def call(
        self,
        method: str,
        path: str,
        answer: type[ModelT],
        body: BaseModel | None = None,
        *,
        seconds: float | None,
        refusals: Refusals = _NONE,
    ) -> ModelT:
        """`seconds`: None when the caller watches over the call by other means."""
        content = None if body is None else io.BytesIO(body.model_dump_json().encode())
        headers = None if body is None else {"Content-Type": "application/json"}
        async with self._asked(method, path, seconds, refusals, data=content, headers=headers) as response:
            return _parsed(answer, await _content(response, _MAX_ANSWER))

    async def close(self, path: str, *, seconds: float) -> None:
        async with self._asked("DELETE", path, seconds, _NONE):
            pass

    async def upload(
        self, path: str, name: str, size: int, pieces: AsyncIterator[bytes], *, seconds: float
    ) -> None:
        """Raises: NoRoom."""
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        refusals: Refusals = {ErrorCode.TOO_LARGE: NoRoom}
        async with self._asked(
            "PUT", path, seconds, refusals, params={"path": name}, headers=headers, data=pieces
        ):
            pass

    async def download(
        self, path: str, name: str, size: int, sink: Callable[[bytes], None], *, seconds: float
    ) -> None:
        """Exactly `size` bytes. Raises: NoSuchFile."""
        refusals: Refusals = {ErrorCode.NO_SUCH_FILE: lambda _: NoSuchFile(name)}
        async with self._asked("GET", path, seconds, refusals, params={"path": name}) as response:
            left = size
            async for piece in response.content.iter_chunked(_PIECE):
                left -= len(piece)
                if left < 0:
                    break
                sink(piece)
            if left:
                message = "the sandbox service sent a file that is not as long as announced"
                raise SandboxUnavailable(message)

    @asynccontextmanager
    async def _asked(
        self, method: str, path: str, seconds: float | None, refusals: Refusals, **request: object
    ) -> AsyncGenerator[aiohttp.ClientResponse]:
        if self._client is None:
            message = "the sandbox client is closed"
            raise SandboxUnavailable(message)
        try:
            async with (
                asyncio.timeout(seconds),
                self._client.request(
                    method,
                    self._base + path,
                    allow_redirects=False,
                    **request,  # pyright: ignore[reportArgumentType]  # the few that the callers above give
                ) as response,
            ):
                if not 200 <= response.status < 300:
                    failure = _parsed(Failure, await _content(response, _MAX_FAILURE))
                    raise _exception(failure.error, refusals)
                yield response
        except TimeoutError as error:
            message = f"the sandbox service at {self._url} did not answer in time"
            raise SandboxUnavailable(message) from error
        except (aiohttp.ClientError, OSError) as error:
            reason = str(error) or type(error).__name__
            message = f"the sandbox service at {self._url} cannot be reached: {clean_text(reason)}"
            raise SandboxUnavailable(message) from error


def _address(url: str) -> tuple[str, str | None]:
    """The beginning of every request's address, and the Unix socket if there is one."""
    parts = urlsplit(url)
    match parts.scheme:
        case "unix" if parts.path.startswith("/") and not parts.netloc:
            return "http://sandbox", parts.path
        case "http" | "https" if parts.hostname and "@" not in parts.netloc and not parts.query:
            return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}", None
        case _:
            message = "a sandbox service is unix:///path/of/its.socket or http(s)://host:port"
            raise ValueError(message)


async def _content(response: aiohttp.ClientResponse, limit: int) -> bytes:
    content = bytearray()
    async for piece in response.content.iter_chunked(_PIECE):
        content += piece
        if len(content) > limit:
            message = f"the sandbox service sent an answer of more than {limit >> 10} KiB"
            raise SandboxUnavailable(message)
    return bytes(content)


def _parsed(model: type[ModelT], content: bytes) -> ModelT:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        message = f"the sandbox service sent a malformed answer ({error.error_count()} errors)"
        raise SandboxUnavailable(message) from None


def _exception(problem: Problem, refusals: Refusals) -> SandboxError:
    text = clean_text(problem.message)
    if (expected := refusals.get(problem.code)) is not None:
        return expected(text)
    return SandboxUnavailable(f"the sandbox service says: {text}")
