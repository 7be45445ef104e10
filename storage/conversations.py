"""Conversations: one row for every chat, thread or terminal that has spoken to us."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime

from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select, update

from storage.columns import in_chat
from storage.database import Database
from storage.errors import NoSuchConversation
from storage.records import (
    Brand,
    Conversation,
    ConversationId,
    Preferences,
    RunId,
    new_conversation_id,
    utc_now,
)
from storage.tables import ConversationRow, InboxRow, RunRow


class Conversations:
    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def get_or_create(self, platform: str, key: str, language: str | None = None) -> Conversation:
        """The one conversation of that address. `language` counts only when it is new."""
        wanted = select(ConversationRow).where(
            col(ConversationRow.platform) == platform, col(ConversationRow.key) == key
        )
        # Each message asks for its conversation, often: those that we know must not wait in line to write.
        known = await self._database.read(lambda session: session.scalar(wanted))
        if known is not None:
            return _record(known)
        now = self._clock()
        fresh = insert(ConversationRow).values(
            id=new_conversation_id(now), platform=platform, key=key, language=language, created_at=now
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

    async def of_chat(self, platform: str, chat: str) -> tuple[Conversation, ...]:
        """Those of a chat and of its threads."""
        query = select(ConversationRow).where(
            col(ConversationRow.platform) == platform, in_chat(col(ConversationRow.key), chat)
        )
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_record(row) for row in rows)

    async def move(self, platform: str, old: str, new: str) -> int:
        """The chat `old` is `new` from now on, with its threads and what waits in the inbox. How many moved.

        Where people have spoken under the new address already, their runs join the older conversation. Ids
        of messages mean nothing there: what is still to be told neither replies to one nor edits one.
        """

        async def rewrite(session: AsyncSession) -> int:
            here = col(ConversationRow.platform) == platform
            moving = list(
                await session.scalars(
                    select(ConversationRow).where(here, in_chat(col(ConversationRow.key), old))
                )
            )
            for row in moving:
                untold = update(RunRow).where(
                    col(RunRow.conversation_id) == row.id, col(RunRow.delivered_at).is_(None)
                )
                await session.execute(untold.values(request_message=None, progress_message=None))
                key = new + row.key.removeprefix(old)
                known = select(ConversationRow).where(here, col(ConversationRow.key) == key)
                if (other := await session.scalar(known)) is not None:
                    runs = update(RunRow).where(col(RunRow.conversation_id) == other.id)
                    await session.execute(runs.values(conversation_id=row.id))
                    await session.delete(other)
                    await session.flush()
                row.key = key
                session.add(row)
            waiting = select(InboxRow).where(
                col(InboxRow.platform) == platform,
                in_chat(col(InboxRow.chat), old),
                col(InboxRow.done_at).is_(None),
            )
            for entry in await session.scalars(waiting):
                entry.chat = new + entry.chat.removeprefix(old)
                session.add(entry)
            return len(moving)

        return await self._database.write(rewrite)

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

    async def set_brand(self, conversation_id: ConversationId, brand: Brand | None) -> None:
        """The file of the one before is swept once no run works on it.

        Raises:
            NoSuchConversation: nothing has that id.
        """
        await self._change(conversation_id, brand=None if brand is None else asdict(brand))

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
        brand=None if row.brand is None else Brand(**row.brand),
        begun_after=None if row.begun_after is None else RunId(row.begun_after),
    )
