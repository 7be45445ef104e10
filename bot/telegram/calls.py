"""Every call to Telegram: its failures become ours."""

from math import ceil

from aiogram import Bot
from aiogram.exceptions import AiogramError
from aiogram.methods import TelegramMethod
from aiogram.methods.base import TelegramType

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
