"""Conversations: one row for every chat, thread or terminal that has spoken to us."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select, update

from storage.database import Database
from storage.errors import NoSuchConversation
from storage.records import (
    Conversation,
    ConversationId,
    Preferences,
    RunId,
    new_conversation_id,
    utc_now,
)
from storage.tables import ConversationRow


class Conversations:
    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def get_or_create(self, platform: str, key: str, language: str | None = None) -> Conversation:
        """The one conversation of that address. `language` counts only when it is new."""
        now = self._clock()
        fresh = insert(ConversationRow).values(
            id=new_conversation_id(now), platform=platform, key=key, language=language, created_at=now
        )
        wanted = select(ConversationRow).where(
            col(ConversationRow.platform) == platform, col(ConversationRow.key) == key
        )

        async def find_or_insert(session: AsyncSession) -> ConversationRow:
            await session.execute(fresh.on_conflict_do_nothing())
            return (await session.scalars(wanted)).one()

        return _record(await self._database.write(find_or_insert))

    async def get(self, conversation_id: ConversationId) -> Conversation:
        """
        Raises:
            NoSuchConversation: nothing has that id.
        """
        row = await self._database.read(lambda session: session.get(ConversationRow, conversation_id))
        if row is None:
            raise NoSuchConversation(conversation_id)
        return _record(row)

    async def set_language(self, conversation_id: ConversationId, language: str | None) -> None:
        """
        Raises:
            NoSuchConversation: nothing has that id.
        """
        await self._change(conversation_id, language=language)

    async def set_preferences(self, conversation_id: ConversationId, preferences: Preferences) -> None:
        """
        Raises:
            NoSuchConversation: nothing has that id.
        """
        await self._change(conversation_id, preferences=asdict(preferences))

    async def begin_anew(self, conversation_id: ConversationId, after: RunId | None) -> None:
        """Forget the files of all runs up to `after`.

        Raises:
            NoSuchConversation: nothing has that id.
        """
        await self._change(conversation_id, begun_after=after)

    async def _change(self, conversation_id: ConversationId, **values: object) -> None:
        change = update(ConversationRow).where(col(ConversationRow.id) == conversation_id)
        changed = change.values(**values).returning(col(ConversationRow.id))
        if await self._database.write(lambda session: session.scalar(changed)) is None:
            raise NoSuchConversation(conversation_id)


def _record(row: ConversationRow) -> Conversation:
    return Conversation(
        id=ConversationId(row.id),
        platform=row.platform,
        key=row.key,
        created_at=row.created_at,
        language=row.language,
        preferences=Preferences(**(row.preferences or {})),
        begun_after=None if row.begun_after is None else RunId(row.begun_after),
    )
