import asyncio
import os

import pytest

from agent.events import FailureReason, RunFailed, RunFinished
from bot.dispatch import Dispatcher, JobState
from bot.owner import Owner, this_process
from bot.snapshot import Outcome
from storage.records import Run, RunId, RunStatus
from tests.bot.conftest import Store


class FakeWorker:
    """Works until it is let go, and remembers the order of things."""

    def __init__(self) -> None:
        self.began: list[RunId] = []
        self.delivered: list[tuple[RunId, Outcome]] = []
        self.go = asyncio.Event()
        self.fault: Exception | None = None
        self.elsewhere = False

    async def work(self, run: Run) -> Outcome | None:
        self.began.append(run.id)
        if self.fault:
            raise self.fault
        if self.elsewhere:
            return None
        await self.go.wait()
        return RunFinished(run_id=run.id, answer="")

    async def deliver(self, run: Run, outcome: Outcome) -> None:
        self.delivered.append((run.id, outcome))

    async def serves(self, run: Run) -> bool:
        del run
        return True


@pytest.fixture
async def worker() -> FakeWorker:
    return FakeWorker()


@pytest.fixture
async def dispatcher(store: Store, worker: FakeWorker) -> Dispatcher:
    return Dispatcher(runs=store.runs, worker=worker, owner=this_process(), at_once=2)


async def new_run(store: Store, chat: str) -> Run:
    conversation = await store.conversations.get_or_create("fake", chat)
    return await store.runs.create(conversation.id, "do it", language="en")


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0.005)


async def test_one_run_at_a_time_in_a_conversation_in_the_order_of_asking(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    first, second = await new_run(store, "a"), await new_run(store, "a")
    assert dispatcher.submit(first).state is JobState.WORKING
    waiting = dispatcher.submit(second)
    assert (waiting.state, waiting.ahead) == (JobState.QUEUED, 1)
    await settle()
    assert worker.began == [first.id]
    worker.go.set()
    await dispatcher.idle()
    assert [run_id for run_id, _ in worker.delivered] == [first.id, second.id]


async def test_no_more_runs_than_the_machine_may_have_but_nobody_waits_for_another_chat_only(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    runs = [await new_run(store, chat) for chat in ("a", "a", "b", "c")]
    states = [dispatcher.submit(run).state for run in runs]
    assert states == [JobState.WORKING, JobState.QUEUED, JobState.WORKING, JobState.QUEUED]
    worker.go.set()
    await dispatcher.idle()
    assert len(worker.delivered) == 4


async def test_submitting_twice_is_submitting_once(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")
    dispatcher.submit(run)
    dispatcher.submit(run)
    worker.go.set()
    await dispatcher.idle()
    assert worker.began == [run.id]


async def test_cancelling_a_run_at_work_stops_it_and_tells_the_person(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")
    dispatcher.submit(run)
    await settle()
    assert dispatcher.cancel(run.id)
    outcome = await dispatcher.outcome(run.id)
    assert outcome == RunFailed(run_id=run.id, reason=FailureReason.CANCELLED)
    assert worker.delivered == [(run.id, outcome)]
    assert (await store.runs.get(run.id)).status is RunStatus.CANCELLED


async def test_cancelling_a_waiting_run_ends_it_without_ever_beginning(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    first, second = await new_run(store, "a"), await new_run(store, "a")
    dispatcher.submit(first)
    dispatcher.submit(second)
    assert dispatcher.cancel(second.id)
    await settle()
    assert (await store.runs.get(second.id)).status is RunStatus.CANCELLED
    assert worker.began == [first.id]
    worker.go.set()
    await dispatcher.idle()


async def test_cancelling_at_the_moment_of_submission_is_not_lost(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")
    dispatcher.submit(run)
    dispatcher.cancel(run.id)
    assert isinstance(await dispatcher.outcome(run.id), RunFailed)
    assert (await store.runs.get(run.id)).status is RunStatus.CANCELLED


async def test_cancelling_what_is_not_there_does_nothing(dispatcher: Dispatcher) -> None:
    assert not dispatcher.cancel(RunId("r0"))


async def test_a_fault_of_the_worker_is_told_with_an_id_and_the_next_run_starts(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    worker.fault = RuntimeError("boom")
    runs = [await new_run(store, "a"), await new_run(store, "a")]
    for run in runs:
        dispatcher.submit(run)
    await dispatcher.idle()
    outcomes = [outcome for _, outcome in worker.delivered]
    assert len(outcomes) == 2
    assert all(isinstance(o, RunFailed) and o.reason is FailureReason.INTERNAL and o.detail for o in outcomes)


async def test_a_run_that_another_process_has_is_neither_delivered_nor_waited_for(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    worker.elsewhere = True
    run = await new_run(store, "a")
    dispatcher.submit(run)
    assert await dispatcher.outcome(run.id) is None
    assert worker.delivered == []


async def test_at_boot_runs_of_dead_processes_and_of_none_are_taken_up(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    queued, orphan, busy = [await new_run(store, chat) for chat in "abc"]
    host = dispatcher.owner.host
    await store.runs.claim(orphan.id, str(Owner(host=host, pid=os.getpid(), started="an earlier one")))
    await store.runs.claim(busy.id, str(dispatcher.owner))
    taken = await dispatcher.recover()
    assert [run.id for run in taken] == [queued.id, orphan.id]
    worker.go.set()
    await dispatcher.idle()
    assert worker.began == [queued.id, orphan.id]


async def test_closing_leaves_what_runs_for_the_next_start(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    first, second = await new_run(store, "a"), await new_run(store, "a")
    dispatcher.submit(first)
    dispatcher.submit(second)
    await settle()
    waiting = asyncio.create_task(dispatcher.outcome(first.id))
    await settle()
    await dispatcher.close()
    assert await waiting is None
    assert worker.delivered == []
    assert worker.began == [first.id]
    assert not (await store.runs.get(second.id)).status.is_final


async def test_the_outcome_of_a_run_that_ended_long_ago_is_on_record(
    store: Store, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")
    await store.runs.claim(run.id, "x")
    await store.runs.finish(run.id, RunStatus.FAILED, failure="budget", failure_detail="tokens")
    assert await dispatcher.outcome(run.id) == RunFailed(
        run_id=run.id, reason=FailureReason.BUDGET, detail="tokens"
    )
