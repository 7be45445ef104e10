"""A listener that nobody may ever ask, and settings with a database that is migrated already."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from tests.bot.conftest import empty_database, settings

__all__ = ["canary", "empty_database", "settings"]


@pytest.fixture
async def canary() -> AsyncIterator[str]:
    """The address of a server that nobody asks, in whichever way."""
    asked: list[str] = []

    async def ask(request: web.BaseRequest) -> web.Response:
        asked.append(f"{request.method} {request.path}")
        return web.Response()

    runner = web.ServerRunner(web.Server(ask))
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
    assert asked == []
