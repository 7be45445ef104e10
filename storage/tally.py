"""How much there is of what: numbers for whoever watches the bot, and nothing that anybody wrote."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from storage.database import Database
from storage.mail import OutboxState
from storage.tables import InboxRow, OutboxRow, RunRow

_FINAL = [state.value for state in OutboxState if state.is_final]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    runs: Mapping[str, int]
    """On record, by status."""
    tokens: int
    inbox: int
    """Messages that are neither answered nor part of a run."""
    outbox: int
    """Parts of answers that are still to be sent."""


async def tally(database: Database) -> Tally:
    """Raises: StorageUnavailable."""

    async def count(session: AsyncSession) -> Tally:
        tokens = func.coalesce(func.sum(col(RunRow.input_tokens) + col(RunRow.output_tokens)), 0)
        by_status = await session.execute(
            select(col(RunRow.status), func.count(), tokens).group_by(col(RunRow.status))
        )
        rows = by_status.all()
        waiting = select(func.count()).select_from(InboxRow).where(col(InboxRow.done_at).is_(None))
        unsent = select(func.count()).select_from(OutboxRow).where(col(OutboxRow.state).not_in(_FINAL))
        return Tally(
            runs={status: int(runs) for status, runs, _ in rows},
            tokens=sum(int(total) for _, _, total in rows),
            inbox=int(await session.scalar(waiting) or 0),
            outbox=int(await session.scalar(unsent) or 0),
        )

    return await database.read(count)
