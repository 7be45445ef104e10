"""The server, a person, her chat, and a real aiogram bot that speaks to it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession

from tests.fakes.botapi import BotApi, LiveChat, Person


@pytest_asyncio.fixture
async def server() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


@pytest.fixture(scope="session")
def session() -> AiohttpSession:
    """Made once for all tests, because it loads all the certificates of the world."""
    return AiohttpSession(timeout=5)


@pytest_asyncio.fixture
async def bot(server: BotApi, session: AiohttpSession) -> AsyncIterator[Bot]:
    session.api = server.api
    yield Bot(server.token, session=session)
    inner = await session.create_session()
    await inner.close()  # not aiogram's close, which sleeps for the sake of TLS


@pytest_asyncio.fixture
async def ann(server: BotApi) -> Person:
    return server.person(7, "Ann", language_code="ru")


@pytest_asyncio.fixture
async def chat(server: BotApi, ann: Person) -> LiveChat:
    return server.private(ann)
