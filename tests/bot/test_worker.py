"""What a run's chat was told is noted, so that the next start tells the rest."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agent.events import FailureReason, RunFailed, RunFinished
from bot.app import open_app
from bot.chat import MessageKind
from bot.delivery.delivery import Delivery
from bot.errors import ChatBusy, ChatGone, ChatUnreachable
from bot.timing import Timing
from bot.worker import ChatWorker
from storage.errors import DiskFull
from storage.records import Run, RunId, RunStatus
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


def told(run: Run) -> RunFinished:
    return RunFinished(run_id=run.id, answer=run.answer or "")


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110  # what it waits for has no event of its own
            await asyncio.sleep(0.005)


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


async def test_an_answer_waits_for_a_disk_that_is_full_but_a_failure_is_told_once(rig: Rig) -> None:
    pauses: list[float] = []

    class Full(Delivery):
        def __init__(self) -> None:
            self.tries = 0

        async def deliver(self, *_: Any, **__: Any) -> None:
            self.tries += 1
            if self.tries <= 3:
                raise DiskFull

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    def worker(delivery: Delivery) -> ChatWorker:
        return ChatWorker(
            agent=rig.agent,
            conversations=rig.store.conversations,
            runs=rig.store.runs,
            delivery=delivery,
            adapters={"fake": rig.chat},
            stopping=rig.app.stopping,
            timing=Timing(sleep=sleep),
        )

    run = await rig.ask("Explore")
    answer, failure = Full(), Full()
    await worker(answer).deliver(run, told(run))
    assert (answer.tries, pauses) == (4, [1, 2, 4])
    await worker(failure).deliver(run, RunFailed(run_id=run.id, reason=FailureReason.STORAGE))
    assert failure.tries == 1


async def test_an_answer_that_a_crash_cut_off_comes_at_the_next_start_only(rig: Rig) -> None:
    run = await crash_while_answering(rig)
    assert (run.status, run.delivered_at) == (RunStatus.FINISHED, None)
    chat = await next_start(rig)
    assert [(message.kind, message.text) for message in chat.last] == [(MessageKind.ANSWER, "**42** it is.")]
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
    stopped = reason is FailureReason.CANCELLED  # by somebody who knows
    assert message.kind is (MessageKind.NOTICE if stopped else MessageKind.FAILURE)
    assert message.text.startswith(words)


async def test_what_a_platform_did_not_take_is_tried_again(rig: Rig) -> None:
    await crash_while_answering(rig)
    assert (await next_start(rig, ChatUnreachable("502"))).texts == ["**42** it is."]
    assert (await next_start(rig)).messages == {}


async def test_a_fault_of_the_store_leaves_the_outcome_to_the_next_start(rig: Rig) -> None:
    run = await crash_while_answering(rig)
    rig.chat.stuck_at = None
    await rig.app.worker.deliver(replace(run, id=RunId("unknown")), told(run))
    assert [found.id for found in await rig.store.runs.undelivered()] == [run.id]


async def test_what_did_not_arrive_is_sent_again_on_request_and_all_files_once_everything_has(
    rig: Rig,
) -> None:
    run = await rig.ask("Explore")
    await made(rig, run, "deck.pptx", b"deck")
    for times in (1, 2):
        assert await rig.app.worker.resend(run, told(run)) == 1
        await until(lambda times=times: len(rig.chat.files) == times)
    assert [message.kind for message in rig.chat.last] == [MessageKind.SETTLED, MessageKind.ANSWER]


async def test_an_answer_that_could_not_be_told_comes_on_request(rig: Rig) -> None:
    run = await crash_while_answering(rig)
    chat = await next_start(rig, ChatGone("blocked"))
    assert chat.messages == {}
    rig.chat.stuck_at = None
    await rig.app.worker.resend(run, told(run))
    await until(lambda: rig.chat.texts[-1] == "**42** it is.")


async def test_sending_again_goes_on_after_the_end_of_the_process(rig: Rig) -> None:
    run = await rig.ask("Explore")
    await made(rig, run, "deck.pptx", b"deck")
    rig.chat.trouble.append(ChatBusy(0.05))
    await rig.app.worker.resend(run, told(run))
    await until(lambda: not rig.chat.trouble)
    await rig.app.worker.close()
    assert rig.chat.files == []
    await rig.app.worker.recover()
    await until(lambda: rig.chat.files != [])
    await rig.app.worker.close()
    assert [file.name for file in rig.chat.files] == ["deck.pptx"]


async def test_where_nobody_is_left_to_tell_it_is_not_tried_again(rig: Rig) -> None:
    await crash_while_answering(rig)
    assert (await next_start(rig, ChatGone("blocked"))).messages == {}
    assert (await next_start(rig)).messages == {}
