"""What a platform told us is kept once, until it has become a run or been answered."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from storage.database import Database
from storage.inbox import Inbox
from storage.mail import InboxEntry, InboxId
from storage.records import Run
from storage.runs import Runs

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


async def put(inbox: Inbox, event: str, **changes: str | None) -> InboxEntry | None:
    facts = {"chat": "7", "kind": "incoming", "said": None} | changes
    return await inbox.put(
        "telegram",
        event,
        chat=str(facts["chat"]),
        kind=str(facts["kind"]),
        payload={"text": "строки\0", "files": ["a"]},
        said=facts["said"],
    )


async def kept(inbox: Inbox, event: str, **changes: str | None) -> InboxId:
    entry = await put(inbox, event, **changes)
    assert entry is not None
    return entry.id


async def test_an_event_waits_with_all_that_was_told(database: Database) -> None:
    inbox = Inbox(database, lambda: NOON)
    entry = await put(inbox, "bot:1")
    assert entry is not None
    assert (entry.platform, entry.chat, entry.kind, entry.received_at) == ("telegram", "7", "incoming", NOON)
    assert entry.payload == {"text": "строки\N{REPLACEMENT CHARACTER}", "files": ["a"]}
    assert await inbox.waiting() == (entry,)


async def test_of_many_tellings_of_one_event_one_is_kept(database: Database) -> None:
    inbox = Inbox(database)
    told = await asyncio.gather(*(put(inbox, "bot:1") for _ in range(8)))
    assert sum(entry is not None for entry in told) == 1
    assert len(await inbox.waiting()) == 1


async def test_what_was_said_is_known_again_under_another_number(database: Database) -> None:
    inbox = Inbox(database)
    assert await put(inbox, "bot:1", said="7/30") is not None
    assert await put(inbox, "bot:900", said="7/30") is None
    assert await put(inbox, "bot:901", said="7/31") is not None


async def test_another_platform_may_use_the_same_names(database: Database) -> None:
    inbox = Inbox(database)
    for platform in ("telegram", "slack"):
        entry = await inbox.put(platform, "1", chat="7", kind="incoming", payload={}, said="7/30")
        assert entry is not None


async def test_events_without_a_name_are_all_kept(database: Database) -> None:
    inbox = Inbox(database)
    assert await put(inbox, "") is not None
    assert await put(inbox, "") is not None


async def test_a_second_telling_is_known_after_the_first_was_done(database: Database) -> None:
    inbox = Inbox(database)
    await inbox.done([await kept(inbox, "bot:1")])
    assert await put(inbox, "bot:1") is None
    assert await inbox.waiting() == ()


async def test_entries_wait_in_the_order_of_arrival(database: Database) -> None:
    inbox = Inbox(database)
    ids = [await kept(inbox, f"bot:{number}") for number in (9, 3, 5)]
    await inbox.done(ids[1:2])
    assert [entry.id for entry in await inbox.waiting()] == [ids[0], ids[2]]


async def test_the_message_that_acknowledges_is_remembered(database: Database) -> None:
    inbox = Inbox(database)
    ids = [await kept(inbox, f"bot:{number}") for number in range(3)]
    await inbox.acknowledged(ids[:2], "55")
    assert [entry.reply for entry in await inbox.waiting()] == ["55", "55", None]


async def test_a_run_takes_what_it_is_made_of_out_of_the_inbox_with_its_own_row(
    database: Database, run: Run
) -> None:
    inbox = Inbox(database)
    ids = [await kept(inbox, f"bot:{number}") for number in range(3)]
    await Runs(database).create(run.conversation_id, "go", language="en", consumes=ids[:2])
    assert [entry.id for entry in await inbox.waiting()] == ids[2:]


async def test_a_run_that_could_not_be_stored_leaves_its_messages_waiting(
    database: Database, run: Run
) -> None:
    inbox = Inbox(database)
    entry = await kept(inbox, "bot:1")
    with pytest.raises(Exception, match="UNIQUE"):
        await Runs(database).create(run.conversation_id, "go", language="en", run_id=run.id, consumes=[entry])
    assert [waiting.id for waiting in await inbox.waiting()] == [entry]


async def test_only_what_was_done_long_ago_is_forgotten(database: Database) -> None:
    now = NOON
    inbox = Inbox(database, lambda: now)
    first, second, _ = [await kept(inbox, f"bot:{number}") for number in range(3)]
    await inbox.done([first])
    now += timedelta(days=2)
    await inbox.done([first, second])  # the first stays done since yesterday
    assert await inbox.prune(NOON + timedelta(days=1)) == 1
    assert await put(inbox, "bot:0") is not None
    assert await put(inbox, "bot:1") is None


async def test_no_number_is_given_twice(database: Database) -> None:
    """An old button could otherwise stand for a new message."""
    inbox = Inbox(database)
    last = await kept(inbox, "bot:1")
    await inbox.done([last])
    await inbox.prune(datetime(2100, 1, 1, tzinfo=UTC))
    assert await kept(inbox, "bot:2") > last
