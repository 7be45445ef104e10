"""Which run starts when: one at a time per conversation, a few per machine, each person in turn."""

import asyncio
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from agent.events import FailureReason, RunFailed
from bot.outcome import reason_of, stored_outcome
from bot.owner import Owner, is_alive
from bot.snapshot import Outcome
from bot.turns import JobState, Standing, turns
from storage.cancellation import settled
from storage.records import ConversationId, Run, RunId, RunStatus
from storage.runs import Runs

_log = structlog.stdlib.get_logger(__name__)


class Worker(Protocol):
    """What a run's turn means."""

    async def work(self, run: Run) -> Outcome | None:
        """Drive the run to its end; None when another process has it. Cancelling it cancels the run."""
        ...

    async def deliver(self, run: Run, outcome: Outcome) -> None:
        """Tell the person, and note that they were told. Never raises."""
        ...

    async def serves(self, run: Run) -> bool:
        """Whether the chat that the run came from is one of ours."""
        ...


@dataclass(slots=True)
class _Job:
    run: Run
    ended: asyncio.Future[Outcome | None]
    """None when another process has the run, or when we shut down before its end."""
    state: JobState = JobState.QUEUED
    cancel: asyncio.Task[Outcome | None] | None = None
    """Puts on record that the run was cancelled; None while nobody has asked for that."""
    task: asyncio.Task[None] | None = None
    work: asyncio.Task[Outcome | None] | None = None


