"""The inspection of results: pictures of them, the gate with the tracing of numbers, and fresh eyes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import structlog

from agent import rendering
from agent.bench import Bench
from agent.checking import check, unchecked
from agent.rendering import Rendering, render
from agent.reviewer import review
from agent.run import RunContext
from agent.verification import Verification
from sandbox.errors import SandboxError

SPARE_SECONDS = 45.0
"""With less time left nothing is inspected: the work is done, and must not be lost to a deadline."""
MAX_SECONDS = 300.0
"""Finished work waits no longer for its inspection, a wait for containers included."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    verification: Verification
    rendering: Rendering = field(default_factory=Rendering)


async def inspect(
    context: RunContext,
    key: str,
    files: Sequence[str],
    *,
    answer: str,
    bench: Bench | None = None,
    todo_id: str | None = None,
) -> Inspection:
    """Of `files` of out/ and of a text; once for each `key` of the run's ledger. `bench` is that of the todo
    whose work it is, else there is a container for it.

    It never fails a run: what could not be checked is said instead.
    """
    left = context.budget.seconds_left
    reason = "no time was left"
    if left >= SPARE_SECONDS:
        try:
            async with asyncio.timeout(min(left - SPARE_SECONDS / 2, MAX_SECONDS)):
                return await _inspected(context, key, files, answer, bench, todo_id)
        except (SandboxError, OSError) as error:  # a TimeoutError is an OSError, and says nothing
            reason = str(error) or reason
    _log.warning("results_unchecked", run_id=context.id, todo_id=todo_id, reason=reason)
    return Inspection(verification=unchecked(reason))


async def _inspected(
    context: RunContext,
    key: str,
    files: Sequence[str],
    answer: str,
    bench: Bench | None,
    todo_id: str | None,
) -> Inspection:
    """Raises: SandboxError: the engine failed twice; OSError."""
    shown = await _rendered(context, files, todo_id)
    own = partial(check, context, key=key, files=files, answer=answer, todo_id=todo_id)
    pages = None if shown.unavailable else shown.pages
    if bench is not None:
        found = await own(bench, pages=pages)
    else:
        waiting = partial(context.sandbox_waits, todo_id)
        async with Bench(context.sandbox, context.workspace("check", "0"), waiting=waiting) as fresh:
            found = await own(fresh, pages=pages)
    seen = await review(context, shown, todo_id)
    known = {(item.code, item.file, item.place) for item in found.findings}
    further = [
        item
        for item in (*rendering.findings(shown), *seen)
        if (item.code, item.file, item.place) not in known
    ]
    return Inspection(verification=replace(found, findings=(*found.findings, *further)), rendering=shown)


async def _rendered(context: RunContext, files: Sequence[str], todo_id: str | None) -> Rendering:
    if not any(file.lower().endswith(rendering.SUFFIXES) for file in files):
        return Rendering()
    async with context.step(todo_id, "render_pages"):
        return await render(context, files)
