"""The one place where parts meet. Read it top to bottom to see the whole system."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.admission import Admission
from bot.asking import Asking
from bot.assembly import Patience
from bot.buttons import Buttons, read_key
from bot.chat import ChatAdapter
from bot.delivery import Delivery
from bot.dispatch import Dispatcher
from bot.door import Access, Door
from bot.edits import Edits
from bot.fetching import Fetcher
from bot.gateway import Gateway
from bot.history import History
from bot.intake import Intake
from bot.obey import Commands
from bot.owner import is_alive, this_process
from bot.places import Places
from bot.policies import load_catalog
from bot.presses import Presses
from bot.requests import Requests
from bot.sandboxes import open_sandbox
from bot.settings import Settings
from bot.strays import Strays
from bot.tasks import Tasks
from bot.worker import Agent, ChatWorker
from storage.artifacts import ArtifactStore, open_artifacts
from storage.conversations import Conversations
from storage.database import Database, open_database
from storage.events import Events
from storage.inbox import Inbox
from storage.ledger import Ledger
from storage.outbox import Outbox
from storage.questions import Questions
from storage.runs import Runs

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    store: Store
    gateway: Gateway
    dispatcher: Dispatcher
    delivery: Delivery
    asking: Asking
    intake: Intake | None
    """For chat platforms; None where nothing says who may use them."""
    stopping: asyncio.Event
    """Set it before leaving `open_app` to have runs go on at the next start; otherwise they are cancelled."""


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
        )


@asynccontextmanager
async def open_app(
    settings: Settings,
    adapters: Mapping[str, ChatAdapter],
    *,
    agent: Agent | None = None,
    access: Access | None = None,
    patience: Patience | None = None,
) -> AsyncGenerator[App]:
    """Everything that serves chats. With an `agent` of the caller's, neither Docker nor a model is touched.

    Raises:
        StorageError: the database or the artifact store cannot be used.
        SandboxError: there is no engine or no image, the policy is not valid, or this host breaks one of its
            promises that `allow_degraded` does not list.
        SkillError: a skill is not valid.
    """
    stopping = asyncio.Event()
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(settings))
        delivery = Delivery(
            events=store.events,
            artifacts=store.artifacts,
            runs_folder=settings.data / "runs",
            model_host=model_host(settings),
        )
        worker = ChatWorker(
            agent=agent or await stack.enter_async_context(_open_runner(settings, store, stopping)),
            conversations=store.conversations,
            runs=store.runs,
            delivery=delivery,
            adapters=adapters,
            stopping=stopping,
        )
        dispatcher = Dispatcher(
            runs=store.runs, worker=worker, owner=this_process(), at_once=settings.deckhand_runs_at_once
        )
        stack.push_async_callback(dispatcher.close)
        buttons = Buttons(read_key(settings.data / "secret"))
        asking = Asking(
            questions=Questions(store.database),
            runs=store.runs,
            conversations=store.conversations,
            adapters=adapters,
            buttons=buttons,
            hold=dispatcher.asking,
            minutes=settings.deckhand_question_minutes,
        )
        history = History(store.runs, store.events)
        gateway = Gateway(
            conversations=store.conversations,
            runs=store.runs,
            outbox=Outbox(store.database),
            history=history,
            fetcher=Fetcher(artifacts=store.artifacts, limit=settings.upload_bytes),
            dispatcher=dispatcher,
            commands=Commands(
                conversations=store.conversations,
                runs=store.runs,
                events=store.events,
                history=history,
                dispatcher=dispatcher,
                worker=worker,
                delivery=delivery,
            ),
            adapters=adapters,
            input_bytes=settings.input_bytes,
            queue=settings.deckhand_chat_queue,
            fallback=settings.deckhand_language,
            quota=access,
        )
        intake = None
        if access is not None:
            intake = _intake(store, gateway, asking, buttons, access, patience or Patience())
            stack.push_async_callback(intake.close)
        yield App(
            store=store,
            gateway=gateway,
            dispatcher=dispatcher,
            delivery=delivery,
            asking=asking,
            intake=intake,
            stopping=stopping,
        )


def _intake(
    store: Store, gateway: Gateway, asking: Asking, buttons: Buttons, access: Access, patience: Patience
) -> Intake:
    adapters, dispatcher, clock = gateway.adapters, gateway.dispatcher, time.monotonic
    tasks = Tasks()
    inbox = Inbox(store.database)
    places = Places(dispatcher, adapters, buttons, tasks)
    return Intake(
        inbox=inbox,
        door=Door(access, adapters, tasks, clock=clock, fallback=gateway.fallback),
        access=access,
        requests=Requests(
            admission=Admission(
                inbox=inbox, gateway=gateway, places=places, buttons=buttons, adapters=adapters
            ),
            tasks=tasks,
            clock=clock,
            patience=patience,
        ),
        commands=gateway.commands,
        presses=Presses(
            buttons=buttons,
            runs=store.runs,
            conversations=store.conversations,
            dispatcher=dispatcher,
            gateway=gateway,
            asking=asking,
            places=places,
            access=access,
            adapters=adapters,
            fallback=gateway.fallback,
        ),
        edits=Edits(
            inbox=inbox,
            runs=store.runs,
            dispatcher=dispatcher,
            places=places,
            adapters=adapters,
            clock=clock,
        ),
        asking=asking,
        places=places,
        strays=Strays(clock, patience.files),
        dispatcher=dispatcher,
        conversations=store.conversations,
        adapters=adapters,
        tasks=tasks,
        clock=clock,
    )


@asynccontextmanager
async def _open_runner(settings: Settings, store: Store, stopping: asyncio.Event) -> AsyncGenerator[Agent]:
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
        yield Runner(
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
            stopping=stopping,
        )


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
