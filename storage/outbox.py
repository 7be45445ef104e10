"""The outbox: what is still to be sent of a run's outcome, receipt by receipt."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, or_, select, update

from storage.database import Database
from storage.errors import NoSuchRun
from storage.mail import OutboxEntry, OutboxPart, OutboxState
from storage.records import RunId
from storage.tables import ConversationRow, OutboxRow, QuestionRow, RunRow


class Outbox:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def plan(self, run_id: RunId, parts: Sequence[OutboxPart]) -> tuple[OutboxEntry, ...]:
        """Keep what is to be sent, unless that is settled already. What is settled, in order.

        Raises:
            NoSuchRun: nothing has that id.
        """

        async def insert(session: AsyncSession) -> None:
            if await session.scalar(select(OutboxRow).where(col(OutboxRow.run_id) == run_id).limit(1)):
                return
            await _insert(session, run_id, parts, first=0)

        await self._database.write(insert)
        return await self.of(run_id)

    async def add(self, run_id: RunId, parts: Sequence[OutboxPart]) -> tuple[OutboxEntry, ...]:
        """Append to what is settled, as `/resend` does. The new entries.

        Raises:
            NoSuchRun: nothing has that id.
        """

        async def append(session: AsyncSession) -> int:
            query = select(OutboxRow.seq).where(col(OutboxRow.run_id) == run_id)
            first = max((*(await session.scalars(query)), -1)) + 1
            await _insert(session, run_id, parts, first=first)
            return first

        first = await self._database.write(append)
        return tuple(entry for entry in await self.of(run_id) if entry.seq >= first)

    async def of(self, run_id: RunId) -> tuple[OutboxEntry, ...]:
        query = select(OutboxRow).where(col(OutboxRow.run_id) == run_id).order_by(col(OutboxRow.seq))
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_record(row) for row in rows)

    async def unfinished(self) -> tuple[RunId, ...]:
        """Runs with entries that are not final, the oldest first."""
        final = [state.value for state in OutboxState if state.is_final]
        query = select(OutboxRow.run_id).where(col(OutboxRow.state).not_in(final)).distinct()
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(RunId(run_id) for run_id in sorted(rows))

    async def sending(self, entry: OutboxEntry) -> None:
        """To be noted before the call: what a crash leaves in this state may have arrived."""
        await self._set(entry, state=OutboxState.SENDING, attempts=OutboxRow.attempts + 1)

    async def sent(self, entry: OutboxEntry, message_id: str | None = None) -> None:
        await self._set(entry, state=OutboxState.SENT, message_id=message_id, note="")

    async def put_off(self, entry: OutboxEntry, until: datetime) -> None:
        """It was not sent, for certain."""
        await self._set(entry, state=OutboxState.NEW, next_at=until)

    async def unknown(self, entry: OutboxEntry, note: str) -> None:
        await self._set(entry, state=OutboxState.UNKNOWN, note=note)

    async def dead(self, entry: OutboxEntry, note: str) -> None:
        await self._set(entry, state=OutboxState.DEAD, note=note)

    async def run_of(self, platform: str, key: str, message_id: str) -> RunId | None:
        """The run whose answer, progress, question or request is this message of the conversation."""
        here = (col(ConversationRow.platform) == platform, col(ConversationRow.key) == key)
        runs = select(RunRow.id).join(ConversationRow, col(ConversationRow.id) == col(RunRow.conversation_id))
        own = or_(
            col(RunRow.progress_message) == message_id,
            col(RunRow.request_message) == message_id,
            col(RunRow.id).in_(select(OutboxRow.run_id).where(col(OutboxRow.message_id) == message_id)),
            col(RunRow.id).in_(select(QuestionRow.run_id).where(col(QuestionRow.message_id) == message_id)),
        )
        query = runs.where(*here, own).order_by(col(RunRow.id).desc()).limit(1)
        found = await self._database.read(lambda session: session.scalar(query))
        return None if found is None else RunId(found)

    async def _set(self, entry: OutboxEntry, **values: object) -> None:
        change = update(OutboxRow).where(
            col(OutboxRow.run_id) == entry.run_id, col(OutboxRow.seq) == entry.seq
        )
        await self._database.write(lambda session: session.execute(change.values(**values)))


def digest_of(part: OutboxPart) -> str:
    """SHA-256 of kind and payload, in hexadecimal."""
    content = json.dumps([part.kind, part.payload], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()


async def _insert(session: AsyncSession, run_id: RunId, parts: Sequence[OutboxPart], *, first: int) -> None:
    session.add_all(_row(run_id, seq, part) for seq, part in enumerate(parts, first))
    try:
        await session.flush()
    except IntegrityError as error:
        raise NoSuchRun(run_id) from error


def _row(run_id: RunId, seq: int, part: OutboxPart) -> OutboxRow:
    return OutboxRow(
        run_id=run_id,
        seq=seq,
        kind=part.kind,
        payload=dict(part.payload),
        digest=digest_of(part),
        state=OutboxState.NEW,
    )


def _record(row: OutboxRow) -> OutboxEntry:
    return OutboxEntry(
        run_id=RunId(row.run_id),
        seq=row.seq,
        kind=row.kind,
        payload=row.payload,
        digest=row.digest,
        state=OutboxState(row.state),
        message_id=row.message_id,
        attempts=row.attempts,
        next_at=row.next_at,
        note=row.note,
    )