@dataclass(slots=True)
class Dispatcher:
    runs: Runs
    worker: Worker
    owner: Owner
    at_once: int = 2
    _jobs: dict[RunId, _Job] = field(default_factory=dict[RunId, _Job])
    """In the order of submission."""
    _watchers: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    _closing: bool = False

    def submit(self, run: Run) -> Standing:
        """Put the run in the queue; it starts at once when it can."""
        if run.id not in self._jobs:
            self._jobs[run.id] = _Job(run=run, ended=asyncio.get_running_loop().create_future())
            self._start_what_can()
        (standing,) = self._standings([self._jobs[run.id]])
        return standing

    async def outcome(self, run_id: RunId) -> Outcome | None:
        """How the run ended, once it is delivered; None when it goes on in another process, or later."""
        if (job := self._jobs.get(run_id)) is not None:
            return await asyncio.shield(job.ended)
        return stored_outcome(await self.runs.get(run_id))

    def standings(self, conversation_id: ConversationId | None = None) -> tuple[Standing, ...]:
        return self._standings(
            job
            for job in self._jobs.values()
            if conversation_id is None or job.run.conversation_id == conversation_id
        )

    def standing(self, run_id: RunId) -> Standing | None:
        """None for a run that is not here, or no longer."""
        job = self._jobs.get(run_id)
        return None if job is None else self._standings([job])[0]

    def refresh(self, run: Run) -> None:
        """The run's row has changed while it waits."""
        if (job := self._jobs.get(run.id)) is not None and job.state is JobState.QUEUED:
            job.run = run

    def watch(self, changed: Callable[[], None]) -> None:
        """Have it called whenever a run has begun or ended. It must not raise."""
        self._watchers.append(changed)

    @contextmanager
    def asking(self, run_id: RunId) -> Generator[None]:
        """While the run waits for its person, others may work in its stead.

        It goes on at once when the answer is there, be it one more than may work at a time: nobody should
        wait twice.
        """
        job = self._jobs.get(run_id)
        if job is None or job.state is not JobState.WORKING:
            yield
            return
        job.state = JobState.ASKING
        self._start_what_can()
        try:
            yield
        finally:
            job.state = JobState.WORKING

    def cancel(self, run_id: RunId) -> bool:
        """True when the run was waiting or at work. What it made so far is kept; the person is told.

        It is put on record at once: whatever ends this process while things are cleared up, the run does not
        come back to life.
        """
        job = self._jobs.get(run_id)
        if job is None or job.state is JobState.DELIVERING or job.run.status.is_final:
            return False
        if job.cancel is not None:
            return True  # a second blow would hit the clearing up
        job.cancel = asyncio.create_task(
            self._end(job.run, RunStatus.CANCELLED, FailureReason.CANCELLED), name=f"cancel {run_id}"
        )
        if job.work is not None:
            job.work.cancel()
        elif job.task is None:
            self._begin(job)
        return True

    async def recorded(self) -> None:
        """Wait until every cancel that was asked for is on record, or could not be put there."""
        if cancels := [job.cancel for job in self._jobs.values() if job.cancel is not None]:
            await asyncio.wait(cancels)

    async def interrupted(self) -> tuple[Run, ...]:
        """What dead processes left unfinished or untold; a run of a live process is not among them."""
        orphans = [
            run
            for run in (*await self.runs.undelivered(), *await self.runs.unfinished())
            if run.id not in self._jobs and not (run.owner and is_alive(run.owner, self.owner))
        ]
        return tuple([run for run in orphans if await self.worker.serves(run)])

    async def recover(self) -> tuple[Run, ...]:
        """Take up what was interrupted: what has ended is told first, then the oldest goes on."""
        taken = await self.interrupted()
        for run in taken:
            _log.info("run_recovered", run_id=run.id, status=run.status.value, attempt=run.attempt)
            self.submit(run)
        return taken

    async def idle(self) -> None:
        """Wait until every run that was submitted has ended."""
        while self._jobs:
            await asyncio.wait([job.ended for job in self._jobs.values()])
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Start nothing more and stop what runs where it is, but carry every cancel to its end."""
        self._closing = True
        tasks = {job.task: job for job in self._jobs.values() if job.task is not None}
        for task, job in tasks.items():
            if job.cancel is None:
                task.cancel()
        try:
            if tasks:
                await settled(asyncio.wait(tasks))
        finally:
            for job in self._jobs.values():
                if not job.ended.done():
                    job.ended.set_result(None)
            self._jobs.clear()

    def _start_what_can(self) -> None:
        while not self._closing and self._at_work() < self.at_once:
            job = next((job for job in self._turns() if self._is_free(job)), None)
            if job is None:
                break
            self._begin(job)
        for changed in self._watchers:
            changed()

    def _at_work(self) -> int:
        return sum(job.state is JobState.WORKING for job in self._jobs.values())

    def _is_free(self, job: _Job) -> bool:
        """No other run of its conversation is at it. One may be being delivered: that can take hours."""
        return not any(_is_under_way(other, job.run.conversation_id) for other in self._jobs.values())

    def _turns(self) -> list[_Job]:
        """Those that wait, as their turns come."""
        waiting = [job.run for job in self._jobs.values() if job.state is JobState.QUEUED]
        at_work = [job.run for job in self._jobs.values() if job.state is JobState.WORKING]
        return [self._jobs[run.id] for run in turns(waiting, at_work)]

    def _begin(self, job: _Job) -> None:
        job.state = JobState.WORKING
        job.task = asyncio.create_task(self._drive(job), name=f"run {job.run.id}")

    async def _drive(self, job: _Job) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await self._outcome(job)
            job.state = JobState.DELIVERING
            self._start_what_can()
            if outcome is not None:
                reason = outcome.reason.value if isinstance(outcome, RunFailed) else None
                _log.info("run_ended", run_id=job.run.id, reason=reason)
                await self.worker.deliver(job.run, outcome)
        finally:
            del self._jobs[job.run.id]
            job.ended.set_result(outcome)
            self._start_what_can()

    async def _outcome(self, job: _Job) -> Outcome | None:
        try:
            return await self._turn(job)
        except Exception as fault:
            return await self._failed(job, fault)

    async def _turn(self, job: _Job) -> Outcome | None:
        """How the run ended; where a cancel was asked for, what is on record, be it an answer."""
        if (ended := stored_outcome(job.run)) is not None:
            mine = await self.runs.take_over(job.run.id, str(self.owner), left_by=job.run.owner)
            return ended if mine else None
        outcome = await self._work(job) if job.cancel is None else None
        return outcome if job.cancel is None else await job.cancel

    async def _work(self, job: _Job) -> Outcome | None:
        job.work = asyncio.create_task(self.worker.work(job.run), name=f"work {job.run.id}")
        try:
            return await job.work
        except asyncio.CancelledError:
            if job.cancel is None:
                raise
            return None

    async def _failed(self, job: _Job, fault: Exception) -> Outcome | None:
        """What becomes of a run when the agent or the record of its end let us down."""
        status = RunStatus.FAILED
        reason, detail = reason_of(fault, job.run.id)
        if job.cancel is not None:
            status, reason = RunStatus.CANCELLED, FailureReason.CANCELLED
        try:
            return await self._end(job.run, status, reason, detail)
        except Exception as again:
            # The next start will find the run as it stood. The person who waits here is told nevertheless.
            reason, detail = reason_of(again, job.run.id)
            return stored_outcome(job.run) or RunFailed(run_id=job.run.id, reason=reason, detail=detail)

    async def _end(
        self, run: Run, status: RunStatus, reason: FailureReason, detail: str | None = None
    ) -> Outcome | None:
        """The outcome on record, put there unless there is one; None when another process has the run."""
        owner = (await self.runs.get(run.id)).owner
        if owner and owner != str(self.owner) and is_alive(owner, self.owner):
            return None
        await self.runs.finish(run.id, status, failure=reason, failure_detail=detail, owner=str(self.owner))
        return stored_outcome(await self.runs.get(run.id))

    def _standings(self, jobs: Iterable[_Job]) -> tuple[Standing, ...]:
        places = {job.run.id: place for place, job in enumerate(self._turns())}
        return tuple(
            Standing(
                run=job.run,
                state=job.state,
                ahead=places[job.run.id] + self._in_front(job) if job.run.id in places else 0,
                cancelled=job.cancel is not None,
            )
            for job in jobs
        )

    def _in_front(self, job: _Job) -> int:
        """Those at work, and one of the same conversation in any case."""
        return sum(
            other.state is JobState.WORKING or _is_under_way(other, job.run.conversation_id)
            for other in self._jobs.values()
        )


def _is_under_way(job: _Job, conversation_id: ConversationId) -> bool:
    return job.run.conversation_id == conversation_id and job.state in (JobState.WORKING, JobState.ASKING)
