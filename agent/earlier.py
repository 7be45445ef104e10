"""Earlier: what a conversation asked before and was told, for a request that goes on from there."""

from collections.abc import Iterable

from agent.context import cut_middle, seen
from storage.records import Run, RunId, RunStatus

MAX_RUNS = 3
MAX_REQUEST = 800
"""Characters."""
MAX_ANSWER = 2_000
"""Characters, about two screens of a phone."""


def earlier(run: Run, others: Iterable[Run], begun_after: RunId | None) -> str:
    """The last requests before `run` and what came of them, the newest last; empty for the first one.

    `others` are of the same conversation, the newest first. What was before `begun_after` is forgotten. Every
    line is quoted, so that nothing of it passes for a heading of ours.
    """
    before = [
        other
        for other in others
        if other.status.is_final
        and other.id < run.id
        and (begun_after is None or other.id > begun_after)
        and not (other.status is RunStatus.FAILED and other.request == run.request)  # this is another try
        and other.request.strip()
    ]
    return "\n\n".join(_told(other) for other in reversed(before[:MAX_RUNS]))


def _told(run: Run) -> str:
    if run.status is RunStatus.FINISHED:
        came = f"Answer:\n{_quoted(run.answer or '', MAX_ANSWER)}"
    else:
        came = f"No answer: {run.failure or run.status.value}"
    return f"Request:\n{_quoted(run.request, MAX_REQUEST)}\n{came}"


def _quoted(text: str, limit: int) -> str:
    return "\n".join(f"> {line}" for line in cut_middle(seen(text).strip(), limit).splitlines())
