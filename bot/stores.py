"""What is kept, opened. Commands that only look need no more than this."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.settings import Settings
from storage.artifacts import ArtifactStore, open_artifacts
from storage.conversations import Conversations
from storage.database import Database, open_database
from storage.events import Events
from storage.inbox import Inbox
from storage.outbox import Outbox
from storage.people import People
from storage.runs import Runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What is kept. Commands that only look need no more, and no Docker."""

    database: Database
    conversations: Conversations
    runs: Runs
    events: Events
    artifacts: ArtifactStore
    inbox: Inbox
    outbox: Outbox
    people: People


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncGenerator[Store]:
    """Raises:
    StorageError: the database or the artifact store cannot be used.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database))
        artifacts = await stack.enter_async_context(open_artifacts(settings.artifacts, database))
        yield Store(
            database=database,
            conversations=Conversations(database),
            runs=Runs(database),
            events=Events(database),
            artifacts=artifacts,
            inbox=Inbox(database),
            outbox=Outbox(database),
            people=People(database),
        )
