"""The collection of a session's outputs, for sandboxes that hand them out over a network, file by file."""

import shutil
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.errors import NoSuchFile, SandboxUnavailable
from sandbox.guest.outbox import NO_ROOM, occupied
from sandbox.names import clean_text
from sandbox.outfolder import OutFolder, Room
from sandbox.owned import new_folder, sweep
from sandbox.policy import FileLimits
from sandbox.session import FileEntry, RunResult, SkippedFile, Workspace

_ARRIVING = ".arriving-"

Download = Callable[[str, int, Callable[[bytes], None]], Awaitable[None]]
"""Gives exactly so many bytes of that file of out/ to the sink. Raises: NoSuchFile; SandboxUnavailable."""


@contextmanager
def arriving(workspace: Workspace) -> Generator[Path]:
    """A hidden folder beside the workspace's out folder, for files that are not complete yet.

    It goes with the block, or with the next one after this process was killed.
    """
    beside = workspace.out.parent
    try:
        sweep(beside, _ARRIVING)
        folder = new_folder(beside, _ARRIVING)
    except OSError as error:
        message = f"the folder for the outputs cannot be made: {error}"
        raise SandboxUnavailable(message) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Collection:
    def __init__(
        self,
        out: Path,
        incoming: Path,
        limits: FileLimits,
        download: Download,
        left_out: tuple[SkippedFile, ...] = (),
    ) -> None:
        """`left_out`: what of out/ did not fit, to be told with the first script's files."""
        self._out = out
        self._incoming = incoming
        self._limits = limits
        self._download = download
        self._left_out = left_out
        self._refused: dict[str, int] = {}
        """Files, with their sizes, that are there and we could not keep: the next run tries again."""

    async def collect(self, result: RunResult) -> RunResult:
        """The result with what has really come to the host, as a sandbox on this machine would tell it.

        Raises: SandboxUnavailable: more is announced than the limits allow, or a download failed.
        """
        wanted = self._refused | {file.path: file.size for file in result.files}
        for path in result.removed:
            wanted.pop(path, None)
        if len(wanted) > self._limits.files or sum(map(occupied, wanted.values())) > self._limits.size:
            message = "the sandbox sent more files than out/ can hold"
            raise SandboxUnavailable(message)
        kept: list[FileEntry] = []
        refused: dict[str, str] = {}
        with OutFolder(self._out, self._incoming) as out:
            removed = tuple(path for path in result.removed if out.remove(path))
            room = Room(out.occupied(), self._limits)
            for path, size in sorted(wanted.items()):
                problem = await self._fetch(out, path, size) if room.has(path, size) else NO_ROOM
                if problem is None:
                    room.take(path, size)
                    kept.append(FileEntry(path=path, size=size))
                else:
                    refused[path] = problem
        self._refused = {path: wanted[path] for path in refused}
        lost = tuple(SkippedFile(path=clean_text(path), reason=why) for path, why in refused.items())
        left_out, self._left_out = self._left_out, ()
        return replace(
            result, files=tuple(kept), removed=removed, skipped=(*left_out, *lost, *result.skipped)
        )

    async def _fetch(self, out: OutFolder, path: str, size: int) -> str | None:
        """Why the host did not keep it."""
        incoming = out.receive(path)
        complete = False
        try:
            if incoming.problem is None:
                await self._download(path, size, incoming.write)
                complete = True
        except NoSuchFile:
            return "it was gone before it could be copied"
        finally:
            incoming.close(complete=complete)
        return incoming.problem
