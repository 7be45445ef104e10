"""How a run ended, as it is on record or about to be."""

import errno

from agent.events import FailureReason, RunFailed, RunFinished
from bot.snapshot import Outcome
from bot.telemetry import note_fault
from storage.errors import StorageUnavailable
from storage.records import Run, RunId, RunStatus

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def reason_of(fault: Exception, run_id: RunId) -> tuple[FailureReason, str]:
    """What a person can mend by making room or bringing the store back, as such; else an id of the log."""
    fault_id = note_fault(fault, run_id=run_id)
    if isinstance(fault, StorageUnavailable) or (isinstance(fault, OSError) and fault.errno in _NO_ROOM):
        return FailureReason.STORAGE, str(fault)
    return FailureReason.INTERNAL, fault_id


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
