"""The whole program in this process, before a Bot API server of our own: what people do, what they then see.

Everything is real but the agent, which plays a script. Patience is short, since all is on one machine.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

from agent.events import (
    ArtifactSaved,
    FailureReason,
    ResultsVerified,
    RunFailed,
    RunFinished,
    RunStarted,
    to_record,
)
from agent.factbook import NAME as FACTS
from agent.factbook import Fact, dump
from agent.scripts import NAME as SCRIPTS
from agent.scripts import Scripts
from agent.verification import Verification
from bot.app import App, open_app
from bot.asking import Asking
from bot.brands import Examiner
from bot.chat import ChatRef
from bot.intake.assembly import Patience
from bot.settings import Settings
from bot.stores import open_store
from bot.telegram.adapter import Telegram, open_telegram
from bot.worker import Agent
from storage.artifacts import put_bytes
from storage.members import Role
from storage.records import ArtifactKind, Run, RunId
from tests.bot.fakes import FakeAgent, Step, usual
from tests.fakes.botapi import BotApi, Chat, LiveChat, Person, Topic

QUICK = Patience(files=0.4, text=0.15, most=10.0)
CSV = ("sales.csv", b"month,sum\nMay,10\n", "text/csv")
ADMIN, ANN, BEN = 1, 7, 8


@dataclass
class Service:
    server: BotApi
    app: App
    agent: FakeAgent
    telegram: Telegram
    provoked: list[str] = field(default_factory=list[str])
    """What Telegram refuses in this test, by a piece of its words: it refuses nothing else."""

    @property
    def refused(self) -> list[str]:
        refused = [f"{call.method}: {call.description}" for call in self.server.refused()]
        return [call for call in refused if not any(words in call for words in self.provoked)]

    async def ann(self, language: str = "en") -> LiveChat:
        """The private chat of somebody who was let in."""
        return await self.member(ANN, "Ann", language)

    async def ben(self, language: str = "en") -> LiveChat:
        return await self.member(BEN, "Ben", language)

    async def member(
        self, number: int, name: str, language: str = "en", role: Role = Role.MEMBER
    ) -> LiveChat:
        await self.app.access.allow("telegram", str(number), by="test", name=name, role=role)
        return self.server.private(self.server.person(number, name, language_code=language))

    async def group(self, *members: Person, **facts: object) -> LiveChat:
        """One where we may work."""
        group = self.server.group("Team", list(members), **facts)  # pyright: ignore[reportArgumentType]  # as there
        await self.app.access.allow_chat(ChatRef("telegram", str(group.id)), by="test")
        return group

    async def runs(self) -> list[Run]:
        """The oldest first."""
        return list(reversed(await self.app.store.runs.list(200)))

    async def run(self, number: int = -1) -> Run:
        return (await self.runs())[number]

    async def content(self, run: Run) -> dict[str, bytes]:
        """The run's input files as the store has them, by the names that the run knows them by."""
        found = dict[str, bytes]()
        for item in run.inputs:
            chunks = [chunk async for chunk in self.app.store.artifacts.open(item.artifact_id)]
            found[item.name] = b"".join(chunks)
        return found

    async def heard(self) -> None:
        """Until all that has been said is dealt with, except by the runs that it began."""
        await self.server.until(lambda: not self.server.updates.pending)
        await self.app.intake.tasks.idle()

    async def idle(self) -> None:
        """Until every run has been told of, too."""
        await self.heard()
        await self.app.dispatcher.idle()
        await self.heard()

    async def busy(
        self, chat: LiveChat, text: str = "Keep busy, please", topic: Topic | None = None
    ) -> asyncio.Event:
        """A run of the chat works until what is returned is set."""
        gate = self.agent.gate = asyncio.Event()
        self.agent.working.clear()
        await chat.say(text, topic=topic)
        await self.agent.working.wait()
        await self.heard()
        return gate

    def makes(
        self,
        files: dict[str, bytes],
        answer: str = "Here it is.",
        *,
        previews: dict[str, bytes] | None = None,
        facts: Sequence[Fact] = (),
        scripts: Scripts | None = None,
        checked: Verification | None = None,
    ) -> None:
        """What each run from now on makes, what was checked of it, and what it says at the end."""

        async def put(run_id: RunId, name: str, content: bytes, kind: ArtifactKind) -> ArtifactSaved:
            artifacts = self.app.store.artifacts
            artifact = await put_bytes(artifacts, content, name=name, kind=kind, run_id=run_id)
            preview = kind is ArtifactKind.PREVIEW
            return ArtifactSaved(
                run_id=run_id,
                artifact_id=artifact.id,
                name=name,
                size=len(content),
                deliverable=not preview,
                preview=preview,
            )

        async def keep(run_id: RunId) -> None:
            told: list[ArtifactSaved | ResultsVerified] = [
                await put(run_id, name, content, ArtifactKind.OUTPUT) for name, content in files.items()
            ]
            for name, content in (previews or {}).items():
                told.append(await put(run_id, name, content, ArtifactKind.PREVIEW))
            if facts:
                await put(run_id, FACTS, dump(facts), ArtifactKind.RECORD)
            if scripts is not None:
                await put(run_id, SCRIPTS, scripts.model_dump_json().encode(), ArtifactKind.RECORD)
            if checked is not None:
                told.append(ResultsVerified(run_id=run_id, verification=checked))
            for event in told:
                await self.app.store.events.append(run_id, type(event).__name__, to_record(event))

        def script(run_id: RunId) -> Sequence[Step]:
            return (_began(run_id), lambda: keep(run_id), RunFinished(run_id=run_id, answer=answer))

        self.agent.script = script

    def fails(self, times: int = 1) -> None:
        """The next runs find no model; those after them go well."""
        left = [times]

        def script(run_id: RunId) -> Sequence[Step]:
            left[0] -= 1
            if left[0] < 0:
                return usual(run_id)
            return (_began(run_id), RunFailed(run_id=run_id, reason=FailureReason.MODEL, detail="no answer"))

        self.agent.script = script


