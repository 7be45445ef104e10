"""The adapter before a Bot API server of our own, and what it hears there."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.chat import ChatRef, Delivered, Event, Incoming, Press
from bot.settings import Settings
from bot.telegram.adapter import Telegram, open_telegram
from tests.bot.telegram.service import Service, open_service
from tests.conftest import until
from tests.fakes.botapi import BotApi, Chat, LiveChat

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")


def png(width: int, height: int, size: int = 2000) -> bytes:
    """What a picture's header says; the rest is nothing."""
    return (PNG + width.to_bytes(4) + height.to_bytes(4)).ljust(size, b"\0")


def ref(chat: Chat, thread: int | str = "") -> ChatRef:
    return ChatRef("telegram", str(chat.id), str(thread))


@dataclass
class Heard:
    """Takes events like the intake; `trouble` is raised instead of taking the next ones."""

    events: list[Event] = field(default_factory=list[Event])
    trouble: list[Exception] = field(default_factory=list[Exception])

    async def __call__(self, event: Event, /) -> None:
        if self.trouble:
            raise self.trouble.pop(0)
        self.events.append(event)

    @property
    def said(self) -> list[Incoming]:
        return [event for event in self.events if isinstance(event, Incoming)]

    @property
    def presses(self) -> list[Press]:
        return [event for event in self.events if isinstance(event, Press)]

    async def until(self, count: int = 1) -> Event:
        await until(lambda: len(self.events) >= count, seconds=20)
        return self.events[count - 1]

    async def said_by(self, count: int = 1) -> Incoming:
        await until(lambda: len(self.said) >= count, seconds=20)
        return self.said[count - 1]


@asynccontextmanager
async def serving(telegram: Telegram, heard: Heard) -> AsyncGenerator[asyncio.Task[None]]:
    task = asyncio.create_task(telegram.serve(heard))
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest.fixture
async def server() -> AsyncGenerator[BotApi]:
    async with BotApi() as opened:
        yield opened


@pytest.fixture
async def telegram(server: BotApi) -> AsyncGenerator[Telegram]:
    async with open_telegram(server.token, api_url=server.url) as opened:
        yield opened


@pytest.fixture
async def heard(telegram: Telegram) -> AsyncGenerator[Heard]:
    """Everything that happens on Telegram while a test lasts."""
    found = Heard()
    async with serving(telegram, found):
        yield found


@pytest.fixture
def chat(server: BotApi) -> LiveChat:
    """Ann and the bot."""
    return server.private(server.person(7, "Ann", language_code="ru"))


@pytest.fixture
async def service(settings: Settings) -> AsyncGenerator[Service]:
    """The whole program. At the end Telegram must have refused nothing."""
    async with open_service(settings) as opened:
        yield opened
        assert not opened.refused


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Delivered]:
    """A file for a person: its bytes, or a size of which nothing is written."""

    def write(name: str, data: bytes = b"a,b\n1,2\n", size: int | None = None) -> Delivered:
        path = tmp_path / name.replace("/", "_")
        path.write_bytes(data)
        return Delivered(name=name, path=path, size=len(data) if size is None else size)

    return write
