"""Every call to Telegram: its failures become ours."""

from aiogram import Bot
from aiogram.exceptions import AiogramError
from aiogram.methods import TelegramMethod
from aiogram.methods.base import TelegramType

from bot.telegram.faults import meaning
from bot.telegram.session import PATIENCE


async def ask(bot: Bot, method: TelegramMethod[TelegramType], *, limit: float = PATIENCE) -> TelegramType:
    """`limit`: seconds.

    Raises:
        ChatError: see `faults`.
    """
    try:
        return await bot(method, request_timeout=round(limit))
    except AiogramError as error:
        fault = meaning(error)
    raise fault  # out here, so that the original with its addresses is not kept as the context