def _began(run_id: RunId) -> RunStarted:
    return RunStarted(run_id=run_id, request="", files=(), model="fake")


@dataclass
class LateAsker:
    """The asker of an agent that has to be there before the program is."""

    asking: Asking | None = None

    async def ask(self, run_id: RunId, text: str, options: tuple[str, ...], assumption: str) -> str | None:
        assert self.asking is not None
        return await self.asking.ask(run_id, text, options, assumption)


@asynccontextmanager
async def open_service(
    settings: Settings,
    *,
    agent: Agent | None = None,
    asker: LateAsker | None = None,
    examiner: Examiner | None = None,
) -> AsyncGenerator[Service]:
    """From its start to its end. With an `agent` of the test's own, that one works."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(BotApi())
        telegram = await stack.enter_async_context(open_telegram(server.token, api_url=server.url))
        fake = FakeAgent((await stack.enter_async_context(open_store(settings))).runs)
        app = await stack.enter_async_context(
            open_app(
                settings,
                {"telegram": telegram},
                agent=agent or fake,
                patience=QUICK,
                examiner=examiner,
            )
        )
        fake.stopping = app.stopping
        if asker is not None:
            asker.asking = app.asking
        await app.intake.recover()
        polling = asyncio.create_task(telegram.serve(app.intake.receive))
        try:
            yield Service(server, app, fake, telegram)
        finally:
            polling.cancel()
            with suppress(asyncio.CancelledError):
                await polling


def texts(chat: Chat) -> list[str]:
    """What the bot's messages say now, oldest first."""
    return [post.text for post in chat.answers]


def sounds(chat: Chat) -> list[str]:
    """Those of them that made a sound."""
    return [post.text for post in chat.answers if not post.silent]
