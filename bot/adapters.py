"""The chats that are configured, opened: what `deckhand run` serves."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from bot.chat import ChatAdapter
from bot.settings import Settings

LOCAL_FILES = Path("/var/lib/telegram-bot-api")
"""Where a Bot API server of one's own that runs with --local keeps files, and where we then find them."""


@dataclass(frozen=True, slots=True)
class Chats:
    """By platform."""

    adapters: dict[str, ChatAdapter] = field(default_factory=dict[str, ChatAdapter])
    names: dict[str, str] = field(default_factory=dict[str, str])
    """As people find us there; none where the platform could not be asked."""
    routes: list[web.RouteDef] = field(default_factory=list[web.RouteDef])
    """What our HTTP server has to answer for platforms that call us."""


@asynccontextmanager
async def open_adapters(settings: Settings) -> AsyncGenerator[Chats]:
    """One adapter for each platform that the settings name; none when they name no platform.

    Raises: SettingsError: a platform refuses what we show it, or one wants a server that is not there.
    """
    chats = Chats()
    async with AsyncExitStack() as stack:
        if settings.telegram_bot_token is not None:
            await _open_telegram(settings, settings.telegram_bot_token.get_secret_value(), chats, stack)
        yield chats


async def _open_telegram(settings: Settings, token: str, chats: Chats, stack: AsyncExitStack) -> None:
    # It brings a framework, which the other commands need not wait for.
    from bot.telegram.adapter import open_telegram
    from bot.telegram.check import meet, require_server

    require_server(settings)
    name = await meet(settings)
    telegram = await stack.enter_async_context(
        open_telegram(
            token,
            api_url=settings.telegram_api_url,
            shared=LOCAL_FILES if settings.telegram_api_local else None,
            webhook_url=settings.telegram_webhook_url,
            proxy=settings.deckhand_proxy,
            ca_file=settings.deckhand_ca_file,
        )
    )
    chats.adapters[telegram.platform] = telegram
    if name:
        chats.names[telegram.platform] = name
    chats.routes.extend(telegram.routes())
