import asyncio
from collections.abc import AsyncGenerator

import pytest

from bot.chat import Incoming
from bot.errors import ChatUnreachable
from bot.intake.assembly import Patience
from bot.settings import Settings
from tests.bot.fakes import FakeAccess, FakeChat
from tests.bot.line import BEN, Line, busy, kill, open_line


@pytest.fixture
async def line(settings: Settings) -> AsyncGenerator[Line]:
    async with open_line(settings, FakeChat(), FakeAccess()) as opened:
        yield opened


def edit(line: Line, said: Incoming, text: str) -> Incoming:
    assert said.message is not None
    return line.said(text, *said.attachments, number=int(said.message.message), edited=True)


async def test_an_edit_while_the_request_is_gathered_counts(line: Line) -> None:
    line.intake.requests.patience = Patience(files=0.3, text=0.3, most=2.0)
    said = line.said("make a deck")
    await line.intake.receive(said)
    await line.tell(edit(line, said, "make a report"))
    (run,) = await line.finished()
    assert run.request == "make a report"
    assert await line.waits() == 0


async def test_a_caption_that_is_given_late_begins_the_request(line: Line) -> None:
    said = await line.say("", line.file("a.csv"))
    await line.tell(edit(line, said, "count the rows"))
    (run,) = await line.finished()
    assert (run.request, len(run.inputs)) == ("count the rows", 1)


async def test_an_edit_while_the_run_waits_changes_it_and_the_receipt_says_so(line: Line) -> None:
    await busy(line)
    sales, costs = line.said("sales", line.file("a.csv")), line.said("costs", line.file("b.csv"))
    await line.tell(sales, costs)
    await line.tell(edit(line, costs, "prices"))
    await line.tell(edit(line, sales, "revenue"))
    _, run = await line.runs()
    assert run.request == "revenue\nprices"
    assert (
        line.shown(run).text == "I have changed your request.\nGot it. One other run comes first, then yours."
    )
    await line.say("/status")
    assert "“revenue prices”" in line.chat.texts[-1]


async def test_an_edit_while_the_files_are_fetched_comes_in_time(line: Line) -> None:
    await busy(line)
    fetching, go = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        del seconds
        fetching.set()
        await go.wait()

    line.app.gateway.fetcher.sleep = sleep
    line.chat.fetch_trouble = [ChatUnreachable("down")]
    said = line.said("sales", line.file("a.csv"))
    await line.intake.receive(said)
    await fetching.wait()
    await line.intake.receive(edit(line, said, "costs"))
    go.set()
    await line.intake.tasks.idle()
    assert (await line.runs())[-1].request == "costs"


async def test_an_edit_that_comes_too_late_gets_one_short_notice(line: Line) -> None:
    await busy(line)
    said = await line.say("second", number=5)
    assert line.agent.gate is not None
    line.agent.gate.set()
    await line.finished()
    before = len(line.chat.messages)
    for number in range(3):
        await line.tell(edit(line, said, f"change {number}"))
    assert line.chat.texts[before:] == ["This is done already. Please send the change as a new message."]


async def test_an_edit_of_a_run_at_work_is_told_to_come_as_a_new_message(line: Line) -> None:
    run = await busy(line)
    await line.tell(line.said("other", number=int(run.request_message or 0), edited=True))
    assert line.chat.texts[-1].startswith("I am at work on this already")
    assert (await line.runs())[0].request == "keep busy"


@pytest.mark.parametrize("text", ["keep busy", "", "/cancel"])
async def test_an_edit_that_changes_nothing_is_passed_over(line: Line, text: str) -> None:
    run = await busy(line)
    before = list(line.chat.texts)
    await line.tell(line.said(text, number=int(run.request_message or 0), edited=True))
    await line.tell(line.said("never heard of", number=1, edited=True))
    await line.tell(line.said("not mine", number=2, edited=True, by=BEN))
    assert line.chat.texts == before
    assert await line.waits() == 0


async def test_an_edit_counts_after_a_crash_too(settings: Settings) -> None:
    chat, access = FakeChat(), FakeAccess()
    async with open_line(settings, chat, access) as before:
        before.intake.requests.patience = Patience(files=9.0, text=9.0, most=9.0)
        said = before.said("make a deck")
        await before.intake.receive(said)
        await before.intake.receive(edit(before, said, "make a report"))
        for _ in range(20):
            await asyncio.sleep(0)
        await kill(before)
    async with open_line(settings, chat, access) as after:
        await after.intake.recover()
        await after.intake.tasks.idle()
        (run,) = await after.finished()
        assert run.request == "make a report"
        assert await after.waits() == 0
