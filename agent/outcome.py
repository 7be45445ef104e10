"""How a run ended: an answer, or a reason why there is none."""

from dataclasses import dataclass, field

from agent.events import FailureReason, RunFailed, RunFinished
from agent.plan import Plan
from agent.rendering import Rendering
from agent.scripts import Scripts
from storage.records import RunId, RunStatus


@dataclass(frozen=True, slots=True)
class Outcome:
    answer: str = ""
    reason: FailureReason | None = None
    detail: str = ""
    plan: Plan | None = None
    """None where only its checkpoint tells."""
    written: Scripts = field(default_factory=Scripts)
    """What was run for the answer."""
    rendering: Rendering = field(default_factory=Rendering)

    @property
    def status(self) -> RunStatus:
        if self.reason is None:
            return RunStatus.FINISHED
        return RunStatus.CANCELLED if self.reason is FailureReason.CANCELLED else RunStatus.FAILED

    def event(self, run_id: RunId) -> RunFinished | RunFailed:
        if self.reason is None:
            return RunFinished(run_id=run_id, answer=self.answer)
        return RunFailed(run_id=run_id, reason=self.reason, detail=self.detail)
