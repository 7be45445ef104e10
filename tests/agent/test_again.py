import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.again import changes
from agent.events import ArtifactSaved, ModelCalled, PlanChanged, ResultsVerified
from agent.factbook import Fact
from agent.groundwork import Groundwork
from agent.layout import Column, Table, pairing, tables_of
from agent.plan import Todo
from agent.scripts import Scripts, TodoScripts
from agent.verification import Rerun
from storage.artifacts import put_bytes
from storage.conversations import Conversations
from storage.records import ArtifactKind, InputRef, Run, RunId, RunStatus
from tests.agent.line import Line, open_line
from tests.agent.results import LEDGER, catalog, checked, fact, played
from tests.agent.test_checking import UNRENDERED, workbook
from tests.agent.test_runner import models_at
from tests.endpoint import Body, completion, in_turn, serve
from tests.fakes import FakeRun, FakeSandbox

COLUMNS = ("Region", "Amount")


def profile(file: str, columns: Sequence[str] = COLUMNS, kind: str = "number") -> FakeRun:
    fields = [{"name": name, "kind": kind, "missing": 0} for name in columns]
    files = [{"file": file, "tables": [{"name": "data", "fields": fields}]}]
    return FakeRun(stdout=json.dumps({"files": files, "text": f"{file}: 3 rows"}))


def table(file: str, *columns: str, kind: str = "number", name: str = "") -> Table:
    return Table(file=file, name=name, columns=tuple(Column(name=c, kind=kind) for c in columns))


def sandbox(*values: float) -> FakeSandbox:
    """Each run of the script finds the next value; the last one repeats."""
    fake = FakeSandbox()
    fake.plan("check_results.py", checked())
    fake.plan("render_files.py", UNRENDERED)
    runs = [
        FakeRun(files={"deck.xlsx": workbook(), LEDGER: fact("revenue", v, f"{v:,.2f}", ledger="")})
        for v in values
    ]
    fake.plan("01.py", *runs)
    return fake


async def ask(line: Line, file: str, *, redoes: RunId | None = None, made: Sequence[InputRef] = ()) -> RunId:
    conversation = await Conversations(line.database).get_or_create("test", "here", "en")
    artifact = await put_bytes(line.artifacts, file.encode(), name=file, kind=ArtifactKind.INPUT)
    sent = InputRef(name=file, original=file, artifact_id=artifact.id, size=len(file))
    run = await line.runs.create(
        conversation.id, "Revenue?", language="en", inputs=(sent, *made), redoes=redoes
    )
    return run.id


async def twice(
    folder: Path, fake: FakeSandbox, answers: Sequence[Any], file: str = "feb.csv"
) -> tuple[Run, Run, Line, list[Body]]:
    """A run on jan.csv, and the same again on another file."""
    async with (
        serve(in_turn(*answers)) as endpoint,
        open_line(folder, models_at(endpoint), fake, catalog=catalog(folder)) as line,
    ):
        first = await line.run(await ask(line, "jan.csv"))
        line.seen.clear()
        second = await line.run(await ask(line, file, redoes=first.id))
    assert first.status is RunStatus.FINISHED
    return first, second, line, endpoint.seen


def test_a_new_file_takes_the_place_of_one_with_the_same_columns_in_any_order() -> None:
    old = [table("jan.csv", "a", "b")]
    new = [table("feb.csv", "b", "a")]
    files = {"files": ["jan.csv"], "fresh": ["feb.csv"], "carried": ["jan.csv"]}
    assert pairing(old, new, **files) == {"jan.csv": "feb.csv"}
    assert pairing(old, [table("feb.csv", "a", "b", kind="id")], **files) == {"jan.csv": "feb.csv"}
    assert pairing(old, [table("feb.csv", "a", "b", kind="date")], **files) is None
    assert pairing(old, [table("feb.csv", "a")], **files) is None
    assert pairing(old, [table("feb.csv", "a", "b", "c")], **files) is None
    assert pairing(old, [], **files) is None
    assert pairing([table("jan.csv")], [table("feb.csv")], **files) is None, "of no columns nothing is known"


def test_a_second_file_may_stay_and_a_new_one_must_not_be_forgotten() -> None:
    old = [table("sales.csv", "a"), table("names.csv", "b")]
    files = ["sales.csv", "names.csv"]
    fits, other = table("may.csv", "a"), table("may.csv", "x")
    carried = {"fresh": ["may.csv"], "carried": files}
    assert pairing(old, [*old, fits], files=files, **carried) == {
        "sales.csv": "may.csv",
        "names.csv": "names.csv",
    }
    assert pairing(old, [*old, other], files=files, **carried) is None
    assert pairing(old, [fits], files=files, fresh=["may.csv"], carried=[]) is None


def test_tables_are_read_strictly_from_what_the_profiler_prints() -> None:
    assert tables_of(profile("a.csv").stdout)[0].columns[0].name == "Region"
    for wrong in ("", "x", "[]", '{"files": 3}', '{"files": [{"file": 1}]}', "[" * 100_000):
        assert tables_of(wrong) == ()


def test_changes_name_what_is_new_gone_and_different_and_nothing_else() -> None:
    def one(name: str, value: float, **more: Any) -> Fact:
        return Fact(kind="fact", id=name, value=value, text=f"{value:g}", **more)

    before = [one("a", 1), one("b", 2), one("gone", 3), Fact(kind="table", id="t", values=(1,))]
    after = [one("a", 1), one("b", 2.5), one("new", 4), Fact(kind="table", id="t", values=(2,))]
    assert [(c.id, c.before, c.after) for c in changes(before, after)] == [
        ("b", "2", "2.5"),
        ("new", "", "4"),
        ("gone", "3", ""),
    ]


