"""The scripts once more: from clean, in fresh containers, with an out/ of their own; facts are compared."""

import asyncio
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from agent import factbook, scripts
from agent.bench import Bench
from agent.factbook import EARLIER, Fact
from agent.run import RunContext
from agent.scripts import Scripts, TodoScripts
from agent.verification import Rerun
from sandbox.errors import NoSuchScript, SandboxUnavailable, UnsafeName
from sandbox.session import RunResult

LEDGER_KEY = "rerun"
SPARE = 1.5
"""What once took a second is given so many."""
SETTLING = 20.0
"""Seconds for containers and the rest, beside those of the scripts."""
MAX_EXTRA = 120.0
"""Seconds that the scripts may take longer than before."""
MAX_DIFFERENCES = 50
_DIGITS = 1e-9
"""Relative difference of floats that are the same: the order of a sum may differ, no printed digit."""


class Compared(BaseModel, frozen=True):
    rerun: Rerun
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of running scripts: the first that failed ends it."""

    failed: str = ""
    """Todo and script, and how it ended."""
    runs: tuple[tuple[str, str, RunResult], ...] = ()
    """Todo, script, result."""


async def rerun(context: RunContext, written: Scripts) -> Compared:
    """Run everything from clean and compare; once a run, and not when too little is left for it."""
    known = await context.ledger.get(context.id, LEDGER_KEY)
    if known is not None:
        return Compared.model_validate_json(known)
    if not written.todos or not _affordable(context, written.seconds):
        return Compared(rerun=Rerun.SKIPPED)
    folder = context.folder.path / "rerun"
    async with context.step(None, "rerun_scripts"):
        try:
            compared = await _compared(context, written, folder)
        except (SandboxUnavailable, TimeoutError):
            return Compared(rerun=Rerun.SKIPPED)  # the engine's fault says nothing about the scripts
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    kept = await context.ledger.put(context.id, LEDGER_KEY, compared.model_dump_json())
    return Compared.model_validate_json(kept)


async def _compared(context: RunContext, written: Scripts, folder: Path) -> Compared:
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)  # of an attempt that was interrupted
    clean = replace(context, folder=replace(context.folder, path=folder))
    for todo in written.todos:
        scripts.lay_out(todo, clean.folder.code(todo.id))
    clean.folder.out.mkdir(parents=True)
    async with asyncio.timeout(_allowance(context, written.seconds)):
        played = await play(clean, written.todos, inputs=context.folder.inputs, name="rerun")
    if played.failed:
        return Compared(rerun=Rerun.FAILED, differences=(played.failed,))
    before = await asyncio.to_thread(factbook.collect, context.folder.out)
    after = await asyncio.to_thread(factbook.collect, clean.folder.out)
    told = differences([fact for fact in before if fact.ledger != EARLIER], after)
    return Compared(rerun=Rerun.DIFFERENT if told else Rerun.IDENTICAL, differences=told)


async def play(
    context: RunContext,
    todos: Sequence[TodoScripts],
    *,
    inputs: Path,
    name: str = "",
) -> Played:
    """Run the scripts that lie in code/ of the context's folder, each todo in a container of its own.

    `name` is of a run beside the real one: its scripts are then nobody's todo.

    Raises: SandboxUnavailable: the engine failed twice.
    """
    ran: list[tuple[str, str, RunResult]] = []
    for place, todo in enumerate(todos):
        told = None if name else todo.id
        workspace = context.workspace(todo.id, name or f"again{place}", todo.skills)
        workspace = replace(
            workspace,
            inputs=tuple(replace(item, source=inputs / item.source.name) for item in workspace.inputs),
        )
        waiting = partial(context.sandbox_waits, told)
        async with Bench(context.sandbox, workspace, waiting=waiting) as bench:
            for script in todo.runs:
                try:
                    result = await bench.use(lambda session, script=script: session.run(script))
                except (NoSuchScript, UnsafeName):
                    return Played(failed=f"{todo.id}/{script}: not accepted any more", runs=tuple(ran))
                await context.journal.script_ran(told, script, result)
                ran.append((todo.id, script, result))
                if not result.succeeded:
                    return Played(failed=f"{todo.id}/{script}: {_reason(result)}", runs=tuple(ran))
    return Played(runs=tuple(ran))


def differences(before: Sequence[Fact], after: Sequence[Fact]) -> tuple[str, ...]:
    """Facts that are not the same, one line each: `revenue: 847,368.30 → 847,368.31`."""
    old, new = _by_key(before), _by_key(after)
    told = [
        f"{fact.id or fact.kind}: {_shown(fact)} → {_shown(new[key]) if key in new else '—'}"
        for key, fact in old.items()
        if key not in new or not same(fact, new[key])
    ]
    told += [f"{fact.id or fact.kind}: — → {_shown(fact)}" for key, fact in new.items() if key not in old]
    return tuple(told[:MAX_DIFFERENCES])


def same(one: Fact, other: Fact) -> bool:
    return (
        one.text == other.text
        and _equal(one.value, other.value)
        and len(one.values) == len(other.values)
        and all(map(_equal, one.values, other.values))
    )


def _affordable(context: RunContext, seconds: float) -> bool:
    budget = context.budget
    sandbox_left = budget.limits.sandbox_seconds - budget.used.sandbox_seconds
    return (
        seconds <= budget.limits.rerun_seconds
        and budget.limits.rerun_seconds > 0
        and seconds * SPARE <= sandbox_left
        and seconds * SPARE + 2 * SETTLING <= budget.seconds_left
    )


def _allowance(context: RunContext, seconds: float) -> float:
    """More than it took: other runs may be at work. Never so much that the run itself would fail for it, or
    that its person waits long for an answer that is there."""
    most = min(4 * seconds, seconds + MAX_EXTRA) + 3 * SETTLING
    return min(most, context.budget.seconds_left - SETTLING)


def _by_key(facts: Sequence[Fact]) -> Mapping[tuple[str, ...], Fact]:
    """Two todos may use one id, and a deck draws many charts under one target: counted in their order."""
    found: dict[tuple[str, ...], Fact] = {}
    seen: dict[tuple[str, ...], int] = {}
    for fact in facts:
        key = (fact.kind, fact.script, fact.id, fact.target)
        seen[key] = seen.get(key, 0) + 1
        found[*key, str(seen[key])] = fact
    return found


def _shown(fact: Fact) -> str:
    if fact.values:
        return f"{len(fact.values)} numbers"
    return (fact.text or str(fact.value))[:80]


def _equal(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_DIGITS)
    return one == other


def _reason(result: RunResult) -> str:
    last = (result.stderr.strip().splitlines() or [""])[-1]
    return f"{result.status.value} {last[:200]}".strip()
