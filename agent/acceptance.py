"""The acceptance: the last look at a run's results before its person gets them."""

import hashlib
import json
from dataclasses import dataclass, field, replace

import structlog

from agent import scripts
from agent.checking import can_check, complaint
from agent.events import Checking, ResultsVerified
from agent.groundwork import unchanged
from agent.inspection import Inspection, inspect
from agent.outputs import chosen, is_delivered
from agent.plan import Plan
from agent.rendering import Rendering
from agent.rerun import Compared, rerun
from agent.run import RunContext
from agent.scripts import Scripts
from agent.verification import Rerun, Verification

MAX_ASSUMPTIONS = 8
MEND_ANSWER = (
    "Your answer was checked before the person gets it. Give it anew, whole, without a call: with figures "
    "from the reports exactly as they stand there, and without those that no report has."
)

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True)
class Acceptance:
    """Of one run. It never fails a run that has an answer: what could not be checked is said instead."""

    context: RunContext
    told: bool = False
    rendering: Rendering = field(default_factory=Rendering)
    """Of all deliverables, once they were verified."""
    inspected: dict[str, Inspection] = field(default_factory=dict[str, Inspection])
    """By answer and files: also what failed, which nobody is to wait for twice."""

    async def complaint(self, answer: str, plan: Plan) -> str:
        """What the author of the answer should mend in it; empty when there is nothing, or no budget."""
        if self.context.models.offline or self.context.budget.nearly_used or not self._has_work():
            return ""
        verification = (await self._check(answer, plan)).verification
        own = tuple(item for item in verification.untraced if not item.file)
        return complaint(replace(verification, untraced=own, findings=()), MEND_ANSWER) if own else ""

    async def verify(self, answer: str, plan: Plan, written: Scripts) -> Verification | None:
        """All that can be found out without a person; None where there is nothing to check."""
        if not self._has_work():
            return None
        found = await self._check(answer, plan)
        compared = await self._rerun(written)
        self.rendering = found.rendering
        verification = replace(found.verification, rerun=compared.rerun, differences=compared.differences)
        await self.context.tell(ResultsVerified(run_id=self.context.id, verification=verification))
        return verification

    def _has_work(self) -> bool:
        """A chat's answer gets no ceremony: no script has run, so there is no result."""
        code = self.context.folder.path / "code"
        return can_check(self.context) and any(
            scripts.read_names(folder) for folder in code.iterdir() if folder.is_dir()
        )

    async def _check(self, answer: str, plan: Plan) -> Inspection:
        context = self.context
        if not self.told:
            self.told = True
            await context.tell(Checking(run_id=context.id))
        outputs = await chosen(context.folder.out, plan, answer, await unchanged(context))
        files = [item.path for item in outputs if item.deliverable and is_delivered(item.path)]
        facts = json.dumps([answer, [(item.path, item.size) for item in outputs if item.deliverable]])
        key = f"check:{hashlib.sha256(facts.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}"
        if key not in self.inspected:
            self.inspected[key] = await inspect(context, key, files, answer=answer)
        return self.inspected[key]

    async def _rerun(self, written: Scripts) -> Compared:
        try:
            return await rerun(self.context, written)
        except OSError as error:
            _log.warning("rerun_impossible", run_id=self.context.id, reason=str(error))
            return Compared(rerun=Rerun.SKIPPED)


def stating_all(answer: str, verification: Verification | None) -> str:
    """`answer`, and below it what its scripts took for granted, as far as it does not say so itself."""
    said = " ".join(answer.split())
    missing = [text for text in (verification.assumptions if verification else ()) if text not in said]
    return "\n\n".join([answer, *(f"> {text}" for text in missing[:MAX_ASSUMPTIONS])])
