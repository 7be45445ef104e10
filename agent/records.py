"""The records of a run: its facts and its scripts, kept as artifacts for questions and for other runs."""

import asyncio
from pathlib import Path

from agent import factbook, scripts
from agent.run import RunContext
from agent.scripts import Scripts
from storage.artifacts import ArtifactStore, put_bytes
from storage.records import ArtifactKind


async def keep_records(context: RunContext, written: Scripts, artifacts: ArtifactStore) -> None:
    """Nothing for a run without scripts. Putting the same again changes nothing.

    Raises: StorageError.
    """
    if not written.todos:
        return
    facts = await asyncio.to_thread(_facts, context.folder.out)
    for name, content in (
        (factbook.NAME, facts),
        (scripts.NAME, scripts.dump(written)),
    ):
        await put_bytes(
            artifacts,
            content,
            name=name,
            kind=ArtifactKind.RECORD,
            run_id=context.id,
            media_type="application/json",
        )


def _facts(out: Path) -> bytes:
    return factbook.dump(factbook.collect(out))
