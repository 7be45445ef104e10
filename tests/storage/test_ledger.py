"""A finished call has one answer."""

import asyncio

import pytest

from storage.database import Database
from storage.errors import NoSuchRun
from storage.ledger import Ledger
from storage.records import Run, RunId


async def test_the_first_answer_counts(database: Database, run: Run) -> None:
    ledger = Ledger(database)
    assert await ledger.get(run.id, "call-1") is None
    counted = await asyncio.gather(*(ledger.put(run.id, "call-1", f"answer {n}") for n in range(10)))
    assert len(set(counted)) == 1
    assert await ledger.get(run.id, "call-1") == counted[0]
    assert await ledger.get(run.id, "call-2") is None


async def test_an_answer_for_no_run_is_refused(database: Database) -> None:
    with pytest.raises(NoSuchRun):
        await Ledger(database).put(RunId("r0"), "call-1", "answer")
