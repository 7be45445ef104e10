"""A workspace on its way to a sandbox that has no folder in common with us."""

import os
import stat
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from sandbox.errors import SandboxUnavailable, UnsafeName
from sandbox.guest.outbox import NO_ROOM
from sandbox.names import clean_text, split_path
from sandbox.outfolder import OutFolder, Room
from sandbox.policy import FileLimits
from sandbox.remote import Connection, NoRoom
from sandbox.service.wire import Place
from sandbox.session import SkippedFile, Workspace

_PIECE = 256 << 10


def copy_seconds(size: int) -> float:
    """For a file of `size` bytes, on a line that carries at least one MiB a second."""
    return 60.0 + size / (1 << 20)


class Receiver(Protocol):
    async def receive(self, place: Place, name: str, size: int, pieces: AsyncIterator[bytes]) -> None:
        """Raises: NoRoom; SandboxUnavailable."""
        ...


class ToService:
    """A session of a sandbox service that is being filled."""

    def __init__(self, connection: Connection, session: str) -> None:
        self._connection = connection
        self._session = session

    async def receive(self, place: Place, name: str, size: int, pieces: AsyncIterator[bytes]) -> None:
        path = f"{self._session}/files/{place}"
        await self._connection.upload(path, name, size, pieces, seconds=copy_seconds(size))


async def upload_workspace(
    receiver: Receiver, workspace: Workspace, limits: FileLimits
) -> tuple[SkippedFile, ...]:
    """Inputs, code, the skills' scripts and out/. Returns what of out/ did not fit.

    Raises: SandboxUnavailable: one of the others cannot be read or is refused.
    """
    try:
        for file in workspace.inputs:
            await _send(receiver, Place.INPUT, file.name, file.source)
        for file in _scripts(workspace.code):
            await _send(receiver, Place.CODE, file.name, file)
        for skill in workspace.skills:
            for file in _below(skill / "scripts"):
                path = Path(skill.name, file.relative_to(skill)).as_posix()
                await _send(receiver, Place.SKILLS, path, file)
    except (OSError, ValueError, UnsafeName) as error:
        message = f"the workspace could not be sent to the sandbox: {error}"
        raise SandboxUnavailable(message) from error
    return await _send_out(receiver, workspace.out, limits)


async def _send(receiver: Receiver, place: Place, name: str, source: Path) -> None:
    if split_path(name) is None:
        raise UnsafeName(name)
    with _opened(source) as file:
        size = os.fstat(file).st_size
        await receiver.receive(place, name, size, _pieces(file, size))


async def _send_out(receiver: Receiver, folder: Path, limits: FileLimits) -> tuple[SkippedFile, ...]:
    left_out: list[SkippedFile] = []
    room = Room({}, limits)
    with OutFolder(folder, folder) as out:
        for path, size, file in out.files():
            problem = None if room.has(path, size) else NO_ROOM
            if problem is None:
                try:
                    await receiver.receive(Place.OUT, path, size, _pieces(file, size))
                    room.take(path, size)
                except NoRoom as error:
                    problem = str(error)
            if problem is not None:
                reason = f"an earlier output that does not fit into the sandbox: {problem}"
                left_out.append(SkippedFile(path=clean_text(path), reason=reason))
    return tuple(left_out)


@contextmanager
def _opened(source: Path) -> Generator[int]:
    file = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            message = f"{source.name} is not a regular file"
            raise ValueError(message)
        yield file
    finally:
        os.close(file)


async def _pieces(file: int, size: int) -> AsyncIterator[bytes]:
    while size > 0:
        data = os.read(file, min(size, _PIECE))
        if not data:
            message = "a file shrank while it was sent"
            raise OSError(message)
        size -= len(data)
        yield data


def _scripts(code: Path) -> list[Path]:
    """What may be a script; which suffixes are languages is for the policy to say."""
    if not code.is_dir():
        return []
    plain = (file for file in sorted(code.iterdir()) if split_path(file.name) and file.name[0] != ".")
    return [file for file in plain if stat.S_ISREG(file.lstat().st_mode)]


def _below(scripts: Path) -> list[Path]:
    found: list[Path] = []
    for folder, names, files in os.walk(scripts):
        names[:] = [name for name in names if name != "__pycache__" and not name.startswith(".")]
        inside = (Path(folder, name) for name in files)
        found += [file for file in inside if stat.S_ISREG(file.lstat().st_mode)]
    return sorted(found)
