"""What people hear unasked: that somebody would like to come in, that they are in, that the disk is full."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from bot.access import Access
from bot.chat import ChatAdapter, ChatRef, Message, Sender
from bot.commands.admins import introduction
from bot.commands.parts import Signs
from bot.errors import ChatError
from bot.ops.housekeeping import Room, warning
from bot.texts import Language, Texts, texts
from storage.conversations import Conversations
from storage.members import Person

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Greeter:
    access: Access
    adapters: Mapping[str, ChatAdapter]
    conversations: Conversations
    buttons: Signs
    fallback: Language

    async def introduce(self, stranger: Sender, admins: Sequence[Person]) -> None:
        for admin in admins:
            chat = ChatRef(admin.platform, admin.id)
            reply = introduction(stranger, chat, self.buttons, await self._texts(chat))
            await self._tell(chat, Message(text=reply.text, buttons=reply.buttons, kind=reply.kind))

    async def welcome(self, platform: str, person: str) -> None:
        """Somebody who was let in need not find out by trying."""
        chat = ChatRef(platform, person)
        await self._tell(chat, Message(text=(await self._texts(chat))("access-welcome")))

    async def warn(self, room: Room) -> None:
        for platform in self.adapters:
            for admin in await self.access.admins(platform):
                chat = ChatRef(platform, admin.id)
                await self._tell(chat, Message(text=warning(room, await self._texts(chat))))

    async def _tell(self, chat: ChatRef, message: Message) -> None:
        """In a person's own chat with us, which has the person's id on platforms where people pair."""
        try:
            await self.adapters[chat.platform].post(chat, message)
        except ChatError as fault:
            _log.info("person_not_told", reason=repr(fault))

    async def _texts(self, chat: ChatRef) -> Texts:
        conversation = await self.conversations.get_or_create(chat.platform, chat.key)
        return texts(Language(conversation.language or self.fallback))
