"""Events have numbers without gaps, run by run."""

import pytest

from storage.database import Database
from storage.errors import NoSuchRun
from storage.events import Events
from storage.records import Run, RunId
from storage.runs import Runs


async def test_each_run_counts_for_itself(database: Database, run: Run) -> None:
    events = Events(database)
    other = await Runs(database).create(run.conversation_id, "again", language="en")
    for target in (run, other, run):
        await events.append(target.id, "tick", {"n": 1, "x": [None, True, 0.5, "я"]})
    assert [event.seq for event in await events.of(run.id)] == [1, 2]
    assert [event.seq for event in await events.of(other.id)] == [1]


async def test_a_reader_goes_on_where_it_stopped(database: Database, run: Run) -> None:
    events = Events(database)
    made = [await events.append(run.id, f"kind-{n}", {"n": n}) for n in range(4)]
    assert await events.of(run.id, after=2) == tuple(made[2:])
    assert await events.of(run.id, after=4) == ()


async def test_an_event_of_no_run_is_refused(database: Database) -> None:
    with pytest.raises(NoSuchRun):
        await Events(database).append(RunId("r0"), "tick", {})
    assert await Events(database).of(RunId("r0")) == ()


async def test_a_payload_that_json_cannot_say_is_refused_and_takes_no_number(
    database: Database, run: Run
) -> None:
    events = Events(database)
    with pytest.raises(TypeError):
        await events.append(run.id, "tick", {"set": {1}})
    assert (await events.append(run.id, "tick", {})).seq == 1
