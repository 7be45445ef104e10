"""The one place where parts meet. Read it top to bottom to see the whole system."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.access import Access
from bot.asking import Asking
from bot.brands import Brands, Examiner, SandboxExaminer
from bot.bundles import Bundles, packing
from bot.buttons import Buttons, read_key
from bot.chat import ChatAdapter
from bot.commands import Commands, Parts
from bot.delivery.deliverables import Deliverables
from bot.delivery.delivery import Delivery
from bot.delivery.sending import Sender
from bot.delivery.tablemaker import SandboxTables
from bot.dispatch import Dispatcher
from bot.gateway import Gateway
from bot.greeting import Greeter
from bot.history import History
from bot.holds import Holds
from bot.intake.assembly import Patience
from bot.intake.desk import intake_of
from bot.intake.door import Guard
from bot.intake.fetching import Fetcher
from bot.intake.intake import Intake
from bot.ops.check import Check
from bot.ops.housekeeping import Housekeeping, room_of
from bot.owner import this_process
from bot.settings import Settings
from bot.stores import Store, open_store
from bot.timing import Timing
from bot.worker import Agent, ChatWorker
from bot.workshop import Workshop, model_host, open_workshop
from storage.erasure import Erasure
from storage.members import Allowance
from storage.questions import Questions
from storage.records import RunId
from storage.spending import Spending

if TYPE_CHECKING:
    from agent.factbook import Fact


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


@asynccontextmanager
async def open_app(
    settings: Settings,
    adapters: Mapping[str, ChatAdapter],
    *,
    agent: Agent | None = None,
    guard: Guard | None = None,
    patience: Patience | None = None,
    timing: Timing | None = None,
    examiner: Examiner | None = None,
) -> AsyncGenerator[App]:
    """Everything that serves chats. With an `agent` of the caller's, neither Docker nor a model is touched.

    `guard` says who may use it, in the place of what the database says. `timing` is how those wait who try
    again what a platform did not take. `examiner` looks at templates in the place of the sandbox.

    Raises:
        StorageError: the database or the artifact store cannot be used.
        SandboxError: there is no engine or no image, the policy is not valid, or this host breaks one of its
            promises that `allow_degraded` does not list.
        SkillError: a skill is not valid.
    """
    stopping, timing = asyncio.Event(), timing or Timing()
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
            stopping=stopping,
        )
        workshop = (
            await stack.enter_async_context(
                open_workshop(settings, store, stopping, asking if _can_ask(adapters) else None)
            )
            if agent is None
            else Workshop(agent)
        )
        deliverables = Deliverables(
            events=store.events, artifacts=store.artifacts, folder=settings.data / "runs"
        )
        holds = Holds(timing.monotonic)
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
                clock=timing.now,
                sleep=timing.sleep,
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
            timing=timing,
        )
        stack.push_async_callback(worker.close)
        dispatcher = Dispatcher(
            runs=store.runs, worker=worker, owner=this_process(), at_once=settings.deckhand_runs_at_once
        )
        stack.push_async_callback(dispatcher.close)
        spending = Spending(store.database)
        access = Access(
            store.people,
            spending,
            usual=Allowance(
                runs_a_day=settings.deckhand_people_runs_a_day,
                tokens_a_day=settings.deckhand_people_tokens_a_day,
                runs_at_once=settings.deckhand_people_runs_at_once,
            ),
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
        fetcher = Fetcher(
            artifacts=store.artifacts,
            limit=settings.upload_bytes,
            clock=timing.monotonic,
            sleep=timing.sleep,
        )
        commands = Commands(
            Parts(
                access=access,
                people=store.people,
                spending=spending,
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
                welcomes=greeter,
                brands=Brands(
                    conversations=store.conversations,
                    fetcher=fetcher,
                    adapters=adapters,
                    examiner=examiner or await _examiner(workshop, store, settings),
                ),
                bundles=Bundles(packing(settings, store.artifacts), store.artifacts, worker),
                facts=lambda run_id: _facts(store, run_id),
                examine=lambda: _examine(settings),
                prices=settings.llm_prices,
            )
        )
        gateway = Gateway(
            conversations=store.conversations,
            runs=store.runs,
            outbox=store.outbox,
            history=History(store.runs, store.events),
            fetcher=fetcher,
            dispatcher=dispatcher,
            commands=commands,
            adapters=adapters,
            input_bytes=settings.input_bytes,
            queue=settings.deckhand_chat_queue,
            fallback=settings.deckhand_language,
            quota=guard or access,
        )
        intake = intake_of(
            store=store,
            gateway=gateway,
            commands=commands,
            asking=asking,
            buttons=buttons,
            guard=guard or access,
            greeter=greeter,
            patience=patience or Patience(),
            timing=timing,
        )
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


async def _examiner(workshop: Workshop, store: Store, settings: Settings) -> Examiner | None:
    if workshop.sandbox is None:
        return None
    examiner = SandboxExaminer(workshop.sandbox, store.artifacts, settings.data / "brand")
    await examiner.clear()
    return examiner


def _can_ask(adapters: Mapping[str, ChatAdapter]) -> bool:
    """Whether a question would reach somebody who can answer it."""
    return bool(adapters) and all(adapter.lasting for adapter in adapters.values())


async def _facts(store: Store, run_id: RunId) -> "Sequence[Fact]":
    from agent.factbook import of_run  # it brings libraries along that need a moment

    return await of_run(store.artifacts, run_id)


async def _examine(settings: Settings) -> Sequence[Check]:
    from bot.ops.doctor import examine  # it looks at everything, and brings it along

    return [check async for check in examine(settings)]
