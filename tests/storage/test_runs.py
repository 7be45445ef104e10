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
    second = await runs.claim(run.id, "boot-2", left_by="boot-1")
    assert first is not None
    assert second is not None
    assert (second.owner, second.attempt) == ("boot-2", 2)
    assert second.started_at == first.started_at


async def test_of_many_that_find_a_dead_owner_one_gets_the_run(database: Database, run: Run) -> None:
    runs = Runs(database)
    await runs.claim(run.id, "boot-1")
    claims = await asyncio.gather(*(runs.claim(run.id, f"boot-{n}", left_by="boot-1") for n in range(2, 9)))
    assert sum(claim is not None for claim in claims) == 1


@pytest.mark.parametrize(
    ("queued_by", "left_by", "had"),
    [
        (None, None, True),
        ("boot-2", None, True),
        ("boot-1", None, False),
        ("boot-1", "boot-0", False),
        ("boot-1", "boot-1", True),
    ],
)
async def test_a_queued_run_is_to_be_had_from_ones_own_queue_from_nobodys_and_from_a_dead_ones(
    database: Database, queued_by: str | None, left_by: str | None, had: bool
) -> None:
    runs = Runs(database)
    here = await Conversations(database).get_or_create("terminal", "here")
    queued = await runs.create(here.id, "go", language="en", owner=queued_by)
    assert queued.owner == queued_by
    claimed = await runs.claim(queued.id, "boot-2", left_by=left_by)
    assert (claimed is not None) is had


async def test_who_ends_a_run_that_waited_in_the_queue_of_another_delivers_it(database: Database) -> None:
    runs = Runs(database)
    here = await Conversations(database).get_or_create("terminal", "here")
    queued = await runs.create(here.id, "go", language="en", owner="boot-1")
    await runs.finish(queued.id, RunStatus.CANCELLED, owner="boot-2")
    assert (await runs.get(queued.id)).owner == "boot-2"


async def test_a_running_run_is_not_to_be_had_without_naming_its_dead_owner(
    database: Database, run: Run
) -> None:
    runs = Runs(database)
    await runs.claim(run.id, "boot-1")
    assert await runs.claim(run.id, "boot-2") is None


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
    with pytest.raises(NoSuchRun):
        await runs.take_over(NOWHERE, "boot-2", left_by="boot-1")
    with pytest.raises(NoSuchRun):
        await runs.delivered(NOWHERE)
    assert await runs.claim(NOWHERE, "boot-1") is None


async def test_an_outcome_is_noted_as_delivered_once_and_not_before_it_is_there(
    database: Database, run: Run
) -> None:
    runs = Runs(database, Clock())
    assert not await runs.delivered(run.id)
    await runs.finish(run.id, RunStatus.FINISHED, answer="42")
    assert (await runs.get(run.id)).delivered_at is None
    assert await runs.delivered(run.id)
    noted = await runs.get(run.id)
    assert noted.delivered_at == datetime(2026, 1, 1, 0, 0, 3, tzinfo=UTC)
    assert not await runs.delivered(run.id)
    assert await runs.get(run.id) == noted


async def test_what_has_ended_untold_is_found_oldest_first_with_its_owner(database: Database) -> None:
    runs = Runs(database, Clock())
    here = await Conversations(database).get_or_create("terminal", "here")
    ids = [(await runs.create(here.id, "go", language="en")).id for _ in range(5)]
    for run_id in ids[:4]:
        await runs.claim(run_id, "boot-1")
    for run_id, status in zip(ids, (RunStatus.FAILED, RunStatus.FINISHED, RunStatus.FINISHED), strict=False):
        await runs.finish(run_id, status)
    await runs.finish(ids[4], RunStatus.CANCELLED, owner="boot-2")
    await runs.delivered(ids[1])

    found = await runs.undelivered()
    assert [(run.id, run.owner) for run in found] == [
        (ids[0], "boot-1"),
        (ids[2], "boot-1"),
        (ids[4], "boot-2"),
    ]


async def test_who_ends_a_run_that_another_claimed_does_not_become_its_owner(
    database: Database, run: Run
) -> None:
    runs = Runs(database)
    await runs.claim(run.id, "boot-1")
    await runs.finish(run.id, RunStatus.CANCELLED, owner="boot-2")
    assert (await runs.get(run.id)).owner == "boot-1"


@pytest.mark.parametrize("left_by", ["boot-1", None])
async def test_only_one_of_many_takes_an_outcome_over(
    database: Database, run: Run, left_by: str | None
) -> None:
    runs = Runs(database)
    await runs.finish(run.id, RunStatus.FINISHED, owner=left_by)
    names = [f"boot-{number}" for number in range(2, 12)]
    won = await asyncio.gather(*(runs.take_over(run.id, name, left_by=left_by) for name in names))
    assert [name for name, mine in zip(names, won, strict=True) if mine] == [(await runs.get(run.id)).owner]


async def test_neither_an_unfinished_run_nor_a_delivered_one_is_taken_over(
    database: Database, run: Run
) -> None:
    runs = Runs(database)
    await runs.claim(run.id, "boot-1")
    assert not await runs.take_over(run.id, "boot-2", left_by="boot-1")
    await runs.finish(run.id, RunStatus.FINISHED)
    await runs.delivered(run.id)
    assert not await runs.take_over(run.id, "boot-2", left_by="boot-1")
