"""The database: one SQLite file, its connections and its transactions."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote, urlsplit

import aiosqlite
from sqlalchemy import URL, Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

from storage.cancellation import settled
from storage.errors import StorageUnavailable
from storage.schema import upgrade
from storage.translation import translated

T = TypeVar("T")

_BEGIN: Final = "deckhand_begin"
_CONNECTIONS = 4
"""Each is a thread of its own. One writes at a time; the others read beside it."""

_PRAGMAS = (
    # Another process, such as `deckhand runs`, may hold the write lock for a moment. Milliseconds.
    "PRAGMA busy_timeout = 10000",
    "PRAGMA journal_mode = WAL",
    # NORMAL would survive a crash of the process, but not a power cut: the last commits could be gone, and
    # with them a message that the platform was told we have. A few milliseconds a commit are worth that.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # What a person had deleted is overwritten, not only unlisted; some builds of SQLite do so by themselves.
    "PRAGMA secure_delete = ON",
)


class Database:
    """Runs transactions. Each is a function, so that nobody can leave one half-way."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._readers = async_sessionmaker(engine, expire_on_commit=False)
        self._writers = async_sessionmaker(
            # A transaction that reads first and writes later fails at once when another has written in
            # between, whatever the busy timeout; one that begins IMMEDIATE waits for its turn.
            engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"}),
            expire_on_commit=False,
        )
        # SQLite waits by polling, unfairly, and blocks a thread: the writers of this process queue here.
        self._turn = asyncio.Lock()

    async def read(self, work: Callable[[AsyncSession], Coroutine[Any, Any, T]]) -> T:
        """What `work` finds, seeing the database at one moment.

        Raises:
            StorageUnavailable: the file cannot be read.
        """

        async def transaction() -> T:
            async with self._readers.begin() as session:
                return await work(session)

        with translated():
            return await settled(transaction())

    async def write(self, work: Callable[[AsyncSession], Coroutine[Any, Any, T]]) -> T:
        """What `work` returns, once its changes are stored. Keep it short: other writers wait for it.

        When `work` raises, nothing of it has happened. Cancelled, it happened wholly or not at all. A write
        within a write waits for ever.

        Raises:
            StorageUnavailable: nothing was stored.
        """

        async def transaction() -> T:
            async with self._writers.begin() as session:
                return await work(session)

        with translated():
            async with self._turn:
                return await settled(transaction())

    async def compact(self) -> None:
        """Write the file anew without what was deleted, and empty the log beside it.

        It takes as much room again as the file, and writers wait as long: seconds for a gigabyte.

        Raises:
            StorageUnavailable: what was deleted may still be found in the files.
        """

        async def rewrite() -> None:
            async with self._engine.connect() as connection:
                # Past SQLAlchemy, which would begin a transaction.
                driver = (await connection.get_raw_connection()).driver_connection
                await write_anew(cast("aiosqlite.Connection", driver))

        with translated():
            async with self._turn:
                await settled(rewrite())


def open_database(url: str) -> AbstractAsyncContextManager[Database]:
    """Open, creating and migrating as needed. `url` is a path, or `sqlite:///` and a path.

    Raises:
        NewerDatabase: a later version of the program has been here.
        StorageUnavailable: the file cannot be opened, is damaged, or the URL is not for SQLite.
    """
    return _open(database_path(url))


@asynccontextmanager
async def _open(path: Path) -> AsyncGenerator[Database]:
    with translated():
        await asyncio.to_thread(make_private_file, path)
    engine = _engine(path)
    try:
        with translated():
            async with engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"}).begin() as connection:
                await connection.run_sync(upgrade)
        yield Database(engine)
    finally:
        await engine.dispose()


def database_path(url: str) -> Path:
    """The file behind a SQLite URL. `sqlite:///data/x.db` is relative, `sqlite:////data/x.db` is absolute."""
    if "://" not in url:
        return Path(url)
    parts = urlsplit(url)
    if parts.scheme not in ("sqlite", "sqlite+aiosqlite") or parts.netloc or len(parts.path) < 2:
        message = f"{parts.scheme}:// is not understood here: give a path, or sqlite:/// and a path"
        raise StorageUnavailable(message)
    return Path(unquote(parts.path[1:]))


async def write_anew(connection: aiosqlite.Connection) -> None:
    """Rewrite a SQLite file without what was deleted from it, and empty the log beside it.

    Raises:
        StorageUnavailable: somebody has been reading all the time, so that the log could not be emptied.
    """
    await (await connection.execute("VACUUM")).close()
    async with connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") as cursor:
        row = await cursor.fetchone()
    if row is None or row[0]:
        message = "the database is read all the time: its log could not be emptied"
        raise StorageUnavailable(message)


def make_private_file(path: Path) -> None:
    """A file that only its owner reads: it holds what people wrote. SQLite gives -wal and -shm its mode."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)


def _engine(path: Path) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        pool_size=_CONNECTIONS,
        max_overflow=0,
        hide_parameters=True,  # they are what people wrote, and errors go to the log
    )

    def on_connect(connection: Any, _record: object) -> None:
        # Otherwise Python's driver begins transactions by itself, late and deferred.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(pragma)
        cursor.close()

    def on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))

    event.listen(engine.sync_engine, "connect", on_connect)
    event.listen(engine.sync_engine, "begin", on_begin)
    return engine
