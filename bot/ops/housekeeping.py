"""Housekeeping: what is to go goes, wherever it lies, and the disk is watched."""

import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

import structlog

from bot.commands.parts import Erased
from bot.render import file_size
from bot.telemetry import note_fault, without_lines
from bot.texts import Texts
from storage.database import Database
from storage.erasure import Erasure, Found
from storage.inbox import Inbox
from storage.records import RunId, utc_now

DAY: Final = timedelta(days=1)
INBOX: Final = timedelta(days=30)
"""How long it is known what was told once. Platforms tell again within days."""
STOPPING: Final = 20.0
"""Seconds that a cancelled run has to come to its end before what is left of it is reported."""
LOW: Final = 0.1
"""Of the disk: from here on admins are warned."""
_RUN = re.compile(r"r[0-9a-z]{15}(?![0-9a-z])")

_log = structlog.stdlib.get_logger(__name__)


class Threads(Protocol):
    """What `storage.checkpoints.Checkpointer` is to us."""

    async def forget(self, prefix: str) -> None: ...

    async def compact(self) -> None: ...


class Stops(Protocol):
    """What the dispatcher is to us."""

    def cancel(self, run_id: RunId) -> bool: ...

    async def outcome(self, run_id: RunId) -> object: ...


@dataclass(frozen=True, slots=True)
class Room:
    """On the disk of the data folder, in bytes."""

    free: int
    total: int


Warn = Callable[[Room], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    database: Database
    erasure: Erasure
    inbox: Inbox
    stops: Stops
    threads: Threads | None
    """None where no agent of ours has been at work."""
    data: Path
    """With `runs/` and the log in it."""
    keep_days: int | None
    """How long runs are kept; None for ever."""
    warn: Warn
    """Tells the admins that there is little room."""
    room: Callable[[Path], Room]
    clock: Callable[[], datetime] = utc_now
    patience: float = STOPPING

    async def work(self, every: timedelta = DAY) -> None:
        """Tidy up now and then once a day, until cancelled. What goes wrong is for the log."""
        while True:
            try:
                await self.tidy()
            except Exception as fault:
                note_fault(fault)
            await asyncio.sleep(every.total_seconds())

    async def tidy(self) -> None:
        """Apply the retention, sweep what crashes left behind, and look at the disk.

        Raises:
            StorageError: some of it is left for the next time.
        """
        now = self.clock()
        kept = INBOX
        if self.keep_days is not None:
            kept = min(INBOX, timedelta(days=self.keep_days))
            old = (await self.erasure.before(now - timedelta(days=self.keep_days))).ended
            await self._erase(old)
            await asyncio.to_thread(self._drop_old_logs, now - timedelta(days=self.keep_days))
            if old:
                await self.compact()
        files = await self.erasure.sweep()
        told = await self.inbox.prune(now - kept)
        room = self.room(self.data)
        _log.info("tidied", files=files, inbox=told, free=room.free)
        if room.free < room.total * LOW:
            await self.warn(room)

    async def erase_person(self, platform: str, person: str, *, rights: bool = False) -> Erased:
        """All that is kept of a person, and with `rights` that we know them.

        Raises:
            StorageError, OSError: some of it is still there.
        """
        found = await self._stopped(lambda: self.erasure.of_person(platform, person))
        await self._erase(found.ended)
        await self.erasure.forget_person(platform, person, rights=rights)
        return await self._gone(found, platform, person)

    async def erase_chat(self, platform: str, chat: str) -> Erased:
        """All that is kept of a chat.

        Raises:
            StorageError, OSError: some of it is still there.
        """
        found = await self._stopped(lambda: self.erasure.of_chat(platform, chat))
        await self._erase(found.ended)
        await self.erasure.forget_chat(platform, chat)
        return await self._gone(found, platform, chat)

    async def _stopped(self, find: Callable[[], Awaitable[Found]]) -> Found:
        """What is found once everything in it that waits or works was asked to stop, and had time to."""
        found = await find()
        stopping = [run_id for run_id in found.unfinished if self.stops.cancel(run_id)]
        if not stopping:
            return found
        with suppress(TimeoutError):
            async with asyncio.timeout(self.patience):
                await asyncio.gather(*(self.stops.outcome(run_id) for run_id in stopping))
        return await find()

    async def _erase(self, runs: Sequence[RunId]) -> None:
        """Folders and checkpoints first: the rows are the list of what is still to be done."""
        for run_id in runs:
            await asyncio.to_thread(_remove, self.data / "runs" / run_id)
            if self.threads is not None:
                await self.threads.forget(run_id)
        await self.erasure.erase(runs)

    async def _gone(self, found: Found, platform: str, chat: str) -> Erased:
        await asyncio.to_thread(self._clean_logs, found.ended, (platform, chat))
        await self.compact()
        return Erased(runs=len(found.ended), left=len(found.unfinished))

    async def compact(self) -> None:
        """Rewrite the databases: until then their files may hold in unused places what was deleted.

        Raises:
            StorageUnavailable: they may still.
        """
        await self.database.compact()
        if self.threads is not None:
            await self.threads.compact()

    def _logs(self) -> Iterable[Path]:
        return sorted(self.data.glob("deckhand.log*"))

    def _clean_logs(self, runs: Collection[RunId], place: tuple[str, str]) -> None:
        """Take out the lines about these runs, and those of the chat: faults name files and quote errors."""
        gone = frozenset(runs)
        here = re.compile(rf'"chat": "{re.escape(place[1])}(/[^"]*)?"')
        platform = f'"platform": "{place[0]}"'

        def about(line: str) -> bool:
            named = gone.intersection(_RUN.findall(line))
            return bool(named) or (platform in line and here.search(line) is not None)

        for path in self._logs():
            without_lines(path, about)

    def _drop_old_logs(self, before: datetime) -> None:
        """The one that is written to has today's lines in it, whatever else; it is rotated by its size."""
        for path in self._logs():
            with suppress(FileNotFoundError):
                if path.name != "deckhand.log" and path.stat().st_mtime < before.timestamp():
                    path.unlink()


def warning(room: Room, t: Texts) -> str:
    return t("disk-nearly-full", free=file_size(room.free), total=file_size(room.total))


def room_of(folder: Path) -> Room:
    usage = shutil.disk_usage(folder)
    return Room(free=usage.free, total=usage.total)


def _remove(folder: Path) -> None:
    """
    Raises:
        OSError: it is still there.
    """
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
