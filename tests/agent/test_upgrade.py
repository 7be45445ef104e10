"""Runs that an update found at work."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from agent.events import FailureReason, RunFailed
from storage.records import Run, RunId, RunStatus
from tests.agent.line import open_line
from tests.agent.test_runner import models_at, sandbox, script, todo
from tests.endpoint import Body, completion, serve
from tests.fakes import FakeRun, FakeSandbox
from tests.replay.exchange import asker, said


async def interrupted(folder: Path) -> RunId:
    """A run that stopped in the second call of its subagent, after a script that left a file."""
    waiting = asyncio.Event()

    async def respond(request: Body) -> Any:
        if asker(request) == "orchestrator":
            plan = [("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]
            return web.json_response(completion(calls=plan))
        if not said(request):
            return web.json_response(completion(calls=[script()]))
        waiting.set()
        return await asyncio.Event().wait()

    fake = FakeSandbox(otherwise=lambda _: FakeRun(files={"half.csv": b"1"}))
    async with serve(respond) as endpoint, open_line(folder, models_at(endpoint), fake, owner="old") as line:
        run_id = await line.ask("Deck")
        task = asyncio.create_task(line.run(run_id))
        await asyncio.wait_for(waiting.wait(), 10)
        line.runner.stopping.set()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    return run_id


async def go_on(folder: Path, run_id: RunId) -> tuple[Run, list[str], int]:
    """The run, the files that are kept, and how often the model was asked."""

    async def respond(_: Body) -> Any:
        raise AssertionError

    async with (
        serve(respond) as endpoint,
        open_line(folder, models_at(endpoint), sandbox(), owner="new") as line,
    ):
        run = await line.run(run_id)
        assert line.seen[-1] == RunFailed(run_id=run_id, reason=FailureReason.UPDATED)
        kept = [artifact.name for artifact in await line.artifacts.of_run(run_id)]
        await line.run(run_id)  # nothing is left to go on with, now or at any later start
        assert (await line.runs.get(run_id)).attempt == run.attempt
    return run, kept, len(endpoint.seen)


@pytest.fixture
def of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version that the checkpoints are begun with while it is asked for."""
    monkeypatch.setattr("agent.orchestrator.STATE_VERSION", 99)


@pytest.mark.usefixtures("of_another_version")
async def test_57_a_checkpoint_of_another_version_ends_the_run_and_keeps_its_files(tmp_path: Path) -> None:
    run, kept, calls = await go_on(tmp_path, await interrupted(tmp_path))
    assert (run.status, run.failure) == (RunStatus.FAILED, "updated")
    assert (kept, calls) == (["half.csv"], 0)


async def test_a_checkpoint_from_before_there_were_versions_ends_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.orchestrator.STATE_VERSION", None)
    run, kept, calls = await go_on(tmp_path, await interrupted(tmp_path))
    assert (run.failure, kept, calls) == ("updated", ["half.csv"], 0)


async def test_a_subagents_checkpoint_of_another_version_ends_it_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.subagent.STATE_VERSION", 0)
    run, kept, calls = await go_on(tmp_path, await interrupted(tmp_path))
    assert (run.failure, kept, calls) == ("updated", ["half.csv"], 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"agent.plan", b"agent.plot"),  # a type that is not on this version's list
        (b"\x82", b"\xc1"),  # bytes that begin nothing
    ],
)
async def test_a_checkpoint_that_cannot_be_decoded_ends_the_run_and_keeps_its_files(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    run_id = await interrupted(tmp_path)
    with sqlite3.connect(tmp_path / "checkpoints.db") as database:
        rows = database.execute("SELECT rowid, checkpoint FROM checkpoints").fetchall()
        assert any(old in blob for _, blob in rows)
        for row, blob in rows:
            database.execute(
                "UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?", (blob.replace(old, new), row)
            )
    database.close()
    run, kept, calls = await go_on(tmp_path, run_id)
    assert (run.failure, kept, calls) == ("updated", ["half.csv"], 0)


async def test_a_run_that_is_asked_again_begins_anew(tmp_path: Path) -> None:
    run_id = await interrupted(tmp_path)
    with sqlite3.connect(tmp_path / "checkpoints.db") as database:
        database.execute("UPDATE checkpoints SET checkpoint = x'c1'")
    database.close()
    await go_on(tmp_path, run_id)

    async def respond(_: Body) -> Any:
        return web.json_response(completion("Here you are."))

    async with (
        serve(respond) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), owner="new") as line,
    ):
        again = await line.runs.create(
            (await line.runs.get(run_id)).conversation_id, "Deck", language="en", repeats=run_id
        )
        run = await line.run(again.id)
    assert run.answer == "Here you are."
