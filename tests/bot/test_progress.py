import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from agent.events import ModelCalled, PlanChanged, Role, RunEvent, RunFinished
from bot.chat import Button, ChatRef, Message, MessageKind, MessageRef, Pace
from bot.errors import ChatBusy, ChatError, ChatGone, ChatUncertain, MessageGone
from bot.holds import Holds
from bot.progress import Pacer, Progress
from bot.timing import Timing
from storage.records import ConversationId, Run, RunId, RunStatus, Usage, utc_now
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


@dataclass
class Kept:
    """What the store was asked to remember."""

    messages: list[str] = field(default_factory=list[str])
    settled: bool = False

    async def show_progress_in(self, run_id: RunId, message: str) -> None:
        del run_id
        self.messages.append(message)

    async def progress_settled(self, run_id: RunId) -> None:
        del run_id
        self.settled = True


RUN = Run(
    id=RunId("r"),
    conversation_id=ConversationId("c"),
    request="",
    language="en",
    inputs=(),
    status=RunStatus.RUNNING,
    created_at=utc_now(),
    started_at=None,
    finished_at=None,
    answer=None,
    failure=None,
    failure_detail=None,
    usage=Usage(),
    attempt=1,
    owner=None,
    delivered_at=None,
)


def progress(
    chat: FakeChat,
    run: Run = RUN,
    *,
    kept: Kept | None = None,
    holds: Holds | None = None,
    cancel: Button | None = None,
    clock: Callable[[], float] = lambda: 0.0,
) -> Progress:
    return Progress(
        chat,
        HERE,
        run,
        notes=kept or Kept(),
        holds=holds or Holds(),
        cancel=cancel,
        timing=Timing(monotonic=clock),
    )


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
        (Pacer(pace=SLOW, last=90, failures=4), True, 6),
        (Pacer(pace=SLOW, last=90, failures=10), False, 50),
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
    async with progress(chat, clock=lambda: now[0]) as shown:
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


async def test_a_message_that_acknowledged_the_request_is_edited_and_no_other_posted() -> None:
    chat, kept = FakeChat(), Kept()
    ack = await chat.post(HERE, Message(text="Got it."))
    async with progress(chat, replace(RUN, progress_message=ack.message), kept=kept) as shown:
        shown.update(PLANNED)
        await settle()
        shown.update(DONE)
    assert len(chat.messages) == 1
    assert (kept.messages, kept.settled) == ([], True)


async def test_a_message_of_its_own_replies_to_the_request_and_is_remembered() -> None:
    chat, kept = FakeChat(), Kept()
    async with progress(chat, replace(RUN, request_message="77"), kept=kept) as shown:
        shown.update(PLANNED)
        await settle()
    assert chat.replies == {"1": "77"}
    assert kept.messages == ["1"]
    assert not kept.settled


async def test_a_deleted_message_is_posted_anew_once() -> None:
    class Deleting(FakeChat):
        async def edit(self, ref: MessageRef, message: Message) -> None:
            raise MessageGone

    chat, kept = Deleting(), Kept()
    async with progress(chat, replace(RUN, progress_message="9"), kept=kept) as shown:
        for tokens in (1, 2, 3):
            shown.update(called(tokens))
            await settle()
        shown.update(DONE)
    assert len(chat.messages) == 1
    assert kept.messages == ["1"]


async def test_the_last_frame_is_one_line_without_a_button() -> None:
    chat, cancel = FakeChat(), Button("Cancel", "c")
    async with progress(chat, cancel=cancel) as shown:
        shown.update(PLANNED)
        await settle()
        shown.update(DONE)
    first, *_, last = chat.messages["1"]
    assert first.buttons == ((cancel,),)
    assert (last.buttons, last.text, last.footer) == ((), "✓ Done · 0 of 2 steps · 0:00", "")


async def test_a_run_that_pauses_says_so_and_is_not_settled() -> None:
    chat, kept = FakeChat(), Kept()
    async with progress(chat, kept=kept) as shown:
        shown.update(PLANNED)
        await settle()
        shown.pause()
    assert chat.texts == ["‖ Interrupted, will go on at the next start · 0 of 2 steps · 0:00"]
    assert not kept.settled


async def test_a_chat_that_wants_a_rest_gets_it_from_all_its_runs_and_other_chats_none() -> None:
    chat, holds = FakeChat(), Holds(clock=lambda: 0.0)
    async with progress(chat, holds=holds) as one, progress(chat, holds=holds) as other:
        one.update(PLANNED)
        await settle()
        chat.trouble.append(ChatBusy(1000))
        one.update(called(1))
        await settle()
        other.update(PLANNED)
        await settle()
        assert len(chat.messages) == 1
        assert not chat.trouble
    assert holds.left(ChatRef("fake", "7", "a thread of it")) == 1000
    assert holds.left(ChatRef("fake", "8")) == 0


async def test_frames_that_may_not_have_arrived_come_with_growing_gaps() -> None:
    class Lost(FakeChat):
        tries: tuple[float, ...] = ()

        async def edit(self, ref: MessageRef, message: Message) -> None:
            self.tries = (*self.tries, now[0])
            raise ChatUncertain

    now = [0.0]
    chat = Lost()
    async with progress(chat, replace(RUN, progress_message="1"), clock=lambda: now[0]) as shown:
        for second in range(100):
            now[0] = float(second)
            shown.update(called(1))
            await settle()
        assert chat.tries == (0, 2, 6, 14, 30, 62)


async def test_a_resumed_run_counts_from_its_first_attempt() -> None:
    chat = FakeChat()
    async with Progress(
        chat, HERE, RUN, notes=Kept(), holds=Holds(), elapsed=60, timing=Timing(monotonic=lambda: 5.0)
    ) as shown:
        shown.update(PLANNED)
        await settle()
    assert "1:00" in chat.messages["1"][0].footer
