"""One session of a service, as the contract has it. Outputs are fetched to the host after every script."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.collection import Collection
from sandbox.errors import NoSuchFile, NoSuchScript, SandboxUnavailable, UnsafeName
from sandbox.lease import LeaseFolder
from sandbox.names import split_path
from sandbox.policy import FileLimits
from sandbox.remote import CALL_SECONDS, Connection
from sandbox.service import wire
from sandbox.service.wire import ErrorCode
from sandbox.session import Excerpt, FileEntry, Finding, RunResult, SkippedFile, Workspace, check_arguments
from sandbox.upload import copy_seconds

_BESIDE_SECONDS = 60.0
"""For a run beyond its limit and grace: the service collects the outputs meanwhile."""


class RemoteSession:
    """A `SandboxSession`. Calls take turns; after one that failed or was cancelled the session is over."""

    def __init__(
        self,
        connection: Connection,
        path: str,
        *,
        workspace: Workspace,
        limits: wire.Limits,
        incoming: Path,
        left_out: tuple[SkippedFile, ...],
    ) -> None:
        """`left_out`: what of out/ did not fit, to be told with the first script's files."""
        self._connection = connection
        self._path = path
        self._workspace = workspace
        self._limits = limits
        kept = FileLimits(limits.out_bytes, limits.out_files)
        self._collection = Collection(workspace.out, incoming, kept, self._download, left_out)
        self._lock = asyncio.Lock()
        self._over: str | None = None

    def close(self) -> None:
        """The lease is over; whoever kept the session learns it."""
        self._over = self._over or "the lease is over"

    async def write(self, name: str, source: str) -> tuple[Finding, ...]:
        if not _is_plain(name):
            raise UnsafeName(name)
        try:
            content = source.encode()
        except UnicodeEncodeError:
            return (Finding(line=0, message="the source has characters that are not Unicode text"),)
        if len(source) > wire.MAX_SOURCE:
            message = f"the source is longer than {wire.MAX_SOURCE >> 10} KiB"
            return (Finding(line=0, message=message, advice="split it"),)
        async with self._turn():
            asked = wire.WriteScript(name=name, source=source)
            answer = await self._connection.call(
                "POST",
                f"{self._path}/write",
                wire.Findings,
                asked,
                seconds=CALL_SECONDS,
                refusals={ErrorCode.UNSAFE_NAME: lambda _: UnsafeName(name)},
            )
            findings = tuple(finding.value() for finding in answer.findings)
            if not any(finding.fatal for finding in findings):
                self._keep(name, content)
        return findings

    def _keep(self, name: str, content: bytes) -> None:
        try:
            LeaseFolder.keep_code(self._workspace.code, name, content)
        except OSError as error:
            message = f"the script {name} could not be stored: {error}"
            raise SandboxUnavailable(message) from error

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        if not _is_plain(name):
            raise NoSuchScript(name)
        check_arguments(arguments)
        asked = wire.RunScript(
            name=name,
            arguments=tuple(arguments),
            time_limit=None if time_limit is None else float(time_limit),
        )
        limit = min(asked.time_limit or self._limits.timeout, self._limits.timeout)
        async with self._turn():
            answer = await self._connection.call(
                "POST",
                f"{self._path}/run",
                wire.RunAnswer,
                asked,
                seconds=limit + self._limits.grace + _BESIDE_SECONDS,
                refusals={ErrorCode.NO_SUCH_SCRIPT: lambda _: NoSuchScript(name)},
            )
            return await self._collection.collect(answer.value())

    async def list_inputs(self) -> tuple[FileEntry, ...]:
        return await self._list("inputs")

    async def list_outputs(self) -> tuple[FileEntry, ...]:
        return await self._list("outputs")

    async def excerpt(self, path: str, *, first_line: int = 1, lines: int = 200) -> Excerpt:
        if split_path(path) is None:
            raise NoSuchFile(path)
        asked = wire.ReadExcerpt(
            path=path, first_line=max(1, min(first_line, 2**31)), lines=max(1, min(lines, 2**31))
        )
        async with self._turn():
            answer = await self._connection.call(
                "POST",
                f"{self._path}/excerpt",
                wire.ExcerptAnswer,
                asked,
                seconds=CALL_SECONDS,
                refusals={ErrorCode.NO_SUCH_FILE: lambda _: NoSuchFile(path)},
            )
        return replace(answer.value(), path=path)

    async def _list(self, what: str) -> tuple[FileEntry, ...]:
        async with self._turn():
            answer = await self._connection.call(
                "GET", f"{self._path}/{what}", wire.Files, seconds=CALL_SECONDS
            )
        plain = (file.value() for file in answer.files if split_path(file.path) is not None)
        return tuple(sorted(plain, key=lambda file: file.path))

    async def _download(self, path: str, size: int, sink: Callable[[bytes], None]) -> None:
        await self._connection.download(f"{self._path}/output", path, size, sink, seconds=copy_seconds(size))

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        async with self._lock:
            if self._over is not None:
                raise SandboxUnavailable(self._over)
            try:
                yield
            except (UnsafeName, NoSuchScript, NoSuchFile):
                raise
            except BaseException as error:
                self._over = f"the sandbox is gone since a call failed: {str(error) or type(error).__name__}"
                raise


def _is_plain(name: str) -> bool:
    return (parts := split_path(name)) is not None and len(parts) == 1
