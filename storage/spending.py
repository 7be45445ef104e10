"""Spending: what the runs of people and chats have used."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from storage.columns import in_chat
from storage.database import Database
from storage.records import RunStatus
from storage.tables import ConversationRow, RunRow

_UNFINISHED = tuple(status for status in RunStatus if not status.is_final)
_ITS_CONVERSATION = col(ConversationRow.id) == col(RunRow.conversation_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one run has used so far."""

    at: datetime
    """When it was asked for."""
    sender: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    """Of the input tokens."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class Spending:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def since(
        self, platform: str, start: datetime, *, person: str | None = None, chat: str | None = None
    ) -> tuple[Spent, ...]:
        """Of the runs that were asked for from then on, the oldest first: a person's, a chat's, or both."""
        query = (
            select(
                col(RunRow.created_at),
                col(RunRow.sender),
                col(RunRow.input_tokens),
                col(RunRow.output_tokens),
                col(RunRow.cached_tokens),
            )
            .join(ConversationRow, _ITS_CONVERSATION)
            .where(*_of(platform, person, chat), col(RunRow.created_at) >= start)
            .order_by(col(RunRow.created_at), col(RunRow.id))
        )

        async def rows(session: AsyncSession) -> tuple[Spent, ...]:
            return tuple(
                Spent(
                    at=at, sender=sender or "", input_tokens=read, output_tokens=written, cached_tokens=cached
                )
                for at, sender, read, written, cached in await session.execute(query)
            )

        return await self._database.read(rows)

    async def unfinished(self, platform: str, *, person: str | None = None, chat: str | None = None) -> int:
        """How many of their runs wait or are at work."""
        query = (
            select(func.count())
            .select_from(RunRow)
            .join(ConversationRow, _ITS_CONVERSATION)
            .where(*_of(platform, person, chat), col(RunRow.status).in_(_UNFINISHED))
        )
        return await self._database.read(lambda session: session.scalar(query)) or 0


def _of(platform: str, person: str | None, chat: str | None) -> list[ColumnElement[bool]]:
    conditions = [col(ConversationRow.platform) == platform]
    if person is not None:
        conditions.append(col(RunRow.sender) == person)
    if chat is not None:
        conditions.append(in_chat(col(ConversationRow.key), chat))
    return conditions
