"""Which run starts when: one at a time per conversation, a few per machine, the oldest first."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import structlog

from agent.events import FailureReason, RunFailed, RunFinished
from bot.owner import Owner, is_alive
from bot.snapshot import Outcome
from bot.telemetry import note_fault
from storage.errors import StorageError
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


class JobState(StrEnum):
    QUEUED = "queued"
    WORKING = "working"
    DELIVERING = "delivering"


@dataclass(slots=True)
class _Job:
    run: Run
    ended: asyncio.Future[Outcome | None]
    """None when another process has the run, or when we shut down before its end."""
    state: JobState = JobState.QUEUED
    cancelled: bool = False
    task: asyncio.Task[None] | None = None
    work: asyncio.Task[Outcome | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a run stands in this process."""

    run: Run
    state: JobState
    ahead: int = 0
    """Runs that come before it."""


@dataclass(slots=True)
class Dispatcher:
    runs: Runs
    worker: Worker
    owner: Owner
    at_once: int = 2
    _jobs: dict[RunId, _Job] = field(default_factory=dict[RunId, _Job])
    """In the order of submission, which is the order of turns."""
    _closing: bool = False

    def submit(self, run: Run) -> Standing:
        """Put the run in the queue; it starts at once when it can."""
        if run.id not in self._jobs:
            self._jobs[run.id] = _Job(run=run, ended=asyncio.get_running_loop().create_future())
            self._start_what_can()
        return self._standing(self._jobs[run.id])

    async def outcome(self, run_id: RunId) -> Outcome | None:
        """How the run ended, once it is delivered; None when it goes on in another process, or later."""
        if (job := self._jobs.get(run_id)) is not None:
            return await asyncio.shield(job.ended)
        return stored_outcome(await self.runs.get(run_id))

    def standings(self, conversation_id: ConversationId | None = None) -> tuple[Standing, ...]:
        return tuple(
            self._standing(job)
            for job in self._jobs.values()
            if conversation_id is None or job.run.conversation_id == conversation_id
        )

    def cancel(self, run_id: RunId) -> bool:
        """True when the run was waiting or at work. What it made so far is kept; the person is told."""
        job = self._jobs.get(run_id)
        if job is None or job.state is JobState.DELIVERING or job.run.status.is_final:
            return False
        if job.cancelled:
            return True  # a second blow would hit the clearing up
        job.cancelled = True
        if job.work is not None:
            job.work.cancel()
        elif job.task is None:
            self._begin(job)
        return True

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

    async def close(self, patience: float = 0.0) -> None:
        """Start nothing more, give running ones `patience` seconds, then stop them where they are."""
        self._closing = True
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        if tasks and patience:
            await asyncio.wait(tasks, timeout=patience)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for job in self._jobs.values():
            if not job.ended.done():
                job.ended.set_result(None)
        self._jobs.clear()

    def _start_what_can(self) -> None:
        for job in list(self._jobs.values()):
            if job.task is None and self._may_start(job):
                self._begin(job)

    def _may_start(self, job: _Job) -> bool:
        busy = [other for other in self._jobs.values() if other.task is not None]
        return (
            not self._closing
            and len(busy) < self.at_once
            and all(other.run.conversation_id != job.run.conversation_id for other in busy)
        )

    def _begin(self, job: _Job) -> None:
        job.state = JobState.WORKING
        job.task = asyncio.create_task(self._drive(job), name=f"run {job.run.id}")

    async def _drive(self, job: _Job) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await self._outcome(job)
            job.state = JobState.DELIVERING
            if outcome is not None:
                reason = outcome.reason.value if isinstance(outcome, RunFailed) else None
                _log.info("run_ended", run_id=job.run.id, reason=reason)
                await self.worker.deliver(job.run, outcome)
        finally:
            del self._jobs[job.run.id]
            job.ended.set_result(outcome)
            self._start_what_can()

    async def _outcome(self, job: _Job) -> Outcome | None:
        if (ended := stored_outcome(job.run)) is not None:
            mine = await self.runs.take_over(job.run.id, str(self.owner), left_by=job.run.owner)
            return ended if mine else None
        if job.cancelled:
            return await self._cancelled(job.run.id)
        job.work = asyncio.create_task(self.worker.work(job.run), name=f"work {job.run.id}")
        try:
            return await job.work
        except asyncio.CancelledError:
            if not job.cancelled:
                raise
            # The agent has recorded it, unless it was cancelled before it knew of the run.
            return await self._cancelled(job.run.id)
        except Exception as fault:
            detail = note_fault(fault, run_id=job.run.id)
            with suppress(StorageError):
                # The fault may have come when the answer was on record already.
                if (ended := stored_outcome(await self.runs.get(job.run.id))) is not None:
                    return ended
            return RunFailed(run_id=job.run.id, reason=FailureReason.INTERNAL, detail=detail)

    async def _cancelled(self, run_id: RunId) -> Outcome | None:
        """The outcome on record: a run that ended before it could be cancelled has its answer."""
        await self.runs.finish(
            run_id, RunStatus.CANCELLED, failure=FailureReason.CANCELLED, owner=str(self.owner)
        )
        return stored_outcome(await self.runs.get(run_id))

    def _standing(self, job: _Job) -> Standing:
        ahead = 0
        if job.state is JobState.QUEUED:
            earlier = list(self._jobs.values())
            ahead = earlier.index(job)
        return Standing(run=job.run, state=job.state, ahead=ahead)


def stored_outcome(run: Run) -> Outcome | None:
    """The outcome that is on record; None for a run that has not ended."""
    if run.status is RunStatus.FINISHED:
        return RunFinished(run_id=run.id, answer=run.answer or "")
    if not run.status.is_final:
        return None
    try:
        reason = FailureReason(run.failure or "")
    except ValueError:
        reason = FailureReason.CANCELLED if run.status is RunStatus.CANCELLED else FailureReason.INTERNAL
    return RunFailed(run_id=run.id, reason=reason, detail=run.failure_detail or "")
