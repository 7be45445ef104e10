"""A chat with an intake: what people do in it, and what they then see."""

import asyncio
import itertools
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.app import App, open_app
from bot.chat import Attachment, ChatKind, ChatRef, Incoming, Message, MessageRef, Press, Sender
from bot.intake.assembly import Patience
from bot.intake.intake import Intake
from bot.settings import Settings
from bot.stores import open_store
from storage.inbox import Inbox
from storage.records import Run
from tests.bot.fakes import ANN, HERE, FakeAccess, FakeAgent, FakeChat

CSV = b"a,b\n1,2\n"
BEN = Sender(id="ben", name="Ben")
GROUP = ChatRef("fake", "-100")
QUICK = Patience(files=0.04, text=0.02, most=1.0)

_ids = itertools.count(1000)


@dataclass
class Line:
    settings: Settings
    app: App
    agent: FakeAgent
    chat: FakeChat
    access: FakeAccess

    @property
    def intake(self) -> Intake:
        assert self.app.intake is not None
        return self.app.intake

    @property
    def inbox(self) -> Inbox:
        return self.intake.inbox

    def said(
        self,
        text: str = "",
        *files: Attachment,
        by: Sender = ANN,
        chat: ChatRef = HERE,
        number: int | None = None,
        **facts: object,
    ) -> Incoming:
        number = next(_ids) if number is None else number
        made = {
            "event": f"e{next(_ids)}",
            "kind": ChatKind.GROUP if chat.chat.startswith("-") else ChatKind.PRIVATE,
        }
        return Incoming(
            chat=chat,
            sender=by,
            text=text,
            attachments=files,
            message=MessageRef(chat, str(number)),
            **(made | facts),  # pyright: ignore[reportArgumentType] - any field of it
        )

    async def say(self, text: str = "", *files: Attachment, **facts: object) -> Incoming:
        """Tell the intake, and wait until it has nothing to do."""
        said = self.said(text, *files, **facts)  # pyright: ignore[reportArgumentType] - any field of it
        await self.tell(said)
        return said

    async def tell(self, *events: Incoming | Press) -> None:
        for event in events:
            await self.intake.receive(event)
        await self.intake.tasks.idle()

    async def press(self, data: str, *, by: Sender = ANN, chat: ChatRef = HERE) -> str:
        """What the toast says."""
        number = str(next(_ids))
        await self.tell(Press(chat=chat, sender=by, data=data, handle=number, event=f"p{number}"))
        return dict(self.chat.toasts).get(number, "")

    def file(self, name: str, content: bytes = CSV) -> Attachment:
        return self.chat.send(name, content)

    async def runs(self) -> list[Run]:
        """The oldest first."""
        return list(reversed(await self.app.store.runs.list(100)))

    async def finished(self) -> list[Run]:
        await self.app.dispatcher.idle()
        return await self.runs()

    def shown(self, run: Run) -> Message:
        """The message that shows the run, as it now stands."""
        return self.chat.messages[run.progress_message or ""][-1]

    async def waits(self) -> int:
        return len(await self.inbox.waiting())


@asynccontextmanager
async def open_line(settings: Settings, chat: FakeChat, access: FakeAccess) -> AsyncGenerator[Line]:
    """A program from its start to its end."""
    async with AsyncExitStack() as stack:
        agent = FakeAgent((await stack.enter_async_context(open_store(settings))).runs)
        app = await stack.enter_async_context(
            open_app(settings, {"fake": chat}, agent=agent, guard=access, patience=QUICK)
        )
        agent.stopping = app.stopping
        yield Line(settings, app, agent, chat, access)


async def busy(line: Line) -> Run:
    """Ann's run that works until `line.agent.gate` is set."""
    line.agent.gate = asyncio.Event()
    await line.say("keep busy")
    await line.agent.working.wait()
    return (await line.runs())[-1]


async def kill(line: Line) -> None:
    """End what the intake is at, wherever it stands, as a crash does."""
    left = tuple(line.intake.tasks._running)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
