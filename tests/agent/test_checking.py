import asyncio
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from agent.budget import Limits
from agent.checking import complaint, verification_of, was_checked
from agent.events import Checking, ResultsVerified, ScriptRan
from agent.verification import Rerun, Verification
from storage.records import Run, RunStatus
from tests.agent.line import Line, open_line
from tests.agent.results import FINDING, LEDGER, REPORT, UNTRACED, catalog, checked, fact, played
from tests.agent.test_runner import models_at
from tests.endpoint import Body, completion, in_turn, serve
from tests.fakes import FakeRun, FakeSandbox
from tests.replay.exchange import asker

UNRENDERED = FakeRun(stdout=json.dumps({"unavailable": True}))
FIX = ("fix_and_run_python", {"name": "01.py", "old": "3", "new": "4"})


def workbook() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as book:
        book.writestr("xl/workbook.xml", "<x/>")
    return content.getvalue()


def sandbox(*checks: FakeRun) -> FakeSandbox:
    fake = FakeSandbox(otherwise=lambda _: FakeRun(files={"deck.xlsx": workbook(), LEDGER: fact()}))
    fake.plan("check_results.py", *checks)
    fake.plan("render_files.py", UNRENDERED)
    return fake


def verified(line: Line) -> Verification:
    (event,) = (event for event in line.seen if isinstance(event, ResultsVerified))
    return event.verification


async def done(folder: Path, fake: FakeSandbox, answers: Any, **options: Any) -> tuple[Run, Line, list[Body]]:
    async with (
        serve(in_turn(*answers)) as endpoint,
        open_line(folder, models_at(endpoint), fake, catalog=catalog(folder), **options) as line,
    ):
        run = await line.run(await line.ask("How many rows?"))
    assert run.status is RunStatus.FINISHED
    return run, line, endpoint.seen


def asked_of(fake: FakeSandbox) -> list[dict[str, Any]]:
    """What each check was asked, in order: read back from the scripts as they were staged."""
    found: list[dict[str, Any]] = []
    for session in fake.sessions:
        for name, source in session.written:
            if name == "check_results.py":
                literal = source.partition("json.loads(")[2].partition("))\n")[0]
                found.append(json.loads(eval(literal)))  # noqa: S307  # a literal that we wrote
    return found


def test_a_report_is_read_strictly_and_what_is_none_says_that_nothing_was_checked() -> None:
    found = verification_of(json.dumps(REPORT | {"findings": [FINDING], "untraced": [UNTRACED], "traced": 2}))
    assert (found.numerals, found.traced, len(found.findings), len(found.untraced)) == (3, 2, 1, 1)
    for wrong in (
        "",
        "no json",
        "[]",
        json.dumps(REPORT | {"numerals": -1}),
        json.dumps(REPORT | {"traced": 4}),
        json.dumps(REPORT | {"findings": [FINDING | {"blocking": "yes"}]}),
        json.dumps(REPORT | {"findings": [FINDING | {"code": "[link](x)"}]}),
        json.dumps(REPORT | {"untraced": [{"file": "a"}]}),
        "[" * 100_000,
    ):
        assert not was_checked(verification_of(wrong)), wrong


def test_a_number_without_a_source_is_told_once() -> None:
    """The gate's own finding on tracing says no more than the list of numbers does."""
    of_tracing = FINDING | {"check": 14, "code": "untraced"}
    found = verification_of(
        json.dumps(REPORT | {"findings": [of_tracing], "untraced": [UNTRACED], "traced": 2})
    )
    assert (found.findings, len(found.untraced)) == ((), 1)
    assert complaint(found).count("38.5%") == 1


def test_a_report_is_bounded_whatever_a_guest_prints() -> None:
    many = [UNTRACED | {"place": "x" * 5_000 + "\u202e"}] * 3_000
    found = verification_of(json.dumps(REPORT | {"untraced": many, "assumptions": ["a" * 9_000] * 900}))
    assert len(found.untraced) == 200
    assert all(len(item.place) <= 400 and "\u202e" not in item.place for item in found.untraced)
    assert len(found.assumptions) == 1
    assert len(complaint(found)) < 20_000


async def test_a_chat_answer_gets_no_ceremony(tmp_path: Path) -> None:
    fake = sandbox(checked())
    _, line, _ = await done(tmp_path, fake, [completion("Hello, 3 of you.")])
    assert fake.sessions == []
    assert not {"Checking", "ResultsVerified"} & set(line.kinds())


