"""A run from its row in the database to its last event: lays out, works, records; goes on after a crash."""

import asyncio
import errno
import logging
import secrets
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from langchain_core.runnables import RunnableConfig

from agent import scripts
from agent.acceptance import Acceptance, stating_all
from agent.again import Again
from agent.asking import Asker, assumed, stating
from agent.budget import Budget, Limit, Limits
from agent.context import seen
from agent.earlier import MAX_RUNS, earlier
from agent.errors import BudgetExceeded, ModelUnavailable, ModelUnusable, OtherVersion
from agent.events import FailureReason, RunEvent, RunStarted
from agent.folder import RunFolder
from agent.groundwork import built_on, find_groundwork, unchanged
from agent.journal import Journal
from agent.models import Models
from agent.orchestrator import Orchestrator
from agent.outcome import Outcome
from agent.outputs import save_outputs
from agent.plan import Plan
from agent.profiling import profile_inputs, profiled_tables
from agent.records import keep_records
from agent.rendering import save_previews
from agent.rules import PolicyRules
from agent.run import RunContext
from sandbox.errors import SandboxUnavailable
from sandbox.session import Sandbox
from skills.catalog import SkillCatalog
from storage.artifacts import ArtifactStore, save_to
from storage.cancellation import settled
from storage.checkpoints import Checkpointer
from storage.conversations import Conversations
from storage.errors import StorageError, UnknownType
from storage.events import Events
from storage.ledger import Ledger
from storage.records import Run, RunId
from storage.runs import Runs

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
"""Starts of one run: what ends the process five times is not tried a sixth time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    models: Models
    sandbox: Sandbox
    catalog: SkillCatalog
    conversations: Conversations
    runs: Runs
    events: Events
    artifacts: ArtifactStore
    ledger: Ledger
    checkpointer: Checkpointer
    limits: Limits
    rules: PolicyRules
    folder: Path
    """The folder of all runs."""
    languages: tuple[str, ...] = ()
    """Suffixes of the scripts that the sandbox runs beside Python's."""
    owner: str
    """Names this process, so that another one can tell whether a run's worker is alive."""
    is_dead: Callable[[str], bool]
    """Whether the process of that name is gone for certain."""
    asker: Asker | None = None
    """Asks people; None where nobody could answer, and models are told of no such tool."""
    sample_rows: bool = True
    """See RunContext."""
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
        try:
            context = self._context(run)
        except OSError as error:
            log.exception("run %s has no folder", run_id)
            outcome = Outcome(reason=FailureReason.STORAGE, detail=error.strerror or "")
            yield (await self._record(run_id, outcome)).event(run_id)
            return
        work = asyncio.create_task(self._work(context), name=f"run {run_id}")
        try:
            while (event := await context.journal.told.get()) is not None:
                yield event
            await work
        finally:
            work.cancel()
            await settled(asyncio.wait([work]))
            if not work.cancelled():
                work.exception()  # told already, or of no use to one who has gone

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
            languages=self.languages,
            budget=budget,
            journal=Journal(run.id, folder, runs=self.runs, events=self.events, budget=budget),
            ledger=self.ledger,
            artifacts=self.artifacts,
            checkpointer=self.checkpointer,
            rules=self.rules,
            asker=self.asker,
            sample_rows=self.sample_rows,
        )

    async def _work(self, context: RunContext) -> None:
        try:
            try:
                outcome = await self._outcome(context)
            except asyncio.CancelledError:
                if not self.stopping.is_set():
                    await settled(self._close(context, Outcome(reason=FailureReason.CANCELLED)))
                raise
            await settled(self._close(context, outcome))  # what is known is recorded, whatever comes now
        finally:
            context.journal.told.put_nowait(None)

    async def _outcome(self, context: RunContext) -> Outcome:
        if context.run.attempt > MAX_ATTEMPTS:
            return self._internal(context, f"given up after {MAX_ATTEMPTS} attempts")
        clock = context.budget.deadline()
        try:
            async with clock:
                return await self._answered(context)
        except BudgetExceeded as error:
            return Outcome(reason=FailureReason.BUDGET, detail=error.limit)
        except SandboxUnavailable as error:
            return Outcome(reason=FailureReason.SANDBOX, detail=str(error))
        except (ModelUnavailable, ModelUnusable) as error:
            return Outcome(reason=FailureReason.MODEL, detail=str(error))
        except OtherVersion:
            log.exception("run %s was begun by another version", context.id)
            return Outcome(reason=FailureReason.UPDATED)
        except StorageError as error:
            log.exception("run %s: storage failed", context.id)
            return Outcome(reason=FailureReason.STORAGE, detail=str(error))
        except Exception as error:
            if clock.expired():
                return Outcome(reason=FailureReason.BUDGET, detail=Limit.SECONDS)
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                return Outcome(reason=FailureReason.STORAGE, detail=error.strerror or "")
            return self._internal(context, "failed")

    def _internal(self, context: RunContext, what: str) -> Outcome:
        """A fault of ours: the person gets an id, the log the rest."""
        fault = secrets.token_hex(4)
        log.error("run %s %s, fault %s", context.id, what, fault, exc_info=True)
        return Outcome(reason=FailureReason.INTERNAL, detail=fault)

    async def _answered(self, context: RunContext) -> Outcome:
        run = context.run
        await context.tell(
            RunStarted(
                run_id=run.id,
                request=run.request,
                files=tuple(item.original for item in run.inputs if not item.brand),
                model=self.models.name,
                resumed=run.attempt > 1,
            )
        )
        for item in run.inputs:
            path = context.folder.inputs / item.name
            if not path.exists():
                await save_to(self.artifacts, item.artifact_id, path)
        conversation = await self.conversations.get(run.conversation_id)
        others = await self.runs.list(2 * MAX_RUNS + 4, conversation_id=conversation.id)
        context = replace(
            context,
            run=replace(run, request=seen(run.request)),
            chat=f"{conversation.platform}/{conversation.key}",
            earlier=earlier(run, others, conversation.begun_after),
        )
        profile = seen(await profile_inputs(context))
        context = replace(context, profile=profile, tables=await profiled_tables(context))
        ground = await find_groundwork(context)
        again = Again.of(context, ground) if ground is not None and ground.redone else None
        repeated = None if again is None else await again.answer()
        if again is not None and repeated is not None:
            return await self._accepted(again.context, Acceptance(again.context), *repeated)
        if not self.models.offline:  # recipes mend nothing
            context = replace(context, groundwork=ground)
        acceptance = Acceptance(context)
        answer = await Orchestrator(context, acceptance).answer()
        return await self._accepted(context, acceptance, answer, await self._plan(context.id))

    async def _accepted(
        self, context: RunContext, acceptance: Acceptance, answer: str, plan: Plan
    ) -> Outcome:
        """The answer with what was assumed, when its results have been checked."""
        events = await self.events.of(context.id)
        answer = stating(answer, assumed(events))
        written = await scripts.written(context, plan, events, self.artifacts)
        written = await built_on(context, written)
        verification = await acceptance.verify(answer, plan, written)
        return Outcome(
            answer=stating_all(answer, verification),
            plan=plan,
            written=written,
            rendering=acceptance.rendering,
        )

    async def _close(self, context: RunContext, outcome: Outcome) -> None:
        """What was made is kept, however the run ended; whoever ended it first is told."""
        if outcome.reason is FailureReason.CANCELLED:
            await self._record(context.id, outcome)  # before all else: it must not come to life again
        try:
            plan = outcome.plan or await self._plan(context.id)
            known = await unchanged(context)
            for saved in await save_outputs(
                context.id, context.folder, plan, outcome.answer, self.artifacts, known
            ):
                await context.tell(saved)
            for saved in await save_previews(context.id, context.folder, outcome.rendering, self.artifacts):
                await context.tell(saved)
            await keep_records(context, outcome.written, self.artifacts)
        except Exception:
            # The answer is worth more than a copy of a file that still lies in out/.
            log.exception("outputs of run %s were not stored", context.id)
        outcome = await self._record(context.id, outcome)
        context.folder.drop_inputs()
        await context.tell(outcome.event(context.id))
        await self.checkpointer.forget(context.id)

    async def _record(self, run_id: RunId, outcome: Outcome) -> Outcome:
        """The outcome that stands in the database, which is another one when the run was ended elsewhere."""
        await self.runs.finish(
            run_id,
            outcome.status,
            answer=outcome.answer or None,
            failure=outcome.reason.value if outcome.reason else None,
            failure_detail=outcome.detail or None,
        )
        run = await self.runs.get(run_id)
        return Outcome(
            answer=run.answer or "",
            reason=FailureReason(run.failure) if run.failure else None,
            detail=run.failure_detail or "",
        )

    async def _plan(self, run_id: RunId) -> Plan:
        """As far as it can be read: files are kept without it too."""
        try:
            found = await self.checkpointer.aget(RunnableConfig(configurable={"thread_id": run_id}))
        except (UnknownType, ValueError, TypeError, LookupError):
            return Plan()
        values = cast("dict[str, object]", found["channel_values"]) if found else {}
        plan = values.get("plan")
        return plan if isinstance(plan, Plan) else Plan()
