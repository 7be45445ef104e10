from collections.abc import AsyncGenerator

import pytest

from bot.buttons import Action, Buttons
from bot.chat import ChatRef
from bot.settings import Settings
from storage.records import Run, RunStatus
from tests.bot.fakes import HERE, FakeAccess, FakeChat
from tests.bot.line import BEN, Line, busy, open_line


@pytest.fixture
async def line(settings: Settings) -> AsyncGenerator[Line]:
    async with open_line(settings, FakeChat(), FakeAccess()) as opened:
        yield opened


async def failed(line: Line) -> Run:
    run = await busy(line)
    await line.press(button(line, Action.CANCEL, run.id))
    return (await line.finished())[0]


def button(line: Line, action: Action, subject: str, choice: str = "") -> str:
    return line.intake.presses.buttons.button(HERE, "x", action, subject, choice).data


async def test_a_run_at_work_can_be_cancelled_by_who_asked_and_by_an_admin(line: Line) -> None:
    run = await busy(line)
    data = button(line, Action.CANCEL, run.id)
    assert await line.press(data, by=BEN) == "Only the person who asked can do that."
    line.access.admins = {"ben"}
    assert await line.press(data, by=BEN) == "Cancelling…"
    (ended,) = await line.finished()
    assert ended.status is RunStatus.CANCELLED
    assert await line.press(data) == "That is over already."


async def test_a_button_that_is_forged_foreign_or_of_a_forgotten_run_does_nothing(line: Line) -> None:
    run = await busy(line)
    genuine = button(line, Action.CANCEL, run.id)
    for data in (
        "",
        "cancel",
        genuine[:-1] + "_",
        Buttons(b"x").button(HERE, "x", Action.CANCEL, run.id).data,
    ):
        assert await line.press(data) == "This button does not work any more."
    assert await line.press(genuine, chat=ChatRef("fake", "8")) == "This button does not work any more."
    assert await line.press(button(line, Action.CANCEL, "r0")) == "That is over already."
    assert (await line.app.store.runs.get(run.id)).status is RunStatus.RUNNING
    assert await line.waits() == 0


async def test_retry_makes_a_new_run_of_a_failed_one_once(line: Line) -> None:
    await line.say("look", line.file("a.csv"))
    await line.finished()
    run = await failed(line)
    run = (await line.runs())[1]
    line.agent.gate = None
    data = button(line, Action.RETRY, run.id)
    assert await line.press(data) == "Trying again…"
    assert await line.press(data) == "I have tried this again already."
    again = (await line.finished())[-1]
    assert (again.repeats, again.request, again.status) == (run.id, run.request, RunStatus.FINISHED)
    assert (again.inputs, again.sender) == (run.inputs, run.sender)
    assert line.chat.messages[again.progress_message or ""][0].text == "Trying again…"
    assert await line.waits() == 0


async def test_what_went_well_or_goes_on_is_not_tried_again(line: Line) -> None:
    await line.say("look")
    (run,) = await line.finished()
    assert await line.press(button(line, Action.RETRY, run.id)) == "That is over already."
    assert len(await line.runs()) == 1


async def test_a_retry_behind_another_run_says_its_place(line: Line) -> None:
    run = await failed(line)
    line.agent.working.clear()
    await busy(line)
    await line.press(button(line, Action.RETRY, run.id))
    again = (await line.runs())[-1]
    assert line.shown(again).text == "Got it. One other run comes first, then yours."


async def test_an_answer_to_a_question_that_was_never_asked_is_over(line: Line) -> None:
    run = await busy(line)
    assert await line.press(button(line, Action.ANSWER, run.id, "0")) == "That is over already."
