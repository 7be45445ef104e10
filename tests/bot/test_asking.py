import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.chat import ChatRef, MessageKind
from bot.dispatch import JobState
from bot.errors import ChatGone, ChatUnreachable
from bot.intake.wire import to_record
from bot.settings import Settings
from storage.mail import Question
from storage.questions import Questions
from storage.records import Run, RunId, utc_now
from tests.bot.fakes import FakeAccess, FakeChat
from tests.bot.line import BEN, Line, busy, open_line

OPTIONS = ("Net", "Gross")


@pytest.fixture
async def line(settings: Settings) -> AsyncGenerator[Line]:
    async with open_line(settings, FakeChat(), FakeAccess()) as opened:
        yield opened


async def ask(line: Line, run: Run) -> asyncio.Task[str | None]:
    """The agent asks; it is posted when this returns."""
    asking = line.app.asking.ask(run.id, "Net or gross?", OPTIONS, "I take net.")
    task = asyncio.create_task(asking)
    for _ in range(200):
        found = await line.app.asking.questions.of(run.id)
        if task.done() or (found is not None and found.message_id is not None):
            break
        await asyncio.sleep(0.005)
    return task


def question(line: Line) -> str:
    return next(m.text for m in line.chat.last if m.kind is MessageKind.QUESTION)


async def test_a_question_is_answered_with_a_button(line: Line) -> None:
    run = await busy(line)
    task = await ask(line, run)
    assert question(line).startswith("Net or gross?\n\nChoose, or answer in your own words.")
    data = line.chat.button("Gross")
    assert await line.press(data, by=BEN) == "Only the person who asked can do that."
    assert await line.press(data) == "Gross"
    assert await task == "Gross"
    assert question(line) == "Net or gross?\n\n→ Gross"
    assert await line.press(data) == "That is over already."


async def test_a_question_is_answered_in_words_which_are_no_request(line: Line) -> None:
    run = await busy(line)
    task = await ask(line, run)
    await line.say("theirs", by=BEN)
    said = await line.say("gross, but without March")
    assert await task == "gross, but without March"
    assert said.message in line.chat.seen
    await line.say("and then a deck")
    assert [item.request for item in await line.runs()] == ["keep busy", "theirs", "and then a deck"]
    assert await line.waits() == 0


async def test_a_file_is_no_answer(line: Line) -> None:
    task = await ask(line, await busy(line))
    await line.say("take this", line.file("a.csv"))
    assert not task.done()
    assert len(await line.runs()) == 2
    task.cancel()


async def test_without_an_answer_the_run_goes_on_with_its_assumption_and_says_so(line: Line) -> None:
    run = await busy(line)
    line.app.asking.minutes = 0.0
    assert await line.app.asking.ask(run.id, "Net or gross?", OPTIONS, "I take net.") is None
    assert question(line) == "Net or gross?\n\nNo answer came, so I go on with this: I take net."
    assert line.chat.last[-1].buttons == ()
    assert not await line.app.asking.answer(run.id, "Gross")


async def test_the_time_for_an_answer_counts_from_the_asking_also_over_a_restart(line: Line) -> None:
    run = await busy(line)
    task = await ask(line, run)
    task.cancel()
    later = replace(line.app.asking, clock=lambda: utc_now() + timedelta(minutes=4))
    assert await later.ask(run.id, "Net or gross?", OPTIONS, "I take net.") is None
    assert len([m for m in line.chat.last if m.kind is MessageKind.QUESTION]) == 1
    assert await later.ask(run.id, "Net or gross?", OPTIONS, "I take net.") is None


async def test_an_answer_that_came_before_a_crash_is_there_after_it(line: Line) -> None:
    run = await busy(line)
    (await ask(line, run)).cancel()
    await line.app.asking.answer(run.id, "Gross")
    assert await line.app.asking.ask(run.id, "Net or gross?", OPTIONS, "I take net.") == "Gross"


async def test_an_answer_that_comes_while_a_restarted_run_looks_for_it_is_heard(line: Line) -> None:
    class Slow(Questions):
        async def ask(self, run_id: RunId, text: str, options: Sequence[str], assumption: str) -> Question:
            found = await super().ask(run_id, text, options, assumption)
            await line.app.asking.answer(run_id, "Gross")
            return found

    run = await busy(line)
    (await ask(line, run)).cancel()
    asking = replace(line.app.asking, questions=Slow(line.app.store.database))
    async with asyncio.timeout(20):
        assert await asking.ask(run.id, "Net or gross?", OPTIONS, "I take net.") == "Gross"


async def test_words_that_were_taken_as_an_answer_before_a_crash_do_not_become_a_request(line: Line) -> None:
    run = await busy(line)
    (await ask(line, run)).cancel()
    await line.app.asking.answer(run.id, "Gross")
    kind, payload = to_record(line.said("Gross"))
    await line.inbox.put("fake", "x", chat="7", kind=kind, payload=payload)
    await line.intake.recover()
    await line.intake.tasks.idle()
    assert len(await line.runs()) == 1
    assert await line.waits() == 0


async def test_a_run_that_asks_gives_its_place_to_another_but_not_to_one_of_its_chat(
    line: Line,
) -> None:
    line.app.dispatcher.at_once = 1
    run = await busy(line)
    task = await ask(line, run)
    await line.say("elsewhere", chat=ChatRef("fake", "8"))
    await line.say("here", by=BEN)
    states = {item.run.request: item.state for item in line.app.dispatcher.standings()}
    assert states == {
        "keep busy": JobState.ASKING,
        "elsewhere": JobState.WORKING,
        "here": JobState.QUEUED,
    }
    await line.say("Net")
    assert await task == "Net"
    states = {item.run.request: item.state for item in line.app.dispatcher.standings()}
    assert states["keep busy"] is JobState.WORKING


async def test_a_question_that_cannot_be_posted_is_one_that_nobody_answers(line: Line) -> None:
    run = await busy(line)
    line.app.asking.minutes = 0.0
    line.chat.trouble = [ChatGone("blocked"), ChatGone("blocked")]
    assert await line.app.asking.ask(run.id, "Net or gross?", OPTIONS, "I take net.") is None


async def test_a_question_waits_for_a_platform_that_is_away_for_a_moment(line: Line) -> None:
    run = await busy(line)

    async def sleep(seconds: float) -> None:
        del seconds

    line.app.asking.sleep = sleep
    line.chat.trouble = [ChatUnreachable("502")] * 2
    task = await ask(line, run)
    assert question(line).startswith("Net or gross?")
    task.cancel()
