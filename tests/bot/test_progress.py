import asyncio

import pytest

from agent.events import ModelCalled, PlanChanged, Role, RunEvent, RunFinished
from bot.chat import Message, MessageKind, MessageRef, Pace
from bot.errors import ChatBusy, ChatError, ChatGone
from bot.progress import Pacer, Progress
from bot.texts import Language, texts
from tests.bot.fakes import HERE, PLAN, FakeChat

SLOW = Pace(gap=3, heartbeat=15)
PLANNED = PlanChanged(run_id="r", plan=PLAN)
DONE = RunFinished(run_id="r", answer="")


def called(tokens: int) -> RunEvent:
    return ModelCalled(
        run_id="r",
        todo_id=None,
        role=Role.ORCHESTRATOR,
        input_tokens=tokens,
        output_tokens=0,
        cached_tokens=0,
        seconds=0,
    )


def progress(chat: FakeChat) -> Progress:
    return Progress(chat, HERE, texts(Language.ENGLISH), run_id="r", clock=lambda: 0.0)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("pacer", "changed", "wait"),
    [
        (Pacer(pace=SLOW), True, 0),
        (Pacer(pace=SLOW), False, None),
        (Pacer(pace=SLOW, last=99), True, 2),
        (Pacer(pace=SLOW, last=90), True, 0),
        (Pacer(pace=SLOW, last=90), False, 5),
        (Pacer(pace=Pace(gap=3, heartbeat=None), last=90), False, None),
        (Pacer(pace=SLOW, last=90, not_before=130), True, 30),
    ],
)
def test_a_frame_is_due_after_the_gap_or_at_the_heartbeat(
    pacer: Pacer, changed: bool, wait: float | None
) -> None:
    assert pacer.wait(100, changed=changed) == wait


async def test_a_run_without_events_leaves_no_message() -> None:
    chat = FakeChat(gait=SLOW)
    async with progress(chat):
        await settle()
    assert chat.messages == {}


async def test_one_message_is_posted_and_then_only_edited() -> None:
    chat = FakeChat()
    async with progress(chat) as shown:
        for event in (PLANNED, called(1), called(2)):
            shown.update(event)
            await settle()
        shown.update(DONE)
    assert len(chat.messages) == 1
    assert [m.kind for m in chat.messages["1"]] == [MessageKind.PROGRESS] * 3 + [MessageKind.SETTLED]


async def test_changes_within_the_gap_become_one_frame_and_the_newest_wins() -> None:
    chat = FakeChat(gait=SLOW)
    async with progress(chat) as shown:
        shown.update(PLANNED)
        await settle()
        for tokens in range(1, 50):
            shown.update(called(tokens))
            await settle()
        shown.update(DONE)
    footers = [message.footer for message in chat.messages["1"]]
    assert len(footers) == 2
    assert "1,225 tokens" in footers[-1]


async def test_an_identical_frame_is_not_sent() -> None:
    chat = FakeChat()
    async with progress(chat) as shown:
        for _ in range(3):
            shown.update(PLANNED)
            await settle()
    assert len(chat.messages["1"]) == 1


async def test_flood_control_pauses_frames_and_posts_nothing_new() -> None:
    chat = FakeChat()
    async with progress(chat) as shown:
        shown.update(PLANNED)
        await settle()
        chat.trouble.append(ChatBusy(0.05))
        for tokens in (1, 2, 3):
            shown.update(called(tokens))
            await settle()
        assert len(chat.messages["1"]) == 1
        shown.update(DONE)
    assert len(chat.messages) == 1
    assert chat.messages["1"][-1].kind is MessageKind.SETTLED


@pytest.mark.parametrize("fault", [ChatError("500"), RuntimeError("a bug of the adapter")])
async def test_what_a_platform_does_never_reaches_the_run(fault: Exception) -> None:
    chat = FakeChat(trouble=[fault])
    async with progress(chat) as shown:
        shown.update(PLANNED)
        await settle()
        shown.update(DONE)
    assert chat.last[0].kind is MessageKind.SETTLED


async def test_a_chat_that_is_gone_is_not_asked_again() -> None:
    class Gone(FakeChat):
        asked = 0

        async def edit(self, ref: MessageRef, message: Message) -> None:
            del ref, message
            self.asked += 1
            raise ChatGone

    chat = Gone()
    async with progress(chat) as shown:
        shown.update(PLANNED)
        await settle()
        for tokens in (1, 2, 3):
            shown.update(called(tokens))
            await settle()
    assert chat.asked == 1


async def test_the_last_frame_comes_after_an_edit_that_is_under_way() -> None:
    class Slow(FakeChat):
        async def edit(self, ref: MessageRef, message: Message) -> None:
            await asyncio.sleep(0.02 if message.kind is MessageKind.PROGRESS else 0)
            await super().edit(ref, message)

    chat = Slow()
    async with progress(chat) as shown:
        shown.update(PLANNED)
        await settle()
        shown.update(called(1))
        await settle()
        shown.update(DONE)
    assert [m.kind for m in chat.messages["1"]][-2:] == [MessageKind.PROGRESS, MessageKind.SETTLED]


async def test_the_heartbeat_moves_the_clock_on() -> None:
    now = [0.0]
    chat = FakeChat(gait=Pace(gap=0, heartbeat=0.01))
    async with Progress(chat, HERE, texts(Language.ENGLISH), run_id="r", clock=lambda: now[0]) as shown:
        shown.update(PLANNED)
        await settle()
        now[0] = 30.0
        await asyncio.sleep(0.05)
        assert "0:30" in chat.last[0].footer


async def test_the_last_frame_is_given_up_when_the_platform_wants_a_long_rest() -> None:
    chat = FakeChat()
    async with progress(chat) as shown:
        shown.update(PLANNED)
        await settle()
        chat.trouble.append(ChatBusy(10_000))
        shown.update(called(1))
        await settle()
        shown.update(DONE)
    assert len(chat.messages["1"]) == 1
