"""The profile of the input files, made in the sandbox before anything is planned."""

import json
from dataclasses import replace
from functools import partial
from typing import cast

from agent import layout
from agent.bench import Bench
from agent.context import cut_middle
from agent.run import RunContext
from sandbox.session import RunResult

SCRIPT = "profile_inputs.py"
SOURCE = """import table_profile

table_profile.print_profile(sample_rows={sample_rows})
"""
LEDGER_KEY = "profile"
TABLES_KEY = "profile-tables"
MAX_TEXT = 9_000
"""Characters of the profile in every prompt, about 2,300 tokens."""


async def profile_inputs(context: RunContext) -> str:
    """What the profiler says of the run's files, for the prompts; empty without files. Made once per run.

    Raises:
        SandboxUnavailable: the engine failed twice.
    """
    files = tuple(item for item in context.run.inputs if not item.brand)
    if not files:
        return ""
    known = await context.ledger.get(context.id, LEDGER_KEY)
    if known is not None:
        return known
    context.budget.check()
    context = replace(context, run=replace(context.run, inputs=files))
    waiting = partial(context.sandbox_waits, None)
    source = SOURCE.format(sample_rows=context.sample_rows)
    async with Bench(context.sandbox, context.workspace("profile", "0"), waiting=waiting) as bench:
        findings = await bench.use(lambda session: session.write(SCRIPT, source))
        if any(finding.fatal for finding in findings):  # a team's own `eda` has another library
            text = "The files were not profiled: read them with care, a part at a time."
        else:
            result = await bench.use(lambda session: session.run(SCRIPT))
            await context.journal.script_ran(None, SCRIPT, result)
            text = profile_text(result, sample_rows=context.sample_rows)
            tables = layout.tables_of((result.stdout.strip().splitlines() or [""])[-1])
            await context.ledger.put(context.id, TABLES_KEY, layout.dump(tables))
    return await context.ledger.put(context.id, LEDGER_KEY, text)


async def profiled_tables(context: RunContext) -> tuple[layout.Table, ...]:
    """What `profile_inputs` found."""
    known = await context.ledger.get(context.id, TABLES_KEY)
    return () if known is None else layout.load(known)


def profile_text(result: RunResult, *, sample_rows: bool = True) -> str:
    """The profiler prints one line of JSON, whose `text` is made for reading. Without `sample_rows` nothing
    of a traceback is told either: it may quote a cell."""
    if result.succeeded:
        try:
            said: object = json.loads(result.stdout.strip().splitlines()[-1])
        except (ValueError, IndexError, RecursionError):
            said = None
        if isinstance(said, dict):
            text = cast("dict[str, object]", said).get("text")
            if isinstance(text, str):
                return cut_middle(text, MAX_TEXT)
    detail = cut_middle(result.stderr.strip(), 1_000) if sample_rows else ""
    return (
        f"The files could not be profiled ({result.status.value}); read them with care, a part at a time.\n"
        f"{detail}"
    ).strip()
