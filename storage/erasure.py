"""Erasure: what is kept of a person, a chat or a time is found, and is gone afterwards.

A run's row goes last, so that a crash on the way leaves it to be found again. Its folder and its checkpoints
are the caller's to remove between `find` and `erase`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, cast

from sqlalchemy import ColumnElement, Text, func, text, type_coerce
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, delete, or_, select, update

from storage.artifacts import ArtifactStore
from storage.columns import in_chat
from storage.database import Database
from storage.records import ArtifactId, InputRef, RunId, RunStatus, utc_now
from storage.tables import (
    AllowedChatRow,
    ArtifactRow,
    ConversationRow,
    EventRow,
    InboxRow,
    LedgerRow,
    OutboxRow,
    PersonRow,
    QuestionRow,
    RunRow,
)

COUNTED: Final = timedelta(days=1)
"""How long the bare numbers of an erased run are kept: who deletes their data gets no new quota with it."""
ERASED: Final = "erased"
"""The failure code of a run of which only its numbers are left."""
_KEY = col(ConversationRow.key)
_UNFINISHED = tuple(status for status in RunStatus if not status.is_final)
_NAMED = text(
    "SELECT json_extract(item.value, '$.artifact_id') FROM runs, json_each(runs.inputs) item"
    " UNION SELECT json_extract(brand, '$.artifact_id') FROM conversations WHERE brand IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class Found:
    ended: tuple[RunId, ...] = ()
    unfinished: tuple[RunId, ...] = ()
    """To be cancelled before they can be erased."""


class Erasure:
    def __init__(
        self,
        database: Database,
        artifacts: ArtifactStore,
        clock: Callable[[], datetime] = utc_now,
        *,
        at_once: int = 200,
    ) -> None:
        """`at_once` runs go in one transaction; other writers wait for it."""
        self._database = database
        self._artifacts = artifacts
        self._clock = clock
        self._at_once = at_once

    async def of_chat(self, platform: str, chat: str) -> Found:
        """The runs of a chat with all its threads."""
        return await self._find(col(ConversationRow.platform) == platform, in_chat(_KEY, chat))

    async def of_person(self, platform: str, person: str) -> Found:
        """The runs that somebody asked for, wherever, and those of their private chat."""
        theirs = or_(col(RunRow.sender) == person, in_chat(_KEY, person))
        return await self._find(col(ConversationRow.platform) == platform, theirs)

    async def before(self, time: datetime) -> Found:
        """The runs that were asked for before then."""
        return await self._find(col(RunRow.created_at) < time)

    async def erase(self, runs: Sequence[RunId]) -> None:
        """Forget runs with all that hangs on them; one that has not ended stays as it is.

        A file that another run works on as well is kept.

        Raises:
            StorageUnavailable: some are still there.
        """
        for start in range(0, len(runs), self._at_once):
            batch = runs[start : start + self._at_once]
            files = await self._database.write(lambda session, batch=batch: self._empty(session, batch))
            await self._drop(files)

    async def forget_chat(self, platform: str, chat: str) -> None:
        """What is kept of a chat besides its runs. Whether it is allowed stays."""

        async def forget(session: AsyncSession) -> list[ArtifactId]:
            theirs = in_chat(col(InboxRow.chat), chat)
            await self._blank(session, col(InboxRow.platform) == platform, theirs)
            files = await self._begin_anew(session, platform, chat)
            await session.execute(
                update(AllowedChatRow)
                .where(col(AllowedChatRow.platform) == platform, col(AllowedChatRow.chat) == chat)
                .values(title="")
            )
            return files

        await self._drop(await self._database.write(forget))

    async def forget_person(self, platform: str, person: str, *, rights: bool = False) -> None:
        """What is kept of a person besides their runs; `rights`: also that they may use the bot, or not."""
        mentions = select(InboxRow).where(
            col(InboxRow.platform) == platform,
            type_coerce(col(InboxRow.payload), Text).contains(f'"{person}"', autoescape=True),
        )
        them = (col(PersonRow.platform) == platform, col(PersonRow.id) == person)
        branded = select(ConversationRow).where(
            col(ConversationRow.platform) == platform, col(ConversationRow.brand).is_not(None)
        )

        async def forget(session: AsyncSession) -> list[ArtifactId]:
            said = [row.id for row in await session.scalars(mentions) if _sender(row.payload) == person]
            await self._blank(session, col(InboxRow.id).in_(said))
            change = delete(PersonRow) if rights else update(PersonRow).values(name="")
            await session.execute(change.where(*them))
            rows = (await session.scalars(branded)).all()
            return [brand for row in rows if (brand := _unbranded(row, person)) is not None]

        await self._drop(await self._database.write(forget))
        await self.forget_chat(platform, person)

    async def sweep(self) -> int:
        """Remove what a crash left behind and what has been counted for long enough. How many files went."""
        day_ago = self._clock() - COUNTED
        counted = delete(RunRow).where(col(RunRow.failure) == ERASED, col(RunRow.created_at) < day_ago)
        await self._database.write(lambda session: session.execute(counted))
        orphans = select(ArtifactRow.id).where(
            col(ArtifactRow.run_id).is_(None), col(ArtifactRow.created_at) < day_ago
        )
        waiting = select(InboxRow).where(col(InboxRow.done_at).is_(None))

        async def find(session: AsyncSession) -> list[ArtifactId]:
            found = [ArtifactId(key) for key in await session.scalars(orphans)]
            told = "\n".join(repr(row.payload) for row in await session.scalars(waiting))
            return [key for key in found if key not in told]

        return await self._drop(await self._database.read(find))

    async def _find(self, *conditions: ColumnElement[bool]) -> Found:
        query = (
            select(RunRow.id, RunRow.status)
            .join(ConversationRow, col(ConversationRow.id) == col(RunRow.conversation_id))
            .where(*conditions, col(RunRow.failure).is_distinct_from(ERASED))
            .order_by(col(RunRow.created_at), col(RunRow.id))
        )
        rows = (await self._database.read(lambda session: session.execute(query))).all()
        return Found(
            ended=tuple(RunId(key) for key, status in rows if status not in _UNFINISHED),
            unfinished=tuple(RunId(key) for key, status in rows if status in _UNFINISHED),
        )

    async def _empty(self, session: AsyncSession, batch: Sequence[RunId]) -> list[ArtifactId]:
        """Take the runs' words away. The files that they had to do with, which others may need."""
        ended = select(RunRow).where(col(RunRow.id).in_(batch), col(RunRow.status).not_in(_UNFINISHED))
        rows = (await session.scalars(ended)).all()
        keys = [row.id for row in rows]
        made = select(ArtifactRow.id).where(col(ArtifactRow.run_id).in_(keys))
        files = [ArtifactId(key) for key in await session.scalars(made)]
        files += [InputRef(**item).artifact_id for row in rows for item in row.inputs]
        await session.execute(
            update(ArtifactRow).where(col(ArtifactRow.run_id).in_(keys)).values(run_id=None)
        )
        for table in (EventRow, LedgerRow, OutboxRow, QuestionRow):
            await session.execute(delete(table).where(col(table.run_id).in_(keys)))
        await self._blank(session, col(InboxRow.run_id).in_(keys))
        now = self._clock()
        young = [row.id for row in rows if row.created_at > now - COUNTED]
        await session.execute(delete(RunRow).where(col(RunRow.id).in_(set(keys) - set(young))))
        await session.execute(
            update(RunRow)
            .where(col(RunRow.id).in_(young))
            .values(
                request="",
                inputs=[],
                answer=None,
                failure=ERASED,
                failure_detail=None,
                delivered_at=func.coalesce(col(RunRow.delivered_at), now),
                request_message=None,
                progress_message=None,
                repeats=None,
                redoes=None,
            )
        )
        return files

    async def _blank(self, session: AsyncSession, *conditions: ColumnElement[bool]) -> None:
        """The rows stay for a while, or a platform that tells them again would be answered."""
        done = func.coalesce(col(InboxRow.done_at), self._clock())
        await session.execute(update(InboxRow).where(*conditions).values(payload={}, done_at=done))

    async def _begin_anew(self, session: AsyncSession, platform: str, chat: str) -> list[ArtifactId]:
        """Without runs nothing of a conversation is left, with some none of its choices. Its templates."""
        here = (col(ConversationRow.platform) == platform, in_chat(_KEY, chat))
        files: list[ArtifactId] = []
        for row in (await session.scalars(select(ConversationRow).where(*here))).all():
            if (brand := _unbranded(row)) is not None:
                files.append(brand)
            newest = await session.scalar(
                select(func.max(RunRow.id)).where(col(RunRow.conversation_id) == row.id)
            )
            if newest is None:
                await session.delete(row)
                continue
            row.language, row.preferences, row.begun_after = None, None, newest
            session.add(row)
        return files

    async def _drop(self, files: Iterable[ArtifactId]) -> int:
        """Those that no run works on. How many."""
        found = list(dict.fromkeys(files))
        if not found:
            return 0
        named = set((await self._database.read(lambda session: session.execute(_NAMED))).scalars())
        gone = [key for key in found if key not in named]
        for key in gone:
            await self._artifacts.delete(key)
        return len(gone)


def _unbranded(row: ConversationRow, sender: str | None = None) -> ArtifactId | None:
    """Take the template away, whosever it is or that of `sender`. Its file."""
    if row.brand is None or sender not in (None, row.brand["sender"]):
        return None
    brand, row.brand = ArtifactId(row.brand["artifact_id"]), None
    return brand


def _sender(payload: Mapping[str, object]) -> object:
    """Who did it, be it told as an id or as all that is known of them."""
    sender = payload.get("sender")
    return cast("Mapping[str, object]", sender).get("id") if isinstance(sender, Mapping) else sender
