"""An agent that plays a script of events, and a chat that remembers what it was told."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from inspect import isawaitable

from agent.events import PlanChanged, RunEvent, RunFailed, RunFinished, RunStarted, TodoFinished, TodoStarted
from agent.plan import Plan, Todo, TodoStatus
from bot.access import Knock, Verdict
from bot.chat import (
    Attachment,
    ChatRef,
    Delivered,
    Incoming,
    Joined,
    Message,
    MessageKind,
    MessageRef,
    OnEvent,
    Pace,
    Press,
    Sender,
)
from bot.errors import MessageGone, Refused
from storage.records import RunId, RunStatus
from storage.runs import Runs

PLAN = Plan(todos=(Todo(id="look", title="Look at the data"), Todo(id="deck", title="Make the deck")))
HERE = ChatRef("fake", "7")
ANN = Sender(id="ann", name="Ann")

Step = RunEvent | Callable[[], object]
"""An event to yield, or something to wait for or raise."""


def usual(run_id: RunId) -> list[Step]:
    return [
        RunStarted(run_id=run_id, request="", files=(), model="fake"),
        PlanChanged(run_id=run_id, plan=PLAN),
        TodoStarted(run_id=run_id, todo_id="look", title="Look at the data"),
        TodoFinished(run_id=run_id, todo_id="look", status=TodoStatus.DONE, notes=""),
        RunFinished(run_id=run_id, answer="**42** it is."),
    ]


@dataclass
class FakeAgent:
    """Honours the contract of `Agent`: claims, records how the run ended, and cancels with its reader."""

    runs: Runs
    owner: str = "here:1:1"
    script: Callable[[RunId], Sequence[Step]] = usual
    began: list[RunId] = field(default_factory=list[RunId])
    gate: asyncio.Event | None = None
    """When given, every run waits for it after its first event."""
    stopping: asyncio.Event | None = None
    clearing: asyncio.Event | None = None
    """When given, clearing up waits for it."""
    working: asyncio.Event = field(default_factory=asyncio.Event)
    """Set by the first run that begins."""

    async def run(self, run_id: RunId) -> AsyncGenerator[RunEvent]:
        left_by = (await self.runs.get(run_id)).owner
        if await self.runs.claim(run_id, self.owner, left_by=left_by) is None:
            return
        self.began.append(run_id)
        self.working.set()
        ended = False
        try:
            for step in self.script(run_id):
                if callable(step):
                    waited_for = step()
                    if isawaitable(waited_for):
                        await waited_for
                    continue
                if isinstance(step, RunFailed):
                    status = RunStatus.CANCELLED if step.reason == "cancelled" else RunStatus.FAILED
                    await self.runs.finish(run_id, status, failure=step.reason, failure_detail=step.detail)
                    ended = True
                if isinstance(step, RunFinished):
                    if self.gate is not None:
                        await self.gate.wait()
                    await self.runs.finish(run_id, RunStatus.FINISHED, answer=step.answer)
                    ended = True
                yield step
        finally:
            goes_on = self.stopping is not None and self.stopping.is_set()
            if self.clearing is not None:
                await self.clearing.wait()
            if not ended and not goes_on:
                await self.runs.finish(run_id, RunStatus.CANCELLED, failure="cancelled")


@dataclass
class FakeChat:
    """A platform whose messages can be read back; `trouble` is raised by the next posts and edits."""

    platform: str = "fake"
    gait: Pace = field(default_factory=lambda: Pace(gap=0.0, heartbeat=None))
    messages: dict[str, list[Message]] = field(default_factory=dict[str, list[Message]])
    """By id, every version of each."""
    files: list[Delivered] = field(default_factory=list[Delivered])
    uploads: dict[str, bytes] = field(default_factory=dict[str, bytes])
    trouble: list[Exception] = field(default_factory=list[Exception])
    page_length: int = 4096
    seen: list[MessageRef] = field(default_factory=list[MessageRef])
    """Messages of people that were reacted to."""
    toasts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The handle of each press that was answered, and the words."""
    abandoned: list[ChatRef] = field(default_factory=list[ChatRef])
    stuck_at: MessageKind | None = None
    """A post or an edit of this kind never comes to its end."""
    lasting: bool = True
    replies: dict[str, str] = field(default_factory=dict[str, str])
    """By id, the message that each replies to."""
    fetch_trouble: list[Exception] = field(default_factory=list[Exception])
    """Raised by the next fetches."""
    places: dict[str, ChatRef] = field(default_factory=dict[str, ChatRef])
    """Where each message was posted."""

    def __post_init__(self) -> None:
        self.spoke = asyncio.Event()
        """Set by the first message."""
        self.stuck = asyncio.Event()
        """Set by a call that does not end."""

    def pace(self, chat: ChatRef) -> Pace:
        del chat
        return self.gait

    async def serve(self, on_event: OnEvent) -> None:
        del on_event

    async def post(
        self, chat: ChatRef, message: Message, *, reply_to: MessageRef | None = None
    ) -> MessageRef:
        self._fail()
        await self._stick(message)
        ref = MessageRef(chat, str(len(self.messages) + 1))
        self.messages[ref.message] = [message]
        if reply_to is not None:
            self.replies[ref.message] = reply_to.message
        self.places[ref.message] = chat
        self.spoke.set()
        return ref

    async def edit(self, ref: MessageRef, message: Message) -> None:
        self._fail()
        await self._stick(message)
        if ref.message not in self.messages:
            raise MessageGone
        self.messages[ref.message].append(message)

    def pages(self, message: Message) -> int:
        return max(1, -(-len(message.text) // self.page_length))

    def parcels(self, files: Sequence[Delivered]) -> tuple[tuple[Delivered, ...], ...]:
        return (tuple(files),) if files else ()

    async def attach(
        self, chat: ChatRef, parcel: Sequence[Delivered], *, reply_to: MessageRef | None = None
    ) -> None:
        del chat, reply_to
        self._fail()
        self.files += parcel

    async def react(self, ref: MessageRef) -> None:
        self.seen.append(ref)

    async def toast(self, press: Press, text: str) -> None:
        self.toasts.append((press.handle, text))

    async def leave(self, chat: ChatRef) -> None:
        self.abandoned.append(chat)

    async def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        if self.fetch_trouble:
            raise self.fetch_trouble.pop(0)
        yield self.uploads[attachment.handle]

    def button(self, text: str) -> str:
        """What the newest button of these words carries."""
        return [
            button.data
            for message in self.last
            for row in message.buttons
            for button in row
            if button.text == text
        ][-1]

    def send(self, name: str, content: bytes, size: int | None = None) -> Attachment:
        self.uploads[name] = content
        return Attachment(name=name, handle=name, size=len(content) if size is None else size)

    @property
    def last(self) -> list[Message]:
        """Every message as it now stands."""
        return [versions[-1] for versions in self.messages.values()]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.last]

    async def _stick(self, message: Message) -> None:
        if message.kind is self.stuck_at:
            self.stuck.set()
            await asyncio.Event().wait()

    def _fail(self) -> None:
        if self.trouble:
            raise self.trouble.pop(0)


@dataclass
class FakeAccess:
    """Everybody may do everything, but those who are named here."""

    admins: set[str] = field(default_factory=set[str])
    strangers: set[str] = field(default_factory=set[str])
    denied: set[str] = field(default_factory=set[str])
    knocked: set[str] = field(default_factory=set[str])
    code: str = ""
    refusal: Refused | None = None
    fault: Exception | None = None
    """Raised where a right is to be stored."""
    moves: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def judge(self, event: Incoming | Press | Joined) -> Verdict:
        who = event.sender.id
        if who in self.denied:
            return Verdict.DENIED
        if who in self.strangers:
            return Verdict.STRANGER
        return Verdict.ADMIN if who in self.admins else Verdict.ALLOWED

    async def admin(self, platform: str, sender: str) -> bool:
        del platform
        return sender in self.admins

    async def may_begin(self, chat: ChatRef, sender: str) -> None:
        del chat, sender
        if self.refusal is not None:
            raise self.refusal

    async def pair(self, incoming: Incoming) -> bool:
        if not self.code or self.code not in incoming.text:
            return False
        self.strangers.discard(incoming.sender.id)
        self.admins.add(incoming.sender.id)
        return True

    @asynccontextmanager
    async def beginning(self, chat: ChatRef, sender: str) -> AsyncGenerator[None]:
        await self.may_begin(chat, sender)
        yield

    async def knock(self, event: Incoming | Press) -> Knock | None:
        who = event.sender.id
        if who in self.knocked:
            return None
        self.knocked.add(who)
        return Knock("access-stranger")

    async def joined(self, event: Joined) -> bool:
        if self.fault is not None:
            raise self.fault
        return event.sender.id in self.admins

    async def moved(self, platform: str, old: str, new: str) -> None:
        del platform
        self.moves.append((old, new))
