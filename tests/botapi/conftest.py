"""The server, a person, her chat, and a real aiogram bot that speaks to it."""

from collections.abc import AsyncIterator

import pytest_asyncio
from aiogram import Bot

from tests.fakes.botapi import BotApi, LiveChat, Person


@pytest_asyncio.fixture
async def server() -> AsyncIterator[BotApi]:
    async with BotApi() as server:
        yield server


@pytest_asyncio.fixture
async def bot(server: BotApi) -> AsyncIterator[Bot]:
    client = server.bot_client(timeout=5)
    yield client
    await client.session.close()


@pytest_asyncio.fixture
async def ann(server: BotApi) -> Person:
    return server.person(7, "Ann", language_code="ru")


@pytest_asyncio.fixture
async def chat(server: BotApi, ann: Person) -> LiveChat:
    return server.private(ann)
