"""An app on a database of its own, with a fake agent and a fake chat."""

import asyncio
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.app import App, open_app
from bot.chat import Attachment, Incoming
from bot.settings import Settings
from bot.stores import Store, open_store
from bot.texts import Language
from storage.records import Run
from tests.bot.fakes import ANN, HERE, FakeAgent, FakeChat


@dataclass
class Rig:
    settings: Settings
    app: App
    agent: FakeAgent
    chat: FakeChat

    @property
    def store(self) -> Store:
        return self.app.store

    def say(self, text: str, *files: Attachment, language: Language | None = None) -> Incoming:
        return Incoming(chat=HERE, sender=ANN, text=text, attachments=files, language=language)

    async def ask(self, text: str, *files: Attachment) -> Run:
        """Accept a request and wait until it is delivered."""
        run = await self.app.gateway.accept(self.say(text, *files))
        await self.app.dispatcher.outcome(run.id)
        return await self.store.runs.get(run.id)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Migrated once; each test gets a copy."""
    data = tmp_path_factory.mktemp("empty")

    async def migrate() -> None:
        async with open_store(Settings(deckhand_data=data)):
            pass

    asyncio.run(migrate())
    return data / "deckhand.db"


@pytest.fixture
def settings(tmp_path: Path, empty_database: Path) -> Settings:
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(empty_database, data)
    return Settings(deckhand_data=data, deckhand_max_upload_mb=1, deckhand_max_input_mb=2)


@pytest.fixture
async def store(settings: Settings) -> AsyncGenerator[Store]:
    async with open_store(settings) as opened:
        yield opened


@pytest.fixture
async def rig(settings: Settings, store: Store) -> AsyncGenerator[Rig]:
    chat = FakeChat()
    agent = FakeAgent(store.runs)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(settings, {"fake": chat}, agent=agent))
        agent.stopping = app.stopping
        yield Rig(settings, app, agent, chat)