async def test_a_clean_result_is_checked_told_and_costs_no_model_call(tmp_path: Path) -> None:
    fake = sandbox(checked(assumptions=["Rows without a date were left out."]))
    run, line, seen = await done(tmp_path, fake, played())
    assert len(seen) == 4
    assert verified(line).traced == 3
    assert verified(line).rerun is Rerun.IDENTICAL
    assert run.answer == "There are 3 rows.\n\n> Rows without a date were left out."
    kinds = line.kinds()
    assert kinds.index("Checking") < kinds.index("ResultsVerified") < kinds.index("ArtifactSaved")
    of_todo, of_answer = asked_of(fake)
    assert (of_todo["paths"], of_todo["answer"]) == (["deck.xlsx"], "done\n3 rows")
    assert (of_answer["paths"], of_answer["answer"]) == (["deck.xlsx"], "There are 3 rows.")
    assert [artifact.name for artifact in await _artifacts(tmp_path, run)] == [
        "deck.xlsx",
        ".deckhand/facts.json",
        ".deckhand/scripts.json",
    ]


async def test_findings_go_back_to_their_author_once_and_the_rest_is_delivered_marked(tmp_path: Path) -> None:
    fake = sandbox(checked(findings=[FINDING], untraced=[UNTRACED], traced=2))
    repairs = (completion(calls=[FIX]), completion("done\n4 rows"))
    run, line, seen = await done(tmp_path, fake, played(*repairs))
    words = [str(body["messages"][-1]["content"]) for body in seen]
    (sent,) = (text for text in words if "off_canvas" in text)
    assert "deck.xlsx, slide 4, title: 38.5%" in sent
    assert "4 rows" in str(seen[-1]["messages"][-2]["content"]), "the report from after the repair counts"
    assert [finding.code for finding in verified(line).findings] == ["off_canvas"]
    assert [item.text for item in verified(line).untraced] == ["38.5%"]
    assert run.answer == "There are 3 rows.", "nothing is invented in the answer"
    assert len(asked_of(fake)) == 2, "once after the todo, once at the end"


async def test_a_repair_that_comes_to_nothing_leaves_the_first_report(tmp_path: Path) -> None:
    fake = sandbox(checked(findings=[FINDING]))
    broken = completion(calls=[("no_such_tool", {})])
    run, _, seen = await done(tmp_path, fake, played(broken, broken, broken))
    assert run.answer == "There are 3 rows."
    assert "done\n3 rows" in str(seen[-1]["messages"][-2]["content"])


async def test_a_repair_without_end_is_ended(tmp_path: Path) -> None:
    fake = sandbox(checked(findings=[FINDING]))
    again = completion(calls=[("run_python_file", {"name": "01.py"})])
    _, _, seen = await done(tmp_path, fake, played(*[again] * 6))
    assert "done\n3 rows" in str(seen[-1]["messages"][-2]["content"])


async def test_nothing_is_sent_back_when_the_budget_is_nearly_gone(tmp_path: Path) -> None:
    fake = sandbox(checked(findings=[FINDING]))
    fake.plan("01.py", FakeRun(seconds=95, files={"deck.xlsx": workbook(), LEDGER: fact()}))
    _, line, seen = await done(tmp_path, fake, played(), limits=Limits(sandbox_seconds=100))
    assert len(seen) == 4
    assert verified(line).rerun is Rerun.SKIPPED, "nor is anything run again"
    assert [finding.code for finding in verified(line).findings] == ["off_canvas"]


async def test_a_number_that_only_the_answer_has_goes_back_to_its_author(tmp_path: Path) -> None:
    wrong = UNTRACED | {"file": "", "place": "sentence 1", "text": "99"}
    fake = sandbox(checked(), checked(untraced=[wrong], traced=2), checked())
    answers = [*played(answer="There are 99 rows."), completion("There are 3 rows.")]
    run, line, seen = await done(tmp_path, fake, answers)
    assert "sentence 1: 99" in str(seen[-1]["messages"])
    assert run.answer == "There are 3 rows."
    assert verified(line).untraced == ()


async def test_a_check_that_fails_is_said_and_the_answer_is_kept(tmp_path: Path) -> None:
    fake = sandbox(FakeRun(exit_code=1, stderr="Traceback\nMemoryError"))
    run, line, _ = await done(tmp_path, fake, played())
    assert run.answer == "There are 3 rows."
    assert not was_checked(verified(line))
    assert "MemoryError" in verified(line).findings[0].detail


