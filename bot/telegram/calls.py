"""Every call to Telegram: its failures become ours, and a chat that is to be left alone is left alone."""

from math import ceil

from aiogram import Bot
from aiogram.exceptions import AiogramError
from aiogram.methods import TelegramMethod
from aiogram.methods.base import TelegramType

from bot.chat import ChatRef
from bot.errors import ChatBusy
from bot.holds import Holds
from bot.telegram.faults import meaning


async def ask(bot: Bot, method: TelegramMethod[TelegramType], *, limit: float | None = None) -> TelegramType:
    """`limit`: seconds; None for the session's own.

    Raises:
        ChatError: see `faults`.
    """
    try:
        return await bot(method, request_timeout=None if limit is None else ceil(limit))
    except AiogramError as error:
        fault = meaning(error)
    raise fault  # out here, so that the original with its addresses is not kept as the context


class Calls:
    """What is written in chats. A call before the end of a pause that Telegram asked for makes it longer."""

    def __init__(self, bot: Bot, holds: Holds) -> None:
        self._bot = bot
        self._holds = holds

    async def ask(
        self, chat: ChatRef, method: TelegramMethod[TelegramType], limit: float | None = None
    ) -> TelegramType:
        """Raises: ChatError: as `ask` above; ChatBusy while the pause lasts, too."""
        if left := self._holds.left(chat):
            raise ChatBusy(left)
        try:
            return await ask(self._bot, method, limit=limit)
        except ChatBusy as busy:
            self._holds.hold(chat, busy.seconds)
            raise
