"""The product in this process, before a Bot API server of ours; model and sandbox alone are stand-ins."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from agent.budget import Limits
from agent.events import RunEvent
from agent.models import Models
from agent.rules import PolicyRules
from agent.runner import Runner
from agent.state import STATE_TYPES
from bot.app import App, open_app
from bot.chat import ChatRef
from bot.intake.assembly import Patience
from bot.settings import Settings
from bot.stores import open_store
from bot.telegram.adapter import Telegram, open_telegram
from bot.worker import Agent
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog
from storage.checkpoints import open_checkpointer
from storage.ledger import Ledger
from storage.members import Role
from storage.records import Run, RunId
from tests.bot.fakes import FakeAgent
from tests.fakes import FakeSandbox
from tests.fakes.botapi import BotApi, LiveChat

PLATFORM = "telegram"
QUICK = Patience(files=0.1, text=0.05, most=1.0)


@dataclass
class Replaced:
    """An agent that a test puts another in the place of, as the app has to be there first."""

    agent: Agent | None = None

    def run(self, run_id: RunId) -> AsyncGenerator[RunEvent]:
        assert self.agent is not None
        return self.agent.run(run_id)


@dataclass
class House:
    settings: Settings
    server: BotApi
    app: App
    telegram: Telegram
    agent: Replaced
    people: dict[int, LiveChat] = field(default_factory=dict[int, LiveChat])

    async def member(self, number: int, name: str = "Ann", role: Role = Role.MEMBER) -> LiveChat:
        """The private chat of somebody who may use the bot."""
        if number in self.people:
            return self.people[number]
        chat = self.people[number] = self.server.private(self.server.person(number, name))
        await self.app.access.allow(PLATFORM, str(number), by="test", name=name, role=role)
        return chat

    async def group(self, *members: LiveChat, forum: bool = False) -> LiveChat:
        """A group that may use the bot. They are here so that nobody knows of an id before."""
        group = self.server.group("Team", [chat.someone for chat in members], forum=forum)
        await self.app.access.allow_chat(ChatRef(PLATFORM, str(group.id)), by="test")
        return group

    async def works_with(self, models: Models, sandbox: Sandbox) -> None:
        """The real agent, over these."""
        agent = self.agent.agent
        assert isinstance(agent, Runner)
        self.agent.agent = replace(agent, models=models, sandbox=sandbox)

    async def scripted(self) -> FakeAgent:
        """An agent that plays events instead of working."""
        agent = FakeAgent(self.app.store.runs)
        agent.stopping = self.app.stopping
        self.agent.agent = agent
        return agent

    async def heard(self) -> None:
        """What people said and pressed has been taken up."""
        await self.server.until(lambda: not self.server.updates.pending)
        await self.app.intake.tasks.idle()

    async def settled(self) -> None:
        """It is answered, too."""
        await self.heard()
        await self.app.dispatcher.idle()
        await asyncio.gather(*self.app.worker._sending)

    async def runs(self) -> list[Run]:
        """The oldest first."""
        return list(reversed(await self.app.store.runs.list(1000)))


@asynccontextmanager
async def open_house(settings: Settings, *, models: Models | None = None) -> AsyncGenerator[House]:
    """With `models` its agent is the real one; without, a test says what it plays."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(BotApi())
        telegram = await stack.enter_async_context(open_telegram(server.token, api_url=server.url))
        store = await stack.enter_async_context(open_store(settings))
        agent = Replaced()
        app = await stack.enter_async_context(
            open_app(settings, {PLATFORM: telegram}, agent=agent, patience=QUICK)
        )
        if models is not None:
            checkpointer = await stack.enter_async_context(
                open_checkpointer(settings.data / "checkpoints.db", STATE_TYPES)
            )
            agent.agent = Runner(
                models=models,
                sandbox=FakeSandbox(),
                catalog=SkillCatalog.load(),
                conversations=store.conversations,
                runs=store.runs,
                events=store.events,
                artifacts=store.artifacts,
                ledger=Ledger(store.database),
                checkpointer=checkpointer,
                limits=Limits(),
                rules=PolicyRules(),
                folder=settings.data / "runs",
                owner=str(app.dispatcher.owner),
                is_dead=lambda other: False,
                asker=app.asking,
                stopping=app.stopping,
            )
        await app.dispatcher.recover()
        await app.worker.recover()
        await app.intake.recover()
        serving = asyncio.create_task(telegram.serve(app.intake.receive))
        try:
            yield House(settings, server, app, telegram, agent)
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
