"""A database in a folder of the test's own, and a run to hang things on."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from storage.conversations import Conversations
from storage.database import Database, open_database
from storage.records import Run
from storage.runs import Runs


@pytest.fixture
def database_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "deckhand.db"


@pytest.fixture
async def database(database_file: Path) -> AsyncGenerator[Database]:
    async with open_database(str(database_file)) as database:
        yield database


@pytest.fixture
async def run(database: Database) -> Run:
    conversation = await Conversations(database).get_or_create("terminal", "here")
    return await Runs(database).create(conversation.id, "count the rows", language="en")
