import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.budget import Limits
from agent.events import ResultsVerified
from agent.factbook import Fact
from agent.rerun import differences
from agent.scripts import of_run
from agent.verification import Rerun, Verification
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.agent.results import LEDGER, catalog, checked, fact, played
from tests.agent.test_checking import UNRENDERED, verified, workbook
from tests.agent.test_runner import models_at
from tests.endpoint import in_turn, serve
from tests.fakes import FakeRun, FakeSandbox


def states(text: str, value: float) -> FakeRun:
    return FakeRun(files={"deck.xlsx": workbook(), LEDGER: fact("revenue", value, text)})


def sandbox(*runs: FakeRun) -> FakeSandbox:
    fake = FakeSandbox()
    fake.plan("check_results.py", checked())
    fake.plan("render_files.py", UNRENDERED)
    fake.plan("01.py", *runs)
    return fake


async def ended(folder: Path, fake: FakeSandbox, **options: Any) -> Verification:
    async with (
        serve(in_turn(*played())) as endpoint,
        open_line(folder, models_at(endpoint), fake, catalog=catalog(folder), **options) as line,
    ):
        run = await line.run(await line.ask("Revenue?"))
        kept = await of_run(line.artifacts, run.id)
    assert run.status is RunStatus.FINISHED
    assert not (folder / "runs" / run.id / "rerun").exists()
    assert kept is not None
    assert [(todo.id, todo.runs) for todo in kept.todos] == [("deck", ("01.py",))]
    assert sorted(kept.todos[0].sources) == ["01.py", "_todo.py"]
    assert kept.todos[0].sources["_todo.py"] == f'NAME = "deck"\nLANGUAGE = "{run.language}"\n'
    return verified(line)


def test_facts_are_the_same_when_values_texts_and_numbers_are() -> None:
    def one(value: object = 2.0, text: str = "2", **more: Any) -> Fact:
        return Fact.model_validate({"kind": "fact", "id": "n", "value": value, "text": text} | more)

    assert differences([one(0.1 + 0.2)], [one(0.3)]) == ()
    assert differences([one()], [one(2.1, "2.1")]) == ("n: 2 → 2.1",)
    assert differences([one(values=[1, 2])], [one(values=[1, 3])]) == ("n: 2 numbers → 2 numbers",)
    assert differences([one()], []) == ("n: 2 → —",)
    assert differences([], [one()]) == ("n: — → 2",)
    assert differences([one(), one(3, "3")], [one(), one(4, "4")]) == ("n: 3 → 4",), "counted in their order"
    assert differences([one(script="a.py")], [one(script="b.py")]) != ()


async def test_the_same_facts_are_told_as_identical_and_scripts_have_an_out_of_their_own(
    tmp_path: Path,
) -> None:
    fake = sandbox(states("847,368.30", 847368.3))
    assert (await ended(tmp_path, fake)).rerun is Rerun.IDENTICAL
    first, again = (session.workspace for session in fake.sessions if ("run", "01.py") in session.calls)
    assert first.out != again.out
    assert first.owner != again.owner


async def test_facts_that_come_out_otherwise_are_named(tmp_path: Path) -> None:
    found = await ended(tmp_path, sandbox(states("847,368.30", 847368.3), states("847,368.31", 847368.31)))
    assert (found.rerun, found.differences) == (Rerun.DIFFERENT, ("revenue: 847,368.30 → 847,368.31",))


async def test_a_script_that_fails_this_time_is_named(tmp_path: Path) -> None:
    fake = sandbox(states("1", 1), FakeRun(exit_code=1, stderr="Traceback\nKeyError: 'x'"))
    found = await ended(tmp_path, fake)
    assert (found.rerun, found.differences) == (Rerun.FAILED, ("deck/01.py: error KeyError: 'x'",))


@pytest.mark.parametrize(
    "limits", [Limits(rerun_seconds=0), Limits(rerun_seconds=20), Limits(sandbox_seconds=70)]
)
async def test_what_is_not_worth_it_is_not_run_again(tmp_path: Path, limits: Limits) -> None:
    slow = FakeRun(seconds=30, files={"deck.xlsx": workbook(), LEDGER: fact()})
    assert (await ended(tmp_path, sandbox(slow), limits=limits)).rerun is Rerun.SKIPPED


async def test_a_cancel_during_the_run_from_clean_leaves_nothing_of_it(tmp_path: Path) -> None:
    working: list[asyncio.Task[Any]] = []

    class Cancelling(FakeSandbox):
        def next_run(self, name: str, source: str) -> FakeRun:
            if name == "01.py" and len(self.sessions) > 3:
                working[0].cancel()
            return super().next_run(name, source)

    fake = Cancelling()
    fake.plan("check_results.py", checked())
    fake.plan("render_files.py", UNRENDERED)
    fake.plan("01.py", states("1", 1))
    async with (
        serve(in_turn(*played())) as endpoint,
        open_line(tmp_path, models_at(endpoint), fake, catalog=catalog(tmp_path)) as line,
    ):
        run_id = await line.ask("Revenue?")
        working.append(asyncio.create_task(line.run(run_id)))
        with pytest.raises(asyncio.CancelledError):
            await working[0]
        run = await line.runs.get(run_id)
    assert run.status is RunStatus.CANCELLED
    assert not (tmp_path / "runs" / run.id / "rerun").exists()
    assert fake.live == 0
    assert not any(isinstance(event, ResultsVerified) for event in line.seen)
