"""The one place where parts meet. Read it top to bottom to see the whole system."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.access import Access
from bot.admission import Admission
from bot.asking import Asking
from bot.assembly import Patience
from bot.buttons import Buttons, read_key
from bot.chat import ChatAdapter
from bot.check import Check
from bot.commands import Commands, Parts
from bot.deliverables import Deliverables
from bot.delivery import Delivery
from bot.dispatch import Dispatcher
from bot.door import Door, Guard
from bot.edits import Edits
from bot.fetching import Fetcher
from bot.gateway import Gateway
from bot.greeting import Greeter
from bot.history import History
from bot.holds import Holds
from bot.housekeeping import Housekeeping, Threads, room_of
from bot.intake import Intake
from bot.owner import is_alive, this_process
from bot.places import Places
from bot.policies import load_catalog
from bot.presses import Presses
from bot.requests import Requests
from bot.sandboxes import open_sandbox
from bot.sending import Sender
from bot.settings import Settings
from bot.strays import Strays
from bot.tablemaker import SandboxTables
from bot.tasks import Tasks
from bot.worker import Agent, ChatWorker
from sandbox.session import Sandbox
from storage.artifacts import ArtifactStore, open_artifacts
from storage.conversations import Conversations
from storage.database import Database, open_database
from storage.erasure import Erasure
from storage.events import Events
from storage.inbox import Inbox
from storage.ledger import Ledger
from storage.outbox import Outbox
from storage.people import People
from storage.questions import Questions
from storage.records import Allowance
from storage.runs import Runs
from storage.spending import Spending

if TYPE_CHECKING:
    from agent.asking import Asker
    from agent.models import ModelSettings

USUAL_HOST = "api.openai.com"
"""Where the client sends a key that comes without an address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What is kept. Commands that only look need no more, and no Docker."""

    database: Database
    conversations: Conversations
    runs: Runs
    events: Events
    artifacts: ArtifactStore
    inbox: Inbox
    outbox: Outbox
    people: People


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    store: Store
    gateway: Gateway
    dispatcher: Dispatcher
    worker: ChatWorker
    delivery: Delivery
    asking: Asking
    access: Access
    intake: Intake
    housekeeping: Housekeeping
    stopping: asyncio.Event
    """Set it before leaving `open_app` to have runs go on at the next start; otherwise they are cancelled."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What does the work, and what it works with, for those who need a part of it."""

    agent: Agent
    sandbox: Sandbox | None = None
    threads: Threads | None = None


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncGenerator[Store]:
    """Raises:
    StorageError: the database or the artifact store cannot be used.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.database))
        artifacts = await stack.enter_async_context(open_artifacts(settings.artifacts, database))
        yield Store(
            database=database,
            conversations=Conversations(database),
            runs=Runs(database),
            events=Events(database),
            artifacts=artifacts,
            inbox=Inbox(database),
            outbox=Outbox(database),
            people=People(database),
        )


@asynccontextmanager
async def open_app(
    settings: Settings,
    adapters: Mapping[str, ChatAdapter],
    *,
    agent: Agent | None = None,
    guard: Guard | None = None,
    patience: Patience | None = None,
) -> AsyncGenerator[App]:
    """Everything that serves chats. With an `agent` of the caller's, neither Docker nor a model is touched.

    `guard` says who may use it, in the place of what the database says.

    Raises:
        StorageError: the database or the artifact store cannot be used.
        SandboxError: there is no engine or no image, the policy is not valid, or this host breaks one of its
            promises that `allow_degraded` does not list.
        SkillError: a skill is not valid.
    """
    stopping = asyncio.Event()
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        buttons = Buttons(await asyncio.to_thread(read_key, settings.data / "secret"))
        asking = Asking(
            questions=Questions(store.database),
            runs=store.runs,
            conversations=store.conversations,
            adapters=adapters,
            buttons=buttons,
            hold=lambda run_id: dispatcher.asking(run_id),
            minutes=settings.deckhand_question_minutes,
        )
        workshop = (
            await stack.enter_async_context(
                _open_workshop(settings, store, stopping, asking if _can_ask(adapters) else None)
            )
            if agent is None
            else Workshop(agent)
        )
        deliverables = Deliverables(
            events=store.events, artifacts=store.artifacts, folder=settings.data / "runs"
        )
        holds = Holds()
        delivery = Delivery(
            outbox=store.outbox,
            events=store.events,
            deliverables=deliverables,
            sender=Sender(
                outbox=store.outbox,
                runs=store.runs,
                deliverables=deliverables,
                holds=holds,
                retry=buttons.retry,
                model_host=model_host(settings),
            ),
            tables=None
            if workshop.sandbox is None
            else SandboxTables(workshop.sandbox, settings.data / "runs"),
        )
        worker = ChatWorker(
            agent=workshop.agent,
            conversations=store.conversations,
            runs=store.runs,
            delivery=delivery,
            adapters=adapters,
            stopping=stopping,
            holds=holds,
            cancel=buttons.cancel,
        )
        stack.push_async_callback(worker.close)
        dispatcher = Dispatcher(
            runs=store.runs, worker=worker, owner=this_process(), at_once=settings.deckhand_runs_at_once
        )
        stack.push_async_callback(dispatcher.close)
        access = Access(
            store.people,
            Spending(store.database),
            usual=Allowance(
                runs_a_day=settings.deckhand_people_runs_a_day,
                tokens_a_day=settings.deckhand_people_tokens_a_day,
                runs_at_once=settings.deckhand_people_runs_at_once,
            ),
            waiting=settings.deckhand_chat_queue,
        )
        greeter = Greeter(access, adapters, store.conversations, buttons, settings.deckhand_language)
        housekeeping = Housekeeping(
            database=store.database,
            erasure=Erasure(store.database, store.artifacts),
            inbox=store.inbox,
            stops=dispatcher,
            threads=workshop.threads,
            data=settings.data,
            keep_days=settings.deckhand_keep_days,
            warn=greeter.warn,
            room=room_of,
        )
        commands = Commands(
            Parts(
                access=access,
                people=store.people,
                spending=Spending(store.database),
                conversations=store.conversations,
                runs=store.runs,
                events=store.events,
                outbox=store.outbox,
                dispatcher=dispatcher,
                worker=worker,
                made=deliverables,
                buttons=buttons,
                resends=worker,
                erases=housekeeping,
                examine=lambda: _examine(settings),
                prices=settings.llm_prices,
            )
        )
        gateway = Gateway(
            conversations=store.conversations,
            runs=store.runs,
            outbox=store.outbox,
            history=History(store.runs, store.events),
            fetcher=Fetcher(artifacts=store.artifacts, limit=settings.upload_bytes),
            dispatcher=dispatcher,
            commands=commands,
            adapters=adapters,
            input_bytes=settings.input_bytes,
            queue=settings.deckhand_chat_queue,
            fallback=settings.deckhand_language,
            quota=guard or access,
        )
        desk = Desk(
            store=store,
            gateway=gateway,
            commands=commands,
            asking=asking,
            buttons=buttons,
            guard=guard or access,
            greeter=greeter,
            patience=patience or Patience(),
        )
        intake = desk.intake()
        stack.push_async_callback(intake.close)
        yield App(
            store=store,
            gateway=gateway,
            dispatcher=dispatcher,
            worker=worker,
            delivery=delivery,
            asking=asking,
            access=access,
            intake=intake,
            housekeeping=housekeeping,
            stopping=stopping,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What the intake is put together of."""

    store: Store
    gateway: Gateway
    commands: Commands
    asking: Asking
    buttons: Buttons
    guard: Guard
    greeter: Greeter
    patience: Patience

    def intake(self) -> Intake:
        store, gateway, clock, tasks = self.store, self.gateway, time.monotonic, Tasks()
        adapters, dispatcher = gateway.adapters, gateway.dispatcher
        places = Places(dispatcher, adapters, self.buttons, tasks)
        return Intake(
            inbox=store.inbox,
            door=Door(self.guard, self.greeter, adapters, tasks, clock=clock, fallback=gateway.fallback),
            guard=self.guard,
            requests=Requests(
                admission=Admission(
                    inbox=store.inbox, gateway=gateway, places=places, buttons=self.buttons, adapters=adapters
                ),
                tasks=tasks,
                clock=clock,
                patience=self.patience,
            ),
            commands=self.commands,
            presses=Presses(
                buttons=self.buttons,
                runs=store.runs,
                conversations=store.conversations,
                dispatcher=dispatcher,
                gateway=gateway,
                asking=self.asking,
                places=places,
                commands=self.commands,
                access=self.guard,
                adapters=adapters,
                fallback=gateway.fallback,
            ),
            edits=Edits(
                inbox=store.inbox,
                runs=store.runs,
                dispatcher=dispatcher,
                places=places,
                adapters=adapters,
                clock=clock,
            ),
            asking=self.asking,
            places=places,
            strays=Strays(clock, self.patience.files),
            dispatcher=dispatcher,
            conversations=store.conversations,
            adapters=adapters,
            tasks=tasks,
            clock=clock,
        )