async def test_the_same_scripts_run_on_a_new_file_without_a_model(tmp_path: Path) -> None:
    fake = sandbox(100.0, 100.0, 250.5)
    fake.plan("profile_inputs.py", profile("jan.csv"), profile("feb.csv"))
    first, second, line, asked = await twice(tmp_path, fake, played())
    assert len(asked) == 4, "those of the first run"
    assert not any(isinstance(event, ModelCalled) for event in line.seen)
    assert second.answer == (
        "**The same scripts ran on feb.csv: 1 of 1 figures changed.**\n- revenue: 100.00 → 250.50"
    )
    assert (tmp_path / "runs" / second.id / "code" / "deck" / "01.py").exists()
    plans = [event.plan for event in line.seen if isinstance(event, PlanChanged)]
    assert [(t.id, t.status) for t in plans[-1].todos] == [("deck", "done")]
    (verified,) = (event.verification for event in line.seen if isinstance(event, ResultsVerified))
    assert verified.rerun is Rerun.IDENTICAL
    leases = [session for session in fake.sessions if ("run", "01.py") in session.calls]
    assert [[item.name for item in session.workspace.inputs] for session in leases] == [["jan.csv"]] * 4
    assert first.answer == "There are 3 rows."


async def test_another_layout_is_adapted_by_a_model_that_is_shown_what_differs(tmp_path: Path) -> None:
    fake = sandbox(100.0)
    fake.plan("profile_inputs.py", profile("jan.csv"), profile("feb.csv", ["Region", "Total"]))
    again = played(name="deck-2")
    _, second, _, asked = await twice(tmp_path, fake, [*played(), *again])
    assert second.answer == "There are 3 rows."
    opening = str(asked[4]["messages"])
    assert "no column 'Amount'" in opening
    assert "deck: Do it (01.py)" in opening
    assert "code/01.py" in str(asked[5]["messages"]), "its subagent may mend the script"


async def test_scripts_that_fail_on_the_new_file_leave_nothing_and_a_model_looks(tmp_path: Path) -> None:
    fake = sandbox(100.0, 100.0)
    fake.plan("01.py", FakeRun(exit_code=1, files={"half.xlsx": b"PK"}), FakeRun())
    fake.plan("profile_inputs.py", profile("jan.csv"), profile("feb.csv"))
    _, second, _, _ = await twice(tmp_path, fake, [*played(), *played(name="deck-2")])
    assert second.answer == "There are 3 rows."
    assert not (tmp_path / "runs" / second.id / "out" / "half.xlsx").exists()


async def test_a_change_of_a_file_finds_its_scripts_and_only_what_changed_is_delivered(
    tmp_path: Path,
) -> None:
    fake = FakeSandbox()
    fake.plan("check_results.py", checked())
    fake.plan("render_files.py", UNRENDERED)
    fake.plan("profile_inputs.py", profile("jan.csv"))
    fake.plan("01.py", FakeRun(files={"deck.xlsx": workbook(), "notes.docx": b"PK", "mid.json": b"1"}))
    fix = completion(calls=[("fix_and_run_python", {"name": "01.py", "old": "3", "new": "4"})])
    todo = {"id": "deck", "title": "Line", "inputs": ["deck.xlsx"]}
    answers = [
        *played(),
        completion(calls=[("create_todo_list", {"todos": [todo]}), ("start_next_todo", {})]),
        fix,
        completion("done"),
        completion(calls=[("complete_todo", {"id": "deck-2", "answer": "Changed deck.xlsx."})]),
    ]
    async with (
        serve(in_turn(*answers)) as endpoint,
        open_line(tmp_path, models_at(endpoint), fake, catalog=catalog(tmp_path)) as line,
    ):
        first = await line.run(await ask(line, "jan.csv"))
        kept = {item.name: item for item in await line.artifacts.of_run(first.id)}
        made = InputRef(
            name="deck.xlsx", original="deck.xlsx", artifact_id=kept["deck.xlsx"].id, size=1, made=True
        )
        fake.plan("01.py", FakeRun(files={"deck.xlsx": workbook() + b"\0"}))
        fake.next_run("01.py", "")  # what it did before is over
        line.seen.clear()
        second = await line.run(await ask(line, "jan.csv", made=[replace(made, earlier=True)]))
        delivered = [e.name for e in line.seen if isinstance(e, ArtifactSaved) and e.deliverable]
    assert (second.status, second.answer) == (RunStatus.FINISHED, "Changed deck.xlsx.")
    assert delivered == ["deck.xlsx"]
    assert (tmp_path / "runs" / second.id / "out" / "mid.json").read_bytes() == b"1", (
        "for scripts that read it"
    )


@pytest.mark.parametrize(("inputs", "expected"), [(["deck.pptx"], True), (["data.csv"], False)])
def test_groundwork_concerns_a_todo_that_changes_a_file_of_it(inputs: list[str], expected: bool) -> None:
    old = TodoScripts(
        id="deck", outputs=("deck.pptx",), sources={"02.py": "x", "_todo.py": ""}, runs=("02.py",)
    )
    ground = Groundwork(run_id=RunId("r1"), scripts=Scripts(todos=(old,)), made=frozenset({"deck.pptx"}))
    todo = Todo(id="line", title="t", inputs=tuple(inputs))
    assert ground.concerns(todo) is expected
    assert ground.of_todo(todo) == {"02.py": "x"}
