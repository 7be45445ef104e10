"""A run from its row in the database to its last event: lays out, works, records; goes on after a crash."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from agent.budget import Budget, Limit, Limits
from agent.errors import BudgetExceeded, ModelUnavailable, ModelUnusable
from agent.events import FailureReason, RunEvent, RunFailed, RunFinished, RunStarted
from agent.folder import RunFolder
from agent.journal import Journal
from agent.models import Models
from agent.orchestrator import Orchestrator
from agent.outputs import save_outputs
from agent.plan import Plan
from agent.profiling import profile_inputs
from agent.run import RunContext
from sandbox.errors import SandboxUnavailable
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog
from storage.artifacts import ArtifactStore, save_to
from storage.events import Events
from storage.ledger import Ledger
from storage.records import Run, RunId, RunStatus
from storage.runs import Runs

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: an answer, or a reason why there is none."""

    answer: str = ""
    reason: FailureReason | None = None
    detail: str = ""

    @property
    def status(self) -> RunStatus:
        if self.reason is None:
            return RunStatus.FINISHED
        return RunStatus.CANCELLED if self.reason is FailureReason.CANCELLED else RunStatus.FAILED

    def event(self, run_id: RunId) -> RunFinished | RunFailed:
        if self.reason is None:
            return RunFinished(run_id=run_id, answer=self.answer)
        return RunFailed(run_id=run_id, reason=self.reason, detail=self.detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    models: Models
    sandbox: Sandbox
    catalog: SkillCatalog
    runs: Runs
    events: Events
    artifacts: ArtifactStore
    ledger: Ledger
    checkpointer: BaseCheckpointSaver[str]
    limits: Limits
    folder: Path
    """The folder of all runs."""
    owner: str
    """Names this process, so that another one can tell whether a run's worker is alive."""
    is_dead: Callable[[str], bool]
    """Whether the process of that name is gone for certain."""
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the process is about to end: see `run`."""

    async def run(self, run_id: RunId) -> AsyncGenerator[RunEvent]:
        """Do the run and yield what happens; the last event is RunFinished or RunFailed.

        Closing the generator, or cancelling the task that reads it, cancels the run: its outcome is recorded
        and its containers are gone before that returns. While `stopping` is set, the run stays open and
        the next start goes on with it. Nothing is yielded for a run that another process has.

        Raises:
            NotFound: there is no such run.
            StorageUnavailable: the database cannot be reached.
        """
        found = await self.runs.get(run_id)
        left_by = found.owner if found.owner and self.is_dead(found.owner) else None
        run = await self.runs.claim(run_id, self.owner, left_by=left_by)
        if run is None:
            return
        context = self._context(run)
        work = asyncio.create_task(self._work(context), name=f"run {run_id}")
        try:
            while (event := await context.journal.told.get()) is not None:
                yield event
            await work
        finally:
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work

    def _context(self, run: Run) -> RunContext:
        folder = RunFolder(self.folder / run.id)
        folder.make()
        budget = Budget(self.limits, run.usage)
        return RunContext(
            run=run,
            folder=folder,
            models=self.models,
            sandbox=self.sandbox,
            catalog=self.catalog,
            budget=budget,
            journal=Journal(run.id, folder, runs=self.runs, events=self.events, budget=budget),
            ledger=self.ledger,
            checkpointer=self.checkpointer,
        )

    async def _work(self, context: RunContext) -> None:
        try:
            outcome = await self._outcome(context)
            await self._close(context, outcome)
        except asyncio.CancelledError:
            if not self.stopping.is_set():
                await asyncio.shield(self._close(context, Outcome(reason=FailureReason.CANCELLED)))
            raise
        finally:
            context.journal.told.put_nowait(None)

    async def _outcome(self, context: RunContext) -> Outcome:
        clock = asyncio.timeout(context.budget.seconds_left)
        try:
            async with clock:
                return Outcome(answer=await self._answer(context))
        except BudgetExceeded as error:
            return Outcome(reason=FailureReason.BUDGET, detail=error.limit)
        except SandboxUnavailable as error:
            return Outcome(reason=FailureReason.SANDBOX, detail=str(error))
        except (ModelUnavailable, ModelUnusable) as error:
            return Outcome(reason=FailureReason.MODEL, detail=str(error))
        except Exception:
            if clock.expired():
                return Outcome(reason=FailureReason.BUDGET, detail=Limit.SECONDS)
            fault = secrets.token_hex(4)
            log.exception("run %s failed, fault %s", context.id, fault)
            return Outcome(reason=FailureReason.INTERNAL, detail=fault)

    async def _answer(self, context: RunContext) -> str:
        run = context.run
        await context.tell(
            RunStarted(
                run_id=run.id,
                request=run.request,
                files=tuple(item.original for item in run.inputs),
                model=self.models.name,
                resumed=run.attempt > 1,
            )
        )
        for item in run.inputs:
            path = context.folder.inputs / item.name
            if not path.exists():
                await save_to(self.artifacts, item.artifact_id, path)
        return await Orchestrator(replace(context, profile=await profile_inputs(context))).answer()

    async def _close(self, context: RunContext, outcome: Outcome) -> None:
        """What was made is kept, however the run ended."""
        try:
            plan = await self._plan(context.id)
            for saved in await save_outputs(context.id, context.folder, plan, outcome.answer, self.artifacts):
                await context.tell(saved)
        except Exception:
            fault = secrets.token_hex(4)
            log.exception("outputs of run %s were not stored, fault %s", context.id, fault)
            outcome = outcome if outcome.reason else Outcome(reason=FailureReason.INTERNAL, detail=fault)
        await self.runs.finish(
            context.id,
            outcome.status,
            answer=outcome.answer or None,
            failure=outcome.reason.value if outcome.reason else None,
            failure_detail=outcome.detail or None,
        )
        context.folder.drop_inputs()
        await context.tell(outcome.event(context.id))

    async def _plan(self, run_id: RunId) -> Plan:
        found = await self.checkpointer.aget(RunnableConfig(configurable={"thread_id": run_id}))
        values = cast("dict[str, object]", found["channel_values"]) if found else {}
        plan = values.get("plan")
        return plan if isinstance(plan, Plan) else Plan()
