"""What is to be sent is settled once, each part has its receipt, and a reply leads back to its run."""

from datetime import UTC, datetime

import pytest

from storage.conversations import Conversations
from storage.database import Database
from storage.errors import NoSuchRun
from storage.mail import OutboxPart, OutboxState
from storage.outbox import Outbox, digest_of
from storage.questions import Questions
from storage.records import Run, RunId
from storage.runs import Runs

PARTS = (
    OutboxPart(kind="settle", payload={"text": "done"}),
    OutboxPart(kind="page", payload={"page": 0}),
    OutboxPart(kind="parcel", payload={"files": ["a.csv"]}),
)
LATER = datetime(2026, 1, 2, tzinfo=UTC)


async def another(database: Database, run: Run) -> Run:
    return await Runs(database).create(run.conversation_id, "again", language="en")


async def test_parts_are_kept_in_order_and_new(database: Database, run: Run) -> None:
    entries = await Outbox(database).plan(run.id, PARTS)
    assert [(entry.seq, entry.kind, entry.payload) for entry in entries] == [
        (0, "settle", {"text": "done"}),
        (1, "page", {"page": 0}),
        (2, "parcel", {"files": ["a.csv"]}),
    ]
    assert {(entry.state, entry.attempts, entry.next_at, entry.note) for entry in entries} == {
        (OutboxState.NEW, 0, None, "")
    }
    assert [entry.digest for entry in entries] == [digest_of(part) for part in PARTS]


async def test_what_is_settled_is_not_settled_again(database: Database, run: Run) -> None:
    outbox = Outbox(database)
    first = await outbox.plan(run.id, PARTS)
    await outbox.sent(first[0], "51")
    again = await outbox.plan(run.id, PARTS[:1])
    assert len(again) == 3
    assert (again[0].state, again[0].message_id) == (OutboxState.SENT, "51")


async def test_what_is_added_comes_after_what_is_settled(database: Database, run: Run) -> None:
    outbox = Outbox(database)
    assert [entry.seq for entry in await outbox.add(run.id, PARTS[:1])] == [0]
    added = await outbox.add(run.id, PARTS[1:])
    assert [(entry.seq, entry.kind) for entry in added] == [(1, "page"), (2, "parcel")]


async def test_only_a_run_that_exists_has_something_to_send(database: Database) -> None:
    with pytest.raises(NoSuchRun):
        await Outbox(database).plan(RunId("r0"), PARTS)
    with pytest.raises(NoSuchRun):
        await Outbox(database).add(RunId("r0"), PARTS)


async def test_each_receipt_says_how_it_went(database: Database, run: Run) -> None:
    outbox = Outbox(database)
    settle, page, parcel = await outbox.plan(run.id, PARTS)
    await outbox.sending(settle)
    await outbox.sending(settle)
    await outbox.put_off(settle, LATER)
    await outbox.unknown(page, "cut off")
    await outbox.dead(parcel, "too big")
    entries = await outbox.of(run.id)
    assert [(entry.state, entry.attempts, entry.next_at, entry.note) for entry in entries] == [
        (OutboxState.NEW, 2, LATER, ""),
        (OutboxState.UNKNOWN, 0, None, "cut off"),
        (OutboxState.DEAD, 0, None, "too big"),
    ]


async def test_what_was_on_its_way_at_a_crash_is_found_so(database: Database, run: Run) -> None:
    outbox = Outbox(database)
    entries = await outbox.plan(run.id, PARTS)
    await outbox.sending(entries[1])
    assert [entry.state for entry in await Outbox(database).of(run.id)] == [
        OutboxState.NEW,
        OutboxState.SENDING,
        OutboxState.NEW,
    ]


async def test_runs_with_something_left_to_send_are_found_oldest_first(database: Database, run: Run) -> None:
    outbox = Outbox(database)
    second, third = await another(database, run), await another(database, run)
    for each in (third, second, run):
        await outbox.plan(each.id, PARTS)
    for entry in await outbox.of(second.id):
        await outbox.sent(entry)
    first = await outbox.of(run.id)
    await outbox.sent(first[0])
    await outbox.unknown(first[1], "")
    assert await outbox.unfinished() == tuple(sorted((run.id, third.id)))
    await outbox.dead(first[2], "")
    assert await outbox.unfinished() == (third.id,)


async def test_a_reply_to_any_message_of_a_run_leads_to_it(database: Database) -> None:
    outbox, runs = Outbox(database), Runs(database)
    here = await Conversations(database).get_or_create("telegram", "7/3")
    run = await runs.create(here.id, "go", language="en", request_message="10", progress_message="11")
    page = (await outbox.plan(run.id, PARTS))[1]
    await outbox.sent(page, "12")
    questions = Questions(database)
    await questions.ask(run.id, "Which?", ["a"], "a")
    await questions.posted(run.id, "13")
    for message in ("10", "11", "12", "13"):
        assert await outbox.run_of("telegram", "7/3", message) == run.id
    assert await outbox.run_of("telegram", "7/3", "14") is None
    assert await outbox.run_of("telegram", "7", "12") is None
    assert await outbox.run_of("slack", "7/3", "12") is None


async def test_a_reply_to_a_request_that_was_repeated_leads_to_the_newest_run(database: Database) -> None:
    runs = Runs(database)
    here = await Conversations(database).get_or_create("telegram", "7")
    first = await runs.create(here.id, "go", language="en", request_message="10")
    second = await runs.create(here.id, "go", language="en", request_message="10", repeats=first.id)
    assert await Outbox(database).run_of("telegram", "7", "10") == max(first.id, second.id)


def test_a_digest_tells_parts_apart_and_not_the_order_of_their_facts() -> None:
    one = OutboxPart(kind="page", payload={"a": 1, "b": "\ud800"})
    assert digest_of(one) == digest_of(OutboxPart(kind="page", payload={"b": "\ud800", "a": 1}))
    assert digest_of(one) != digest_of(OutboxPart(kind="note", payload={"a": 1, "b": "\ud800"}))
    assert digest_of(one) != digest_of(OutboxPart(kind="page", payload={"a": 2, "b": "\ud800"}))
