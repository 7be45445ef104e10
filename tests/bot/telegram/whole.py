"""The whole bot but for its agent, before a Bot API server; where it waits, time passes faster."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from agent.events import (
    ArtifactSaved,
    PlanChanged,
    RunEvent,
    RunFinished,
    RunStarted,
    TodoStarted,
    to_record,
)
from bot.app import App, open_app
from bot.holds import Holds
from bot.settings import Settings
from bot.stores import Store, open_store
from bot.telegram.adapter import Telegram, open_telegram
from bot.telemetry import open_log
from bot.timing import Timing
from storage.artifacts import put_bytes
from storage.mail import OutboxEntry
from storage.records import ArtifactKind, Run, RunId, RunStatus, utc_now
from tests.bot.fakes import PLAN, FakeAccess
from tests.bot.line import QUICK
from tests.bot.telegram.conftest import png
from tests.conftest import until
from tests.fakes.botapi import BotApi, Call, Chat, LiveChat, Post

SPEED = 50.0
"""How much faster pauses pass."""
DOCUMENT, LOST, PICTURES = "deck.pptx", "lost.csv", ("one.png", "two.png")
ANSWER = "The answer is 42."
WORKING = "Look at the data"
"""Only a frame of the progress message says so."""
LONG_ANSWER = "\n\n".join(f"{number}. {'word ' * 60}" for number in range(20)) + "\n\nThe end."
"""Two messages."""
ALL = sorted((*PICTURES, DOCUMENT))
DOUBT = "The connection broke off"
HEADLINE = "Your answer is ready."


@dataclass(frozen=True)
class At:
    """One call of a whole conversation: its method, and words that only it has."""

    name: str
    method: str
    about: str = ""
    files: tuple[str, ...] = ()
    """What it carries."""
    page: bool = False
    """It is one of a long answer."""

    @property
    def repeatable(self) -> bool:
        return not (self.files or self.page or self.name == "note")


ACK = At("acknowledgement", "sendMessage", "Got it.")
PROGRESS = At("progress", "editMessageText", WORKING)
SETTLE = At("last frame", "editMessageText", "✓ Done")
HEAD = At("headline", "sendMessage", HEADLINE)
FILL = At("answer", "editMessageText", ANSWER)
PAGE = At("page", "sendMessage", "The end.", page=True)
ALBUM = At("album", "sendMediaGroup", files=PICTURES)
FILE = At("document", "sendDocument", files=(DOCUMENT,))
NOTE = At("note", "sendMessage", LOST)
EYES = At("reaction", "setMessageReaction")
LOOKUP = At("lookup", "getFile")
DOWNLOAD = At("download", "file")
POLL = At("poll", "getUpdates")
CALLS = (ACK, EYES, LOOKUP, DOWNLOAD, PROGRESS, SETTLE, HEAD, FILL, PAGE, ALBUM, FILE, NOTE, POLL)


def fast() -> Timing:
    began, at = utc_now(), time.monotonic()

    def now() -> datetime:
        return began + timedelta(seconds=SPEED * (time.monotonic() - at))

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(seconds / SPEED)

    def timeout(seconds: float | None) -> asyncio.Timeout:
        return asyncio.timeout(None if seconds is None else seconds / SPEED)

    return Timing(now=now, monotonic=lambda: SPEED * time.monotonic(), sleep=sleep, timeout=timeout)


@dataclass
class Maker:
    """An agent that makes two pictures, a document, and a file that the store then loses."""

    store: Store
    answer: str = ANSWER
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """The answer comes when it is set."""
    began: list[RunId] = field(default_factory=list[RunId])
    cancelled: list[RunId] = field(default_factory=list[RunId])
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, run_id: RunId) -> AsyncGenerator[RunEvent]:
        runs = self.store.runs
        if await runs.claim(run_id, "here:1:1", left_by=(await runs.get(run_id)).owner) is None:
            return
        self.began.append(run_id)
        try:
            yield RunStarted(run_id=run_id, request="", files=(), model="fake")
            yield PlanChanged(run_id=run_id, plan=PLAN)
            yield TodoStarted(run_id=run_id, todo_id="look", title=WORKING)
            for name in (*PICTURES, DOCUMENT, LOST):
                yield await self._save(run_id, name)
            await self.gate.wait()
        except BaseException:
            if not self.stopping.is_set():
                self.cancelled.append(run_id)
                await runs.finish(run_id, RunStatus.CANCELLED, failure="cancelled")
            raise
        await runs.finish(run_id, RunStatus.FINISHED, answer=self.answer)
        yield RunFinished(run_id=run_id, answer=self.answer)

    async def _save(self, run_id: RunId, name: str) -> ArtifactSaved:
        content = png(640, 480) if name.endswith(".png") else b"made of " + name.encode()
        artifact = await put_bytes(
            self.store.artifacts, content, name=name, kind=ArtifactKind.OUTPUT, run_id=run_id
        )
        saved = ArtifactSaved(
            run_id=run_id, artifact_id=artifact.id, name=name, size=artifact.size, deliverable=True
        )
        await self.store.events.append(run_id, type(saved).__name__, to_record(saved))
        if name == LOST:
            await self.store.artifacts.delete(artifact.id)
        return saved


@dataclass
class Whole:
    server: BotApi
    telegram: Telegram
    app: App
    agent: Maker

    async def begun(self) -> RunId:
        await until(lambda: self.agent.began, seconds=30)
        return self.agent.began[-1]

    async def shown(self) -> None:
        """Wait until the progress was shown, or could not be."""
        await until(lambda: any(map(is_progress, self.server.calls)), seconds=30)

    async def end(self) -> Run:
        """Let the run end, and wait until nothing is left to send."""
        run_id = await self.begun()
        self.agent.gate.set()
        async with asyncio.timeout(60):
            await self.app.dispatcher.idle()
        return await self.app.store.runs.get(run_id)

    async def outbox(self, run: Run) -> tuple[OutboxEntry, ...]:
        return await self.app.store.outbox.of(run.id)


def is_progress(call: Call) -> bool:
    return WORKING in str(call.params) or (call.method == "editMessageText" and call.fault is not None)


def texts(chat: Chat) -> list[str]:
    """What the bot's messages say that people see."""
    return [post.text for post in chat.answers if not post.files]


