"""Migrations and tables say the same, and running them twice changes nothing."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text

from storage.conversations import Conversations
from storage.database import open_database
from storage.errors import AlreadyRepeated
from storage.events import Events
from storage.records import Preferences, RunId
from storage.runs import Runs
from storage.schema import configuration, upgrade
from storage.tables import Table

AT = {"at": "2026-01-01 00:00:00.000000"}
OLD_RUN = """
INSERT INTO runs (id, conversation_id, request, language, inputs, status, created_at, finished_at, attempt,
    model_calls, input_tokens, output_tokens, cached_tokens, model_seconds, sandbox_runs, sandbox_seconds)
VALUES (:status, 'c', 'count', 'en', '[]', :status, :at,
    CASE WHEN :status IN ('finished', 'failed') THEN '2026-01-02 00:00:00.000000' END,
    1, 0, 0, 0, 0, 0.0, 0, 0.0)
"""


async def test_the_tables_match_the_migrations(database_file: Path) -> None:
    async with open_database(str(database_file)):
        pass
    engine = create_engine(f"sqlite:///{database_file}")
    with engine.connect() as connection:
        command.check(configuration(connection))
        assert set(Table.metadata.tables) < set(inspect(connection).get_table_names())
    engine.dispose()


async def test_opening_twice_changes_no_schema(database_file: Path) -> None:
    schemas: list[list[tuple[str]]] = []
    for _ in range(2):
        async with open_database(str(database_file)):
            pass
        connection = sqlite3.connect(database_file)
        schemas.append(connection.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall())
        connection.close()
    assert schemas[0] == schemas[1]
    assert len(schemas[0]) > len(Table.metadata.tables)


def test_a_migration_that_breaks_off_leaves_the_old_schema(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}")

    def by_hand(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None

    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    event.listen(engine, "connect", by_hand)
    event.listen(engine, "begin", begin)
    with pytest.raises(RuntimeError, match="power"):
        _upgrade_and_break_off(engine)
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == []
    engine.dispose()


def test_a_database_with_runs_in_it_can_be_taken_back(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}")
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA foreign_keys = ON"))
    with engine.begin() as connection:
        upgrade(connection)
        connection.execute(
            text(
                "INSERT INTO conversations (id, platform, key, language, created_at)"
                " VALUES ('c', 'terminal', 'here', 'ru', :at)"
            ),
            AT,
        )
        connection.execute(text(OLD_RUN), {**AT, "status": "finished"})
        connection.execute(text("INSERT INTO ledger (run_id, key, value) VALUES ('finished', 'k', 'v')"))
        command.downgrade(configuration(connection), "0002")
        assert connection.execute(text("SELECT id FROM runs")).scalar_one() == "finished"
        upgrade(connection)
    engine.dispose()


def test_a_database_can_be_taken_back_to_nothing(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.begin() as connection:
        upgrade(connection)
        command.downgrade(configuration(connection), "base")
        assert inspect(connection).get_table_names() == ["alembic_version"]
    engine.dispose()


async def test_runs_that_ended_before_delivery_was_noted_count_as_delivered(database_file: Path) -> None:
    statuses = ("queued", "running", "finished", "failed", "cancelled")
    engine = create_engine(f"sqlite:///{database_file}")
    database_file.parent.mkdir()
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "0001")
        connection.execute(
            text(
                "INSERT INTO conversations (id, platform, key, language, created_at)"
                " VALUES ('c', 'terminal', 'here', NULL, :at)"
            ),
            AT,
        )
        for status in statuses:
            connection.execute(text(OLD_RUN), {**AT, "status": status})
    engine.dispose()

    async with open_database(str(database_file)) as database:
        runs = {run.id: run for run in await Runs(database).list()}
        assert await Runs(database).undelivered() == ()
    assert {run.id: run.delivered_at for run in runs.values()} == {
        "queued": None,
        "running": None,
        "finished": runs[RunId("finished")].finished_at,
        "failed": runs[RunId("failed")].finished_at,
        "cancelled": runs[RunId("cancelled")].created_at,
    }
    assert runs[RunId("finished")].finished_at == datetime(2026, 1, 2, tzinfo=UTC)


def _upgrade_and_break_off(engine: Engine) -> None:
    with engine.begin() as connection:
        upgrade(connection)
        assert connection.execute(text("SELECT count(*) FROM runs")).scalar_one() == 0
        message = "power"
        raise RuntimeError(message)


async def test_chats_and_runs_of_before_go_on_with_nothing_chosen_and_nobody_named(
    database_file: Path,
) -> None:
    engine = create_engine(f"sqlite:///{database_file}")
    database_file.parent.mkdir()
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "0002")
        connection.execute(
            text(
                "INSERT INTO conversations (id, platform, key, language, created_at)"
                " VALUES ('c', 'terminal', 'here', 'ru', :at)"
            ),
            AT,
        )
        for status in ("queued", "finished"):
            connection.execute(text(OLD_RUN), {**AT, "status": status})
        connection.execute(
            text("INSERT INTO events (run_id, seq, at, kind, payload) VALUES ('queued', 1, :at, 'k', '{}')"),
            AT,
        )
    engine.dispose()

    async with open_database(str(database_file)) as database:
        conversation = await Conversations(database).get_or_create("terminal", "here")
        assert (conversation.id, conversation.language) == ("c", "ru")
        assert (conversation.preferences, conversation.begun_after) == (Preferences(), None)
        runs = await Runs(database).list()
        assert {run.id for run in runs} == {"queued", "finished"}
        for run in runs:
            told = (run.request_message, run.progress_message, run.repeats)
            assert (run.sender, told, run.progress_settled) == ("", (None, None, None), False)
        assert len(await Events(database).of(RunId("queued"))) == 1
        first, second = [
            await Runs(database).create(conversation.id, "go", language="en", repeats=repeats)
            for repeats in (RunId("finished"), None)
        ]
        assert (first.repeats, second.repeats) == ("finished", None)
        with pytest.raises(AlreadyRepeated):
            await Runs(database).create(conversation.id, "go", language="en", repeats=RunId("finished"))
