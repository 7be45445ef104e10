"""The database opens, migrates, keeps what was committed and nothing else."""

import asyncio
import signal
import sqlite3
import stat
import sys
import traceback
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from storage.conversations import Conversations
from storage.database import Database, database_path, open_database
from storage.errors import DiskFull, NewerDatabase, StorageDamaged, StorageUnavailable
from storage.events import Events
from storage.records import Run, RunStatus, Usage
from storage.runs import Runs


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("data/x.db", "data/x.db"),
        ("sqlite:///data/x.db", "data/x.db"),
        ("sqlite+aiosqlite:////srv/a%20b/x.db", "/srv/a b/x.db"),
    ],
)
def test_a_path_and_a_url_name_the_same_file(url: str, path: str) -> None:
    assert database_path(url) == Path(path)


@pytest.mark.parametrize("url", ["postgresql://host/db", "sqlite://", "sqlite://host/x.db"])
def test_another_kind_of_url_is_refused(url: str) -> None:
    with pytest.raises(StorageUnavailable, match="give a path"):
        database_path(url)


async def test_what_was_stored_is_there_after_opening_again(database_file: Path) -> None:
    async with open_database(str(database_file)) as database:
        first = await Conversations(database).get_or_create("terminal", "here", "ru")
    async with open_database(f"sqlite:///{database_file}") as database:
        assert await Conversations(database).get(first.id) == first


async def test_only_the_owner_can_read_the_files(database: Database, database_file: Path, run: Run) -> None:
    files = list(database_file.parent.iterdir())
    assert len(files) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(database_file.parent.stat().st_mode) == 0o700


async def test_every_connection_is_durable_and_checks_references(database: Database) -> None:
    async def settings(session: AsyncSession) -> list[object]:
        await asyncio.sleep(0.01)  # so that each of them gets a connection of its own
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        return [await session.scalar(text(f"PRAGMA {name}")) for name in names]

    for answers in await asyncio.gather(*(database.read(settings) for _ in range(4))):
        assert answers == ["wal", 2, 1, 10000]


async def test_twenty_writers_at_once_all_succeed(database: Database, run: Run) -> None:
    events, runs = Events(database), Runs(database)

    async def work(number: int) -> None:
        for _ in range(5):
            await events.append(run.id, "tick", {"writer": number})
            await runs.add_usage(run.id, Usage(model_calls=1, model_seconds=0.5))

    await asyncio.gather(*(work(number) for number in range(20)))

    assert [event.seq for event in await events.of(run.id)] == list(range(1, 101))
    assert (await runs.get(run.id)).usage == Usage(model_calls=100, model_seconds=50.0)


async def test_two_openings_of_one_file_wait_for_each_other(
    database: Database, database_file: Path, run: Run
) -> None:
    async with open_database(str(database_file)) as other:
        both = [Events(database), Events(other)]
        await asyncio.gather(*(both[turn % 2].append(run.id, "tick", {}) for turn in range(40)))
        assert [event.seq for event in await both[0].of(run.id)] == list(range(1, 41))


async def test_a_reader_does_not_wait_for_a_writer(database: Database, run: Run) -> None:
    async def write(session: AsyncSession) -> None:
        await session.execute(text("DELETE FROM runs"))
        assert await Runs(database).get(run.id) == run

    await database.write(write)
    assert await Runs(database).list() == ()


async def test_a_transaction_that_raises_never_happened(database: Database) -> None:
    async def insert_and_fail(session: AsyncSession) -> None:
        await session.execute(
            text(
                "INSERT INTO conversations (id, platform, key, language, created_at)"
                " VALUES ('c', 'p', 'k', NULL, '2026-01-01')"
            )
        )
        message = "changed my mind"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match="changed my mind"):
        await database.write(insert_and_fail)
    count = text("SELECT count(*) FROM conversations")
    assert await database.read(lambda session: session.scalar(count)) == 0


async def test_a_cancelled_writer_leaves_neither_data_nor_a_lock(database: Database, run: Run) -> None:
    events = Events(database)
    cancelled = 0
    for delay in range(20):
        task = asyncio.create_task(events.append(run.id, "tick", {}))
        await asyncio.sleep(delay / 4000)
        cancelled += task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.wait_for(events.append(run.id, "next", {}), 2)
    assert cancelled
    kept = await events.of(run.id)
    assert [event.seq for event in kept] == list(range(1, len(kept) + 1))


