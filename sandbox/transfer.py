"""out/ on its way: into the guest when a lease begins, and to the host after every script."""

import os
from dataclasses import dataclass
from pathlib import Path

from sandbox import frames
from sandbox.errors import SandboxUnavailable
from sandbox.guest.outbox import NO_ROOM, occupied
from sandbox.guest.wire import MAX_DATA
from sandbox.names import clean_text
from sandbox.outfolder import OutFolder
from sandbox.policy import FileLimits
from sandbox.session import FileEntry, SkippedFile


@dataclass(frozen=True, slots=True)
class Collected:
    files: tuple[FileEntry, ...]
    removed: tuple[str, ...]
    skipped: tuple[SkippedFile, ...]


class Transfer:
    """One session's copying between the guest and `out` on the host, which other todos may copy to as well.

    Neither side ever holds more than the limits, counted in whole blocks with holes as if they were filled:
    so what came out of one sandbox fits into the next.
    """

    def __init__(self, out: Path, incoming: Path, limits: FileLimits) -> None:
        self._out = out
        self._incoming = incoming
        self._limits = limits
        self._left_out: tuple[SkippedFile, ...] = ()
        self.refused: tuple[str, ...] = ()
        """What the host could not keep of the last script's files. Told to the guest, it sends them again."""

    async def refill(self, channel: frames.Channel) -> None:
        """Put back what earlier todos left. What does not fit is told with the first script's files."""
        left_out: list[SkippedFile] = []
        total = 0
        with OutFolder(self._out, self._incoming) as out:
            for path, size, file in out.files():
                problem: str | None = NO_ROOM
                if total + occupied(size) <= self._limits.size:
                    problem = await self._put(channel, path, size, file)
                if problem is None:
                    total += occupied(size)
                else:
                    reason = f"an earlier output that does not fit into the sandbox: {clean_text(problem)}"
                    left_out.append(SkippedFile(path=clean_text(path), reason=reason))
        self._left_out = tuple(left_out)

    async def _put(self, channel: frames.Channel, path: str, size: int, file: int) -> str | None:
        """Why the guest could not take it."""
        await channel.ask("put", path=path, size=size)
        while size > 0:
            data = os.read(file, min(size, MAX_DATA))
            if not data:
                message = f"out/{path} shrank while it was copied"
                raise SandboxUnavailable(message)
            size -= len(data)
            await channel.send_data(data)
        return (await channel.answer(frames.Put)).problem

    async def collect(self, channel: frames.Channel) -> Collected:
        """Take what the guest sends after a script, and forget what it says is gone.

        Raises: SandboxUnavailable: it sends more than out/ can hold.
        """
        files: list[FileEntry] = []
        removed: list[str] = []
        refused: dict[str, str] = {}
        gone = total = 0
        with OutFolder(self._out, self._incoming) as out:
            room: _Room | None = None
            while not isinstance(frame := await channel.change_or_end(), frames.End):
                if isinstance(frame, frames.Gone):
                    gone += max(1, len(frame.paths))
                    _hold(gone <= self._limits.files)
                    removed += [path for path in frame.paths if out.remove(path)]
                    continue
                total += occupied(frame.size)
                _hold(len(files) + len(refused) < self._limits.files and total <= self._limits.size)
                room = room or _Room(out.occupied(), self._limits)
                problem = None if room.has(frame) else NO_ROOM
                if (problem := await _receive(channel, out, frame, problem)) is None:
                    room.take(frame)
                    files.append(FileEntry(path=frame.path, size=frame.size))
                else:
                    refused[frame.path] = problem
        self.refused = tuple(refused)
        skipped = [
            SkippedFile(path=clean_text(path), reason=clean_text(why))
            for path, why in (*refused.items(), *frame.skipped)
        ]
        left_out, self._left_out = self._left_out, ()
        files.sort(key=lambda file: file.path)
        return Collected(tuple(files), tuple(sorted(removed)), (*left_out, *skipped))


class _Room:
    """What the host's folder still takes."""

    def __init__(self, there: dict[str, int], limits: FileLimits) -> None:
        self._there = there
        self._limits = limits
        self._total = sum(there.values())

    def has(self, file: frames.File) -> bool:
        old = self._there.get(file.path)
        if old is None and len(self._there) >= self._limits.files:
            return False
        return self._total - (old or 0) + occupied(file.size) <= self._limits.size

    def take(self, file: frames.File) -> None:
        self._total += occupied(file.size) - self._there.get(file.path, 0)
        self._there[file.path] = occupied(file.size)


async def _receive(
    channel: frames.Channel, out: OutFolder, file: frames.File, problem: str | None
) -> str | None:
    """Why the host did not keep it; its bytes are read in any case."""
    incoming = out.receive(file.path, problem=problem)
    complete = False
    try:
        await channel.data(file.size, incoming.write)
        complete = True
    finally:
        incoming.close(complete=complete)
    return incoming.problem


def _hold(within: bool) -> None:
    if not within:
        message = "the sandbox container sent more files than out/ can hold"
        raise SandboxUnavailable(message)
