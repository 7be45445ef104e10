"""What a run's chat was told is noted, so that the next start tells the rest."""

import pytest

from agent.events import FailureReason
from bot.app import open_app
from bot.chat import MessageKind
from bot.errors import ChatError, ChatGone
from storage.records import Run, RunStatus
from tests.bot.conftest import Rig
from tests.bot.fakes import FakeAgent, FakeChat
from tests.bot.test_delivery import made


async def next_start(rig: Rig, *trouble: Exception) -> FakeChat:
    """What the chat gets from a process that comes when those before it are dead."""
    for run in await rig.store.runs.undelivered():
        await rig.store.runs.take_over(run.id, "gone:1:1", left_by=run.owner)
    chat = FakeChat(trouble=[*trouble])
    async with open_app(
        rig.settings, {"fake": chat}, agent=FakeAgent(rig.store.runs, owner="next:1:1")
    ) as app:
        await app.dispatcher.recover()
        await app.dispatcher.idle()
    return chat


async def crash_while_answering(rig: Rig) -> Run:
    """The run is on record as finished, and the process gone before the chat had the answer."""
    rig.chat.stuck_at = MessageKind.ANSWER
    run = await rig.app.gateway.accept(rig.say("Explore"))
    await rig.chat.stuck.wait()
    await rig.app.dispatcher.close()
    return await rig.store.runs.get(run.id)


async def test_a_delivered_run_is_noted_and_never_told_again(rig: Rig) -> None:
    run = await rig.ask("Explore")
    assert run.finished_at is not None
    assert run.delivered_at is not None
    assert run.delivered_at >= run.finished_at
    assert (await next_start(rig)).messages == {}


async def test_an_answer_that_a_crash_cut_off_comes_with_its_files_at_the_next_start_only(rig: Rig) -> None:
    run = await crash_while_answering(rig)
    assert (run.status, run.delivered_at) == (RunStatus.FINISHED, None)
    await made(rig, run, "deck.pptx", b"deck")
    chat = await next_start(rig)
    assert [(message.kind, message.text) for message in chat.last] == [(MessageKind.ANSWER, "**42** it is.")]
    assert [file.name for file in chat.files] == ["deck.pptx"]
    assert (await next_start(rig)).messages == {}


@pytest.mark.parametrize(
    ("status", "reason", "words"),
    [
        (RunStatus.FAILED, FailureReason.MODEL, "The language model did not answer"),
        (RunStatus.CANCELLED, FailureReason.CANCELLED, "Stopped, as you wished."),
    ],
)
async def test_why_there_is_no_answer_is_told_at_the_next_start(
    rig: Rig, status: RunStatus, reason: FailureReason, words: str
) -> None:
    conversation = await rig.store.conversations.get_or_create("fake", "7")
    run = await rig.store.runs.create(conversation.id, "Explore", language="en")
    await rig.store.runs.finish(run.id, status, failure=reason, owner="gone:1:1")
    (message,) = (await next_start(rig)).last
    assert message.kind is MessageKind.FAILURE
    assert message.text.startswith(words)


async def test_what_a_platform_did_not_take_is_tried_again_at_the_next_start(rig: Rig) -> None:
    await crash_while_answering(rig)
    assert (await next_start(rig, ChatError("502"))).messages == {}
    assert (await next_start(rig)).texts == ["**42** it is."]


async def test_where_nobody_is_left_to_tell_it_is_not_tried_again(rig: Rig) -> None:
    await crash_while_answering(rig)
    assert (await next_start(rig, ChatGone("blocked"))).messages == {}
    assert (await next_start(rig)).messages == {}