async def test_an_engine_that_goes_away_during_the_checks_takes_no_answer_away(tmp_path: Path) -> None:
    fake = sandbox(checked())

    async def respond(request: Body) -> web.StreamResponse:
        if len(endpoint.seen) == 4:
            fake.unavailable = "gone"
        return web.json_response(played()[len(endpoint.seen) - 1])

    async with (
        serve(respond) as endpoint,
        open_line(tmp_path, models_at(endpoint), fake, catalog=catalog(tmp_path)) as line,
    ):
        run = await line.run(await line.ask("How many rows?"))
    assert (run.status, run.answer) == (RunStatus.FINISHED, "There are 3 rows.")
    assert not was_checked(verified(line))
    assert verified(line).rerun is Rerun.SKIPPED


async def test_a_check_that_takes_too_long_is_given_up_once_and_the_answer_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.inspection.MAX_SECONDS", 0.0)
    run, line, seen = await done(tmp_path, sandbox(checked(untraced=[UNTRACED], traced=2)), played())
    assert (run.answer, len(seen)) == ("There are 3 rows.", 4)
    assert not was_checked(verified(line))
    assert verified(line).findings[0].detail == "no time was left"
    assert verified(line).rerun is Rerun.IDENTICAL


async def test_a_repair_leaves_what_the_answer_needs_of_the_budget(tmp_path: Path) -> None:
    """The mended script takes most of what was left: its author is not asked for another."""
    fake = sandbox(checked(findings=[FINDING]))
    files = {"deck.xlsx": workbook(), LEDGER: fact()}
    fake.plan("01.py", FakeRun(seconds=10, files=files), FakeRun(seconds=80, files=files))
    repair = completion(calls=[FIX])
    run, _, seen = await done(tmp_path, fake, played(repair), limits=Limits(sandbox_seconds=100))
    assert (run.status, run.answer) == (RunStatus.FINISHED, "There are 3 rows.")
    assert "done\n3 rows" in str(seen[-1]["messages"][-2]["content"]), "the report from before"


@pytest.mark.parametrize("where", ["the todo's check", "the last check", "the run from clean"])
async def test_a_restart_in_the_checks_neither_repeats_nor_skips(tmp_path: Path, where: str) -> None:
    """Ended at that place, the next process goes on there; what was found before is taken from the ledger."""
    stopped = {"the todo's check": 2, "the last check": 3, "the run from clean": 4}[where]
    runs = calls = 0
    working: list[asyncio.Task[Run]] = []

    class Ending(FakeSandbox):
        def next_run(self, name: str, source: str) -> FakeRun:
            nonlocal runs
            runs += name != "render_files.py"
            if runs == stopped:
                working[0].cancel()
            return super().next_run(name, source)

    fake = Ending(otherwise=lambda _: FakeRun(files={"deck.xlsx": workbook(), LEDGER: fact()}))
    fake.plan("check_results.py", checked())
    fake.plan("render_files.py", UNRENDERED)

    async def respond(request: Body) -> web.StreamResponse:
        nonlocal calls
        calls += 1
        return web.json_response(_by_state(request))

    async with serve(respond) as endpoint:
        known = catalog(tmp_path)
        async with open_line(tmp_path, models_at(endpoint), fake, owner="old", catalog=known) as line:
            run_id = await line.ask("How many rows?")
            line.runner.stopping.set()
            working.append(asyncio.create_task(line.run(run_id)))
            with pytest.raises(asyncio.CancelledError):
                await working[0]
        async with open_line(tmp_path, models_at(endpoint), fake, owner="new", catalog=known) as line:
            run = await line.run(run_id)
    assert (run.status, run.answer) == (RunStatus.FINISHED, "There are 3 rows.")
    assert verified(line).rerun is Rerun.IDENTICAL
    assert calls == 4, "no model call was made twice"
    assert runs == 5, "one script, two checks, one run from clean, and the one that was interrupted"
    assert not any(
        isinstance(event, ScriptRan) and (event.todo_id, event.script) == ("deck", "01.py")
        for event in line.seen
    )
    assert any(isinstance(event, Checking) for event in line.seen)


def _by_state(request: Body) -> Any:
    """What the model says next, from what it has said: also to another process."""
    said = sum(message["role"] == "assistant" for message in request["messages"])
    return played()[1 + said if asker(request) == "deck" else 3 * said]


async def _artifacts(folder: Path, run: Run) -> Any:
    async with (
        serve(in_turn()) as endpoint,
        open_line(folder, models_at(endpoint), FakeSandbox(), catalog=catalog(folder)) as line,
    ):
        return await line.artifacts.of_run(run.id)