def _can_ask(adapters: Mapping[str, ChatAdapter]) -> bool:
    """Whether a question would reach somebody who can answer it."""
    return bool(adapters) and all(adapter.lasting for adapter in adapters.values())


async def _examine(settings: Settings) -> Sequence[Check]:
    from bot.doctor import examine  # it looks at everything, and brings it along

    return [check async for check in examine(settings)]


@asynccontextmanager
async def _open_workshop(
    settings: Settings, store: Store, stopping: asyncio.Event, asker: "Asker | None"
) -> AsyncGenerator[Workshop]:
    # Imported here since they take a second, which `deckhand runs` and `--help` need not wait for.
    from agent.models import build_models
    from agent.runner import Runner
    from agent.state import STATE_TYPES
    from storage.checkpoints import open_checkpointer

    catalog = load_catalog(settings)
    async with (
        open_checkpointer(settings.data / "checkpoints.db", STATE_TYPES) as checkpointer,
        open_sandbox(settings, catalog) as (sandbox, languages),
    ):
        runner = Runner(
            models=build_models(model_settings(settings)),
            sandbox=sandbox,
            catalog=catalog,
            conversations=store.conversations,
            languages=languages,
            runs=store.runs,
            events=store.events,
            artifacts=store.artifacts,
            ledger=Ledger(store.database),
            checkpointer=checkpointer,
            limits=settings.limits,
            rules=settings.deckhand_policy_rules,
            folder=settings.data / "runs",
            owner=str(this_process()),
            is_dead=lambda owner: not is_alive(owner, this_process()),
            asker=asker,
            stopping=stopping,
        )
        yield Workshop(runner, sandbox, checkpointer)


def model_host(settings: Settings) -> str:
    """Where requests and data go, without a user, a password or a path; empty with the offline recipes."""
    if settings.llm_base_url is None:
        return "" if settings.llm_api_key is None else USUAL_HOST
    return urlsplit(settings.llm_base_url).netloc.rpartition("@")[2]


def model_settings(settings: Settings) -> "ModelSettings":
    from agent.models import ModelSettings

    chosen = {
        "base_url": settings.llm_base_url,
        "api_key": settings.llm_api_key,
        "model": settings.llm_model,
        "subagent_model": settings.llm_subagent_model,
        "ca_file": settings.deckhand_ca_file,
        "proxy": settings.deckhand_proxy,
        "stream": settings.llm_stream,
    }
    return ModelSettings.model_validate({name: value for name, value in chosen.items() if value is not None})