async def test_a_process_killed_in_a_transaction_leaves_nothing_of_it(database_file: Path) -> None:
    program = """
import asyncio, sys
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession
from storage.conversations import Conversations
from storage.database import open_database

async def main():
    async with open_database(sys.argv[1]) as database:
        await Conversations(database).get_or_create("terminal", "committed")
        async def linger(session):
            await session.execute(text("UPDATE conversations SET key = 'halfway'"))
            print("now", flush=True)
            await asyncio.sleep(60)
        await database.write(linger)

asyncio.run(main())
"""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(database_file), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    assert await child.stdout.readline() == b"now\n"
    child.kill()
    assert await child.wait() == -signal.SIGKILL

    async with open_database(str(database_file)) as database:
        key = text("SELECT key FROM conversations")
        assert await database.read(lambda session: session.scalar(key)) == "committed"


async def test_a_full_disk_is_told_and_harms_nothing(database: Database, run: Run) -> None:
    runs = Runs(database)

    async def fill(session: AsyncSession) -> None:
        await session.execute(text("PRAGMA max_page_count = 40"))
        try:
            await session.execute(text("UPDATE runs SET request = :long"), {"long": "x" * 1_000_000})
        finally:
            await session.execute(text("PRAGMA max_page_count = 1000000"))

    with pytest.raises(DiskFull):
        await database.write(fill)
    assert await runs.get(run.id) == run
    assert await runs.finish(run.id, RunStatus.CANCELLED)


async def test_a_file_that_is_no_database_is_told_and_left_alone(database_file: Path) -> None:
    letter = b"a letter to my mother " * 100
    await asyncio.to_thread(database_file.parent.mkdir)
    await asyncio.to_thread(database_file.write_bytes, letter)
    with pytest.raises(StorageDamaged):
        async with open_database(str(database_file)):
            pass
    assert await asyncio.to_thread(database_file.read_bytes) == letter


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageUnavailable):
        async with open_database(str(tmp_path / "file" / "deckhand.db")):
            pass


async def test_a_database_of_a_newer_version_is_refused(database_file: Path) -> None:
    async with open_database(str(database_file)):
        pass
    connection = sqlite3.connect(database_file)
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(NewerDatabase, match="'9999'"):
        async with open_database(str(database_file)):
            pass


def holds(file: Path, word: str) -> bool:
    return word.encode() in file.read_bytes()


async def test_what_was_deleted_is_overwritten(database_file: Path) -> None:
    async with open_database(str(database_file)) as database:
        here = await Conversations(database).get_or_create("terminal", "here")
        for word in ("canary-7f3a", "something else"):
            await Runs(database).create(here.id, word * 20, language="en")
    assert holds(database_file, "canary-7f3a")
    async with open_database(str(database_file)) as database:
        gone = text("DELETE FROM runs WHERE request LIKE 'canary%'")
        await database.write(lambda session: session.execute(gone))
    assert not holds(database_file, "canary-7f3a")
    assert holds(database_file, "something else")


async def test_what_was_deleted_is_in_no_file_after_compacting(
    database: Database, database_file: Path, run: Run
) -> None:
    for word in ("canary-7f3a", "something else"):
        await Runs(database).create(run.conversation_id, word, language="en")
    gone = text("DELETE FROM runs WHERE request LIKE 'canary%'")
    await database.write(lambda session: session.execute(gone))
    log = database_file.with_name(f"{database_file.name}-wal")
    assert holds(log, "canary-7f3a")
    await database.compact()
    assert log.stat().st_size == 0
    assert not holds(database_file, "canary-7f3a")
    assert [found.request for found in await Runs(database).list(1)] == ["something else"]


async def test_compacting_waits_for_its_turn_among_writers(database: Database, run: Run) -> None:
    runs = Runs(database)
    writes = [runs.add_usage(run.id, Usage(model_calls=1)) for _ in range(10)]
    await asyncio.gather(*writes[:5], database.compact(), *writes[5:], database.compact())
    assert (await runs.get(run.id)).usage.model_calls == 10


async def test_an_error_tells_nothing_of_what_was_to_be_stored(database: Database, run: Run) -> None:
    """Errors go to the log, and what people wrote does not."""
    words = "-".join(("canary", "7f3a"))  # which the traceback's line of source does not have
    with pytest.raises(Exception, match="UNIQUE") as caught:
        await Runs(database).create(run.conversation_id, words, language="en", run_id=run.id)
    assert words not in "".join(traceback.format_exception(caught.value))
