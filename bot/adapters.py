"""The chats that are configured, opened: what `deckhand run` serves."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol, runtime_checkable

from aiohttp import web

from bot.chat import ChatAdapter
from bot.settings import Settings


@runtime_checkable
class Named(Protocol):
    """An adapter that people find by a name."""

    @property
    def name(self) -> str:
        """As people type it, such as @deckhand_bot."""
        ...


@runtime_checkable
class Called(Protocol):
    """An adapter whose platform calls us."""

    @property
    def routes(self) -> Iterable[web.RouteDef]:
        """What our HTTP server answers for it."""
        ...


def routes(adapters: Mapping[str, ChatAdapter]) -> tuple[web.RouteDef, ...]:
    return tuple(
        route for adapter in adapters.values() if isinstance(adapter, Called) for route in adapter.routes
    )


@asynccontextmanager
async def open_adapters(settings: Settings) -> AsyncGenerator[Mapping[str, ChatAdapter]]:
    """One for each platform that the settings name; none when they name no platform.

    Raises: SettingsError: a platform refuses what we show it.
    """
    adapters: dict[str, ChatAdapter] = {}
    async with AsyncExitStack() as stack:
        if settings.telegram_bot_token is not None:
            # It brings a framework, which the other commands need not wait for.
            from bot.telegram.adapter import open_telegram
            from bot.telegram.check import refuse_bad_token

            await refuse_bad_token(settings)
            telegram = await stack.enter_async_context(open_telegram(settings))
            adapters[telegram.platform] = telegram
        yield adapters
