import asyncio
import errno
import os
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from agent.events import FailureReason, RunFailed, RunFinished
from bot.dispatch import Dispatcher, JobState, stored_outcome
from bot.owner import Owner, this_process
from bot.snapshot import Outcome
from sandbox.lease import process_start
from storage.errors import DiskFull, StorageUnavailable
from storage.records import Run, RunId, RunStatus
from storage.runs import Runs
from tests.bot.conftest import Store


class FakeWorker:
    """Works until it is let go, and remembers the order of things."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
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
        await self.runs.delivered(run.id)

    async def serves(self, run: Run) -> bool:
        del run
        return True


@pytest.fixture
async def worker(store: Store) -> FakeWorker:
    return FakeWorker(store.runs)


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
    cancelled = await store.runs.get(second.id)
    assert (cancelled.status, cancelled.owner) == (RunStatus.CANCELLED, str(dispatcher.owner))
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
    assert [stored_outcome(await store.runs.get(run.id)) for run in runs] == outcomes
    assert await store.runs.unfinished() == ()


@pytest.mark.parametrize("fault", [DiskFull("no room"), OSError(errno.ENOSPC, "no room")])
async def test_a_full_disk_is_told_and_recorded_as_what_it_is(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher, fault: Exception
) -> None:
    worker.fault = fault
    run = await new_run(store, "a")
    dispatcher.submit(run)
    outcome = await dispatcher.outcome(run.id)
    assert isinstance(outcome, RunFailed)
    assert outcome.reason is FailureReason.STORAGE
    assert stored_outcome(await store.runs.get(run.id)) == outcome


async def test_a_fault_here_does_not_end_a_run_that_another_process_has(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    worker.fault = RuntimeError("boom")
    run = await new_run(store, "a")
    await store.runs.claim(run.id, str(Owner(dispatcher.owner.boot, 1, process_start(1))))
    dispatcher.submit(run)
    assert await dispatcher.outcome(run.id) is None
    assert (await store.runs.get(run.id)).status is RunStatus.RUNNING
    assert worker.delivered == []


class Flaky(Runs):
    """A record that fails as often as it is told to."""

    faults = 0

    async def finish(self, *args: Any, **facts: Any) -> bool:
        self._fail()
        return await super().finish(*args, **facts)

    async def take_over(self, *args: Any, **facts: Any) -> bool:
        self._fail()
        return await super().take_over(*args, **facts)

    def _fail(self) -> None:
        if self.faults:
            self.faults -= 1
            raise StorageUnavailable


@pytest.fixture
async def flaky(store: Store, dispatcher: Dispatcher) -> Flaky:
    dispatcher.runs = Flaky(store.database)
    return dispatcher.runs


async def test_a_cancel_that_could_not_be_recorded_at_once_is_recorded_later(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher, flaky: Flaky
) -> None:
    run = await new_run(store, "a")
    dispatcher.submit(run)
    await settle()
    flaky.faults = 1
    dispatcher.cancel(run.id)
    outcome = await dispatcher.outcome(run.id)
    assert isinstance(outcome, RunFailed)
    assert outcome.reason is FailureReason.CANCELLED
    assert worker.delivered == [(run.id, outcome)]
    assert (await store.runs.get(run.id)).status is RunStatus.CANCELLED


@pytest.mark.parametrize("cancelled", [True, False])
async def test_somebody_is_told_when_the_end_cannot_be_recorded_at_all(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher, flaky: Flaky, cancelled: bool
) -> None:
    flaky.faults = 100
    run = await new_run(store, "a")
    if not cancelled:
        worker.fault = RuntimeError("boom")
    dispatcher.submit(run)
    if cancelled:
        dispatcher.cancel(run.id)
    outcome = await dispatcher.outcome(run.id)
    assert isinstance(outcome, RunFailed)
    assert outcome.reason is FailureReason.STORAGE
    assert worker.delivered == [(run.id, outcome)]


async def test_an_outcome_that_cannot_be_taken_over_is_rather_told_twice_than_never(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher, flaky: Flaky, dead: Owner
) -> None:
    run = await ended_run(store, dead)
    flaky.faults = 100
    await dispatcher.recover()
    await dispatcher.idle()
    assert worker.delivered == [(run.id, RunFinished(run_id=run.id, answer="42"))]


async def test_a_cancel_is_told_even_when_it_comes_before_the_agent_has_the_run(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")

    async def work(run: Run) -> Outcome | None:
        with suppress(asyncio.CancelledError):
            await worker.go.wait()
        return None  # the claim found the run cancelled

    worker.work = work
    dispatcher.submit(run)
    await settle()
    dispatcher.cancel(run.id)
    assert await dispatcher.outcome(run.id) == RunFailed(run_id=run.id, reason=FailureReason.CANCELLED)


async def test_a_cancel_is_on_record_before_things_are_cleared_up_and_closing_waits_for_both(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    began, cleared = asyncio.Event(), asyncio.Event()

    async def work(run: Run) -> Outcome | None:
        del run
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await worker.go.wait()
            cleared.set()
        return None

    worker.work = work
    run = await new_run(store, "a")
    dispatcher.submit(run)
    await began.wait()
    dispatcher.cancel(run.id)
    await dispatcher.recorded()
    assert (await store.runs.get(run.id)).status is RunStatus.CANCELLED

    closing = asyncio.create_task(dispatcher.close())
    for _ in range(2):
        await settle()
        closing.cancel()  # as a second SIGTERM does
    await settle()
    assert not closing.done()
    worker.go.set()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert cleared.is_set()
    assert worker.delivered == [(run.id, RunFailed(run_id=run.id, reason=FailureReason.CANCELLED))]


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
    boot = dispatcher.owner.boot
    await store.runs.claim(orphan.id, str(Owner(boot=boot, pid=os.getpid(), started=1)))
    await store.runs.claim(busy.id, str(dispatcher.owner))
    taken = await dispatcher.recover()
    assert [run.id for run in taken] == [queued.id, orphan.id]
    worker.go.set()
    await dispatcher.idle()
    assert worker.began == [queued.id, orphan.id]


async def test_what_waits_in_the_queue_of_a_living_process_stays_there(
    store: Store, dispatcher: Dispatcher
) -> None:
    conversation = await store.conversations.get_or_create("fake", "a")
    living = Owner(dispatcher.owner.boot, 1, process_start(1))
    for owner in (living, replace(living, started=1)):
        await store.runs.create(conversation.id, "do it", language="en", owner=str(owner))
    (orphan,) = await dispatcher.interrupted()
    assert orphan.owner == str(replace(living, started=1))


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


async def test_cancelling_twice_does_not_disturb_the_clearing_up(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    cleared = asyncio.Event()

    async def work(run: Run) -> Outcome | None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.02)
            cleared.set()
        return RunFinished(run_id=run.id, answer="")

    worker.work = work
    run = await new_run(store, "a")
    dispatcher.submit(run)
    await settle()
    assert dispatcher.cancel(run.id)
    await asyncio.sleep(0)
    assert dispatcher.cancel(run.id)
    await dispatcher.outcome(run.id)
    assert cleared.is_set()


async def ended_run(store: Store, owner: Owner, status: RunStatus = RunStatus.FINISHED) -> Run:
    """A run that ended in a process which has not told anybody."""
    run = await new_run(store, "a")
    await store.runs.claim(run.id, str(owner))
    await store.runs.finish(run.id, status, answer="42" if status is RunStatus.FINISHED else None)
    return await store.runs.get(run.id)


@pytest.fixture
def dead(dispatcher: Dispatcher) -> Owner:
    return replace(dispatcher.owner, started=1)


@pytest.mark.parametrize("status", [RunStatus.FINISHED, RunStatus.FAILED, RunStatus.CANCELLED])
async def test_an_outcome_that_a_dead_process_has_not_told_is_told_once(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher, dead: Owner, status: RunStatus
) -> None:
    run = await ended_run(store, dead, status)
    assert [taken.id for taken in await dispatcher.recover()] == [run.id]
    assert not dispatcher.cancel(run.id)
    await dispatcher.idle()
    assert await store.runs.undelivered() == ()
    assert worker.delivered == [(run.id, stored_outcome(run))]
    assert worker.began == []


async def test_an_outcome_that_a_living_process_is_about_to_tell_is_left_alone(
    store: Store, dispatcher: Dispatcher
) -> None:
    await ended_run(store, dispatcher.owner)
    assert await dispatcher.recover() == ()


async def test_of_two_processes_that_find_an_outcome_untold_one_tells_it(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher, dead: Owner
) -> None:
    run = await ended_run(store, dead)
    other = Dispatcher(
        runs=store.runs, worker=worker, owner=Owner(dispatcher.owner.boot, 1, process_start(1))
    )
    (found,) = await other.interrupted()
    await dispatcher.recover()
    other.submit(found)
    assert await other.outcome(run.id) is None
    await dispatcher.idle()
    assert len(worker.delivered) == 1


async def test_a_run_that_ended_before_it_could_be_cancelled_has_its_answer(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")
    recorded = asyncio.Event()

    async def work(run: Run) -> Outcome | None:
        await store.runs.finish(run.id, RunStatus.FINISHED, answer="42")
        recorded.set()
        await asyncio.Event().wait()

    worker.work = work
    dispatcher.submit(run)
    await recorded.wait()
    dispatcher.cancel(run.id)
    assert await dispatcher.outcome(run.id) == RunFinished(run_id=run.id, answer="42")


async def test_a_fault_after_the_answer_was_recorded_does_not_hide_it(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")

    async def work(run: Run) -> Outcome | None:
        await store.runs.finish(run.id, RunStatus.FINISHED, answer="42")
        message = "boom"
        raise RuntimeError(message)

    worker.work = work
    dispatcher.submit(run)
    assert await dispatcher.outcome(run.id) == RunFinished(run_id=run.id, answer="42")


async def run_of(store: Store, sender: str, chat: str) -> Run:
    conversation = await store.conversations.get_or_create("fake", chat)
    return await store.runs.create(conversation.id, "do it", language="en", sender=sender)


async def test_who_has_fewest_at_work_comes_first_and_the_places_say_so(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    anns = [await run_of(store, "ann", f"a{number}") for number in range(5)]
    ben, cem = await run_of(store, "ben", "b"), await run_of(store, "cem", "c")
    for run in (*anns, ben, cem):
        dispatcher.submit(run)
    ahead = {standing.run.id: standing.ahead for standing in dispatcher.standings()}
    assert [ahead[run.id] for run in (ben, cem, *anns[2:])] == [2, 3, 4, 5, 6]
    worker.go.set()
    await dispatcher.idle()
    assert worker.began[:3] == [anns[0].id, anns[1].id, ben.id]
    assert worker.began.index(cem.id) < worker.began.index(anns[3].id)


async def test_a_delivery_that_takes_long_holds_up_nobody(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    dispatcher.at_once = 1
    delivering, told = asyncio.Event(), asyncio.Event()
    deliver = worker.deliver

    async def slowly(run: Run, outcome: Outcome) -> None:
        if run.id == first.id:
            delivering.set()
            await told.wait()
        await deliver(run, outcome)

    worker.deliver = slowly
    first, mine, other = [await new_run(store, chat) for chat in ("a", "a", "b")]
    for run in (first, mine, other):
        dispatcher.submit(run)
    worker.go.set()
    await delivering.wait()
    await dispatcher.outcome(mine.id)
    await dispatcher.outcome(other.id)
    assert worker.began == [first.id, mine.id, other.id]
    told.set()
    await dispatcher.idle()


async def test_while_a_run_asks_another_may_work_and_its_turn_is_not_lost(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    dispatcher.at_once = 1
    changes: list[int] = []
    dispatcher.watch(lambda: changes.append(1))
    first, second = await new_run(store, "a"), await new_run(store, "b")
    dispatcher.submit(first)
    dispatcher.submit(second)
    seen = len(changes)
    with dispatcher.asking(first.id):
        states = [standing.state for standing in dispatcher.standings()]
        assert states == [JobState.ASKING, JobState.WORKING]
        assert len(changes) > seen
    assert [standing.state for standing in dispatcher.standings()] == [JobState.WORKING] * 2
    with dispatcher.asking(RunId("r0")):
        pass
    worker.go.set()
    await dispatcher.idle()


async def test_a_run_that_asks_can_be_cancelled(
    store: Store, worker: FakeWorker, dispatcher: Dispatcher
) -> None:
    run = await new_run(store, "a")

    async def work(run: Run) -> Outcome | None:
        with dispatcher.asking(run.id):
            await worker.go.wait()
        return None

    worker.work = work
    dispatcher.submit(run)
    await settle()
    assert dispatcher.cancel(run.id)
    assert isinstance(await dispatcher.outcome(run.id), RunFailed)