def shown(chat: Chat, words: str) -> int:
    """How many of the bot's messages say that."""
    return sum(words in text for text in texts(chat))


def names(chat: Chat) -> list[str]:
    """Of the bot's files that people see, in the order of their names."""
    return sorted([file.name for file in chat.documents] + [post.text for post in _photos(chat)])


def _photos(chat: Chat) -> Sequence[Post]:
    return [post for post in chat.answers if post.files and post.text]


async def ask(chat: LiveChat, words: str = "Explore this data") -> None:
    await chat.send([("data.csv", b"a,b\n1,2\n", "text/csv")], words)


async def check(whole: Whole, *chats: LiveChat) -> Run:
    """What holds after every conversation, however many ids its chat has had."""
    run = await whole.end()
    assert run.status is RunStatus.FINISHED
    assert whole.agent.began == [run.id], "the run was begun again"
    assert run.delivered_at is not None
    assert all(entry.state.is_final for entry in await whole.outbox(run))
    answer = "The end." if whole.agent.answer == LONG_ANSWER else ANSWER
    assert sum(shown(chat, answer) for chat in chats) <= 1
    files = [name for chat in chats for name in names(chat)]
    assert len(files) == len(set(files)), files
    return run


async def resend(chat: LiveChat, missing: tuple[str, ...], *, there: bool = False) -> None:
    """`there`: they had arrived, and nobody could know."""
    await chat.say("/resend@deckhand_bot")
    await chat.until(lambda chat: all(names(chat).count(name) == 1 + there for name in missing), seconds=20)


def strike(server: BotApi, at: At, act: Callable[[Call], Awaitable[None] | None]) -> None:
    """Have something happen right before that call takes effect, the first time."""

    def hook(call: Call) -> Awaitable[None] | None:
        if at.about not in str(call.params):
            return None
        undo()
        return act(call)

    undo = server.on(at.method, hook)


@contextmanager
def logged(folder: Path, token: str) -> Generator[None]:
    """Nothing hides the token in this log: it must not get there."""
    path = folder / "faults.log"
    with open_log(path, level="DEBUG"):
        yield
    assert token not in path.read_text("utf-8")


@asynccontextmanager
async def open_whole(
    settings: Settings, server: BotApi, *, patience: float = 30.0, answer: str = ANSWER
) -> AsyncGenerator[Whole]:
    timing = fast()
    async with AsyncExitStack() as stack:
        stack.enter_context(logged(settings.data, server.token))
        telegram = await stack.enter_async_context(
            open_telegram(
                server.token,
                api_url=server.url,
                patience=patience,
                sleep=timing.sleep,
                holds=Holds(timing.monotonic),
            )
        )
        agent = Maker(await stack.enter_async_context(open_store(settings)), answer)
        app = await stack.enter_async_context(
            open_app(
                settings,
                {"telegram": telegram},
                agent=agent,
                guard=FakeAccess(admins={"7"}),
                patience=QUICK,
                timing=timing,
            )
        )
        agent.stopping = app.stopping
        await app.dispatcher.recover()
        await app.worker.recover()
        await app.intake.recover()
        serving = asyncio.create_task(telegram.serve(app.intake.receive))
        try:
            yield Whole(server, telegram, app, agent)
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
