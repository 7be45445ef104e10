"""The inspection of results: pictures of them, the gate with the tracing of numbers, and fresh eyes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from agent import rendering
from agent.bench import Bench
from agent.checking import check
from agent.rendering import Rendering, render
from agent.reviewer import review
from agent.run import RunContext
from agent.verification import Verification


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

    Raises: SandboxUnavailable: the engine failed twice.
    """
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
