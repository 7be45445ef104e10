"""A run goes from the queue to one final status, and stays there."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from storage.conversations import Conversations
from storage.database import Database
from storage.errors import NoSuchConversation, NoSuchRun
from storage.records import ArtifactId, ConversationId, InputRef, Run, RunId, RunStatus, Usage
from storage.runs import Runs

NOWHERE = RunId("r0")


class Clock:
    """Goes a second further whenever it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


async def test_a_new_run_waits_in_the_queue_with_all_it_was_given(database: Database) -> None:
    here = await Conversations(database).get_or_create("terminal", "here")
    inputs = (
        InputRef(name="sales.csv", original="../Отчёт 1.csv", artifact_id=ArtifactId("a1"), size=5),
        InputRef(name="b.xlsx", original="b.xlsx", artifact_id=ArtifactId("a2"), size=0),
    )
    runs = Runs(database)
    run = await runs.create(here.id, "сделай слайды", language="ru", inputs=inputs, run_id=RunId("r7f3"))
    assert run == await runs.get(RunId("r7f3"))
    assert run.inputs == inputs
    assert (run.status, run.attempt, run.owner, run.usage) == (RunStatus.QUEUED, 0, None, Usage())


async def test_a_run_belongs_to_a_conversation_that_exists(database: Database) -> None:
    with pytest.raises(NoSuchConversation):
        await Runs(database).create(ConversationId("c0"), "hello", language="en")


async def test_only_one_of_many_claims_gets_the_run(database: Database, run: Run) -> None:
    runs = Runs(database)
    claims = await asyncio.gather(*(runs.claim(run.id, "boot-1") for _ in range(10)))
    won = [claim for claim in claims if claim is not None]
    assert len(won) == 1
    assert (won[0].status, won[0].owner, won[0].attempt) == (RunStatus.RUNNING, "boot-1", 1)


async def test_the_next_boot_takes_over_what_the_dead_one_ran(database: Database, run: Run) -> None:
    runs = Runs(database, Clock())
    first = await runs.claim(run.id, "boot-1")
    second = await runs.claim(run.id, "boot-2")
    assert first is not None
    assert second is not None
    assert (second.owner, second.attempt) == ("boot-2", 2)
    assert second.started_at == first.started_at


@pytest.mark.parametrize("status", [RunStatus.FINISHED, RunStatus.FAILED, RunStatus.CANCELLED])
async def test_a_run_that_has_ended_never_changes(database: Database, run: Run, status: RunStatus) -> None:
    runs = Runs(database)
    assert await runs.finish(run.id, status, answer="42", failure="code", failure_detail="why")
    ended = await runs.get(run.id)
    assert (ended.status, ended.answer, ended.failure, ended.failure_detail) == (status, "42", "code", "why")
    assert ended.finished_at is not None

    assert not await runs.finish(run.id, RunStatus.FAILED, failure="other")
    assert await runs.claim(run.id, "boot-2") is None
    assert await runs.get(run.id) == ended


@pytest.mark.parametrize("status", [RunStatus.QUEUED, RunStatus.RUNNING])
async def test_a_run_cannot_end_as_unfinished(database: Database, run: Run, status: RunStatus) -> None:
    with pytest.raises(ValueError, match="does not end"):
        await Runs(database).finish(run.id, status)


async def test_the_queue_is_taken_up_oldest_first_and_listed_newest_first(database: Database) -> None:
    runs = Runs(database, Clock())
    conversations = Conversations(database)
    here = await conversations.get_or_create("terminal", "here")
    there = await conversations.get_or_create("terminal", "there")
    ids = [(await runs.create(place.id, "go", language="en")).id for place in (here, there, here, here)]
    await runs.claim(ids[1], "boot-1")
    await runs.finish(ids[2], RunStatus.FINISHED, answer="done")

    assert [run.id for run in await runs.unfinished()] == [ids[0], ids[1], ids[3]]
    assert [run.id for run in await runs.list(3)] == [ids[3], ids[2], ids[1]]
    assert [run.id for run in await runs.list(conversation_id=there.id)] == [ids[1]]


async def test_usage_counts_after_the_end_too(database: Database, run: Run) -> None:
    runs = Runs(database)
    spent = Usage(model_calls=1, input_tokens=900, cached_tokens=300, model_seconds=1.25)
    await runs.add_usage(run.id, spent)
    await runs.finish(run.id, RunStatus.CANCELLED)
    await runs.add_usage(run.id, spent)
    assert (await runs.get(run.id)).usage == spent + spent


async def test_an_unknown_run_is_told(database: Database) -> None:
    runs = Runs(database)
    with pytest.raises(NoSuchRun):
        await runs.get(NOWHERE)
    with pytest.raises(NoSuchRun):
        await runs.finish(NOWHERE, RunStatus.FINISHED)
    with pytest.raises(NoSuchRun):
        await runs.add_usage(NOWHERE, Usage())
    assert await runs.claim(NOWHERE, "boot-1") is None
