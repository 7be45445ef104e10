"""What runs have used is told by person, by chat with its threads, and by time."""

from datetime import UTC, datetime, timedelta

from storage.conversations import Conversations
from storage.database import Database
from storage.records import Run, RunStatus, Usage
from storage.runs import Runs
from storage.spending import Spending

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


async def ask(database: Database, clock: Clock, key: str, sender: str, tokens: int = 0) -> Run:
    conversation = await Conversations(database).get_or_create("telegram", key)
    runs = Runs(database, clock)
    run = await runs.create(conversation.id, "go", language="en", sender=sender)
    await runs.add_usage(run.id, Usage(input_tokens=tokens, output_tokens=1, cached_tokens=tokens // 2))
    return run


async def test_a_person_has_spent_what_their_runs_in_all_chats_have(database: Database) -> None:
    clock = Clock()
    await ask(database, clock, "5", "5", 100)
    clock.now += timedelta(hours=1)
    await ask(database, clock, "-1/3", "5", 10)
    await ask(database, clock, "-1", "6", 1)
    spent = await Spending(database).since("telegram", NOON, person="5")
    assert [(one.at, one.sender, one.tokens, one.cached_tokens) for one in spent] == [
        (NOON, "5", 101, 50),
        (NOON + timedelta(hours=1), "5", 11, 5),
    ]
    assert len(await Spending(database).since("telegram", NOON + timedelta(hours=1), person="5")) == 1
    assert await Spending(database).since("slack", NOON, person="5") == ()


async def test_a_chat_has_spent_what_was_asked_in_its_threads_and_no_other_chat_has(
    database: Database,
) -> None:
    clock = Clock()
    for key in ("-1", "-1/3", "-12", "-12/3", "_1", "x1"):
        await ask(database, clock, key, "5")
    spending = Spending(database)
    assert len(await spending.since("telegram", NOON, chat="-1")) == 2
    assert len(await spending.since("telegram", NOON, chat="_1")) == 1
    assert len(await spending.since("telegram", NOON, chat="-1", person="6")) == 0


async def test_what_waits_and_works_is_counted_until_it_has_ended(database: Database) -> None:
    clock = Clock()
    runs = [await ask(database, clock, "5", "5") for _ in range(3)]
    await Runs(database).claim(runs[0].id, "here")
    await Runs(database).finish(runs[1].id, RunStatus.FAILED)
    spending = Spending(database)
    assert await spending.unfinished("telegram", person="5") == 2
    assert await spending.unfinished("telegram", chat="5") == 2
    assert await spending.unfinished("telegram", person="6") == 0
