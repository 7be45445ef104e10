import asyncio
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import structlog
from aiohttp import web
from pydantic import SecretStr

from agent.budget import Limits
from agent.events import (
    AlertRaised,
    ArtifactSaved,
    FailureReason,
    PlanChanged,
    RunFailed,
    RunFinished,
    SandboxWaiting,
    ScriptRan,
    TodoFinished,
)
from agent.models import Models, ModelSettings, build_models
from agent.plan import TodoStatus
from agent.rules import PolicyRules
from sandbox.alerts import Alert, AlertCode
from sandbox.errors import SandboxUnavailable
from sandbox.session import ExitStatus, Workspace
from storage.errors import DiskFull
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.endpoint import Body, Endpoint, completion, hang, in_turn, serve
from tests.fakes import FakeRun, FakeSandbox
from tests.replay.exchange import asker, said

PROFILE = FakeRun(stdout=json.dumps({"text": "data.csv: 3 rows, 2 columns"}))
CSV = ("data.csv", b"a,b\n1,2\n3,4\n5,6\n")


def models_at(endpoint: Endpoint, **settings: Any) -> Models:
    return build_models(ModelSettings(base_url=endpoint.url, api_key=SecretStr("k"), retries=0, **settings))


def todo(name: str, **facts: object) -> Mapping[str, object]:
    return {"id": name, "title": f"Do {name}", "skills": ["eda"], **facts}


def script(text: str = "print(1)", name: str = "01.py") -> tuple[str, Mapping[str, str]]:
    return ("write_and_run_python", {"name": name, "content": text})


def sandbox(**runs: FakeRun) -> FakeSandbox:
    fake = FakeSandbox()
    fake.plan("profile_inputs.py", PROFILE)
    for name, run in runs.items():
        fake.plan(f"{name}.py", run)
    return fake


def _deck() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as deck:
        deck.writestr("ppt/presentation.xml", "<x/>")
    return content.getvalue()


async def test_a_request_becomes_a_plan_a_script_an_answer_and_files(tmp_path: Path) -> None:
    fake = FakeSandbox(otherwise=lambda _: FakeRun(stdout="rows 3", files={"deck.pptx": _deck()}))
    fake.plan("profile_inputs.py", PROFILE)
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("deck")]}), ("start_next_todo", {})]),
        completion(calls=[("read_skill", {"name": "eda"}), script()]),
        completion("done\n3 rows; deck.pptx"),
        completion(calls=[("complete_todo", {"id": "deck", "notes": "3 rows"})]),
        completion("There are 3 rows. See deck.pptx."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        run = await line.run(await line.ask("How many rows?", [CSV]))
    assert run.status is RunStatus.FINISHED
    assert run.answer == "There are 3 rows. See deck.pptx."
    assert run.usage.model_calls == 5
    assert run.usage.input_tokens == 500
    assert run.usage.sandbox_runs == 2
    assert isinstance(line.seen[-1], RunFinished)
    assert [e.name for e in line.seen if isinstance(e, ArtifactSaved) and e.deliverable] == ["deck.pptx"]
    folder = tmp_path / "runs" / run.id
    assert (folder / "out" / "deck.pptx").read_bytes()[:2] == b"PK"
    assert (folder / "code" / "deck" / "01.py").read_text() == "print(1)"
    assert "- [x] deck: Do deck" in (folder / "plan.md").read_text()
    trace = [json.loads(text) for text in (folder / "trace.jsonl").read_text().splitlines()]
    assert [fact["type"] for fact in trace].count("model") == 5
    assert fake.live == 0
    prompts = endpoint.seen
    assert "data.csv: 3 rows, 2 columns" in str(prompts[0]["messages"])
    assert "The plan as it stands now" in str(prompts[3]["messages"][-1])
    assert "complete_todo" not in str(prompts[1]["tools"])
    assert "write_and_run_python" not in str(prompts[0]["tools"])


async def test_the_operators_rules_and_not_the_model_choose_the_policy(tmp_path: Path) -> None:
    rules = PolicyRules(chats={"test/here": "team"}, skills={"presentation": "big"})
    plan = [todo("look"), todo("deck", skills=["presentation"], policy="open")]
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": plan}), *[("start_next_todo", {})] * 2]),
        completion(calls=[script()]),
        completion(calls=[script()]),
        completion("done"),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "look"}), ("complete_todo", {"id": "deck"})]),
        completion("Done."),
    )
    fake = sandbox()
    async with (
        serve(played) as endpoint,
        open_line(tmp_path, models_at(endpoint), fake, rules=rules) as line,
    ):
        await line.run(await line.ask("Use the policy open", [CSV]))
    used = {session.workspace.owner.split("-")[1]: session.workspace.policy for session in fake.sessions}
    assert used == {"profile": "team", "look": "team", "deck": "team"}


async def test_the_answer_may_come_with_the_last_todo_and_saves_a_call(tmp_path: Path) -> None:
    played = in_turn(
        completion(
            calls=[("create_todo_list", {"todos": [todo("a"), todo("b")]})] + [("start_next_todo", {})] * 2
        ),
        completion("done"),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "a", "answer": "Too early."})]),
        completion(calls=[("complete_todo", {"id": "b", "answer": "All is well."})]),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        run = await line.run(await line.ask("Deck"))
    assert (run.status, run.answer) == (RunStatus.FINISHED, "All is well.")
    assert len(endpoint.seen) == 5


async def test_a_todo_gets_a_clean_context_and_the_reports_of_what_it_depends_on(tmp_path: Path) -> None:
    plan = [todo("eda", outputs=["sum.csv"]), todo("deck", depends_on=["eda"])]
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": plan}), ("start_next_todo", {})]),
        completion(calls=[script("print('the secret detail')")]),
        completion("done: mean 3.5, sum.csv has it"),
        completion(
            calls=[
                ("complete_todo", {"id": "eda", "notes": "told the mean"}),
                ("start_next_todo", {"id": "deck"}),
            ]
        ),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "deck"})]),
        completion("Ready."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        await line.run(await line.ask("Deck please", [CSV]))
    second = str(endpoint.seen[4]["messages"])
    assert "told the mean" in second
    assert "mean 3.5, sum.csv has it" in second
    assert "secret detail" not in second


async def test_independent_todos_of_one_answer_run_at_the_same_time(tmp_path: Path) -> None:
    both = asyncio.Barrier(2)

    async def respond(request: Body) -> web.StreamResponse:
        if asker(request) != "orchestrator":
            if not said(request):
                await asyncio.wait_for(both.wait(), 5)
                return web.json_response(completion(calls=[script()]))
            return web.json_response(completion("done"))
        answers = [
            completion(
                calls=[("create_todo_list", {"todos": [todo("a"), todo("b")]})]
                + [("start_next_todo", {})] * 2
            ),
            completion(calls=[("complete_todo", {"id": "a"}), ("complete_todo", {"id": "b"})]),
            completion("Both."),
        ]
        return web.json_response(answers[len(said(request))])

    fake = sandbox()
    async with serve(respond) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        run = await line.run(await line.ask("Two things"))
    assert run.answer == "Both."
    assert fake.most_live == 2


async def test_finishing_with_open_todos_is_refused(tmp_path: Path) -> None:
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]})]),
        completion("All done!"),
        completion(calls=[("block_todo", {"id": "a", "reason": "no data"})]),
        completion("It cannot be done: no data."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        run = await line.run(await line.ask("Deck"))
    assert run.answer == "It cannot be done: no data."
    assert "these todos are open: a" in str(endpoint.seen[2]["messages"])
    assert [e.status for e in line.seen if isinstance(e, TodoFinished)] == [TodoStatus.BLOCKED]


async def test_three_unusable_answers_block_the_todo_with_the_reason(tmp_path: Path) -> None:
    broken = completion(calls=[("write_and_run_python", '{"name": "01.py", "content": "pri')])
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
        broken,
        broken,
        broken,
        completion("Not possible today."),
    )
    fake = sandbox()
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        run = await line.run(await line.ask("Deck"))
    assert run.status is RunStatus.FINISHED
    assert "not valid JSON" in str(endpoint.seen[2]["messages"][-1])
    blocked = [event for event in line.seen if isinstance(event, TodoFinished)]
    assert [event.status for event in blocked] == [TodoStatus.BLOCKED]
    assert "broken_arguments" in blocked[0].notes
    assert fake.sessions == []


async def test_a_script_with_a_certain_mistake_is_not_run(tmp_path: Path) -> None:
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
        completion(calls=[script("def (:")]),
        completion(calls=[script("print(1)\n" * 200)]),
        completion("not done: it does not compile"),
        completion(calls=[("block_todo", {"id": "a", "reason": "x"})]),
        completion("Sorry."),
    )
    fake = sandbox()
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        await line.run(await line.ask("Deck"))
    assert "status: error" in endpoint.seen[2]["messages"][-1]["content"]
    assert "SyntaxError" in endpoint.seen[2]["messages"][-1]["content"]
    assert "201 lines; 120 is the most" in endpoint.seen[3]["messages"][-1]["content"]
    assert [session.runs for session in fake.sessions] == [[]]


async def test_a_failing_script_is_told_with_its_error_and_all_that_a_run_has(tmp_path: Path) -> None:
    fake = FakeSandbox()
    fake.plan(
        "01.py",
        FakeRun(stderr="KeyError: 'price'", exit_code=1),
        FakeRun(status=ExitStatus.TIMEOUT, exit_code=137),
    )
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
        completion(calls=[script()]),
        completion(calls=[("run_python_file", {"name": "/workspace/code/01.py"})]),
        completion("not done"),
        completion(calls=[("block_todo", {"id": "a", "reason": "x"})]),
        completion("Sorry."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        await line.run(await line.ask("Deck"))
    first, second = (endpoint.seen[n]["messages"][-1]["content"] for n in (2, 3))
    for fact in (
        "status: error",
        "exit_code: 1",
        "timed_out: false",
        "succeeded: false",
        "STDERR:\nKeyError",
    ):
        assert fact in first
    assert "timed_out: true" in second
    assert "time limit" in second


async def test_a_script_is_mended_by_the_piece_that_changes(tmp_path: Path) -> None:
    fake = FakeSandbox(otherwise=lambda source: FakeRun(stdout=source))
    fix = "fix_and_run_python"
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
        completion(calls=[script("x = 1\nprint(x)")]),
        completion(calls=[(fix, {"name": "01.py", "old": "x", "new": "y"})]),
        completion(calls=[(fix, {"name": "02.py", "old": "x", "new": "y"})]),
        completion(calls=[(fix, {"name": "01.py", "old": "x = 1", "new": "x = 42"})]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "a"})]),
        completion("Ready."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        await line.run(await line.ask("Deck"))
    answers = [request["messages"][-1]["content"] for request in endpoint.seen[3:6]]
    assert "occurs 2 times" in answers[0]
    assert "no script named '02.py'" in answers[1]
    assert "STDOUT:\nx = 42\nprint(x)" in answers[2]


async def test_a_mended_module_is_tried_by_the_script_that_uses_it(tmp_path: Path) -> None:
    fake = FakeSandbox(otherwise=lambda source: FakeRun(stdout=source))
    module = ("write_python_file", {"name": "merge.py", "content": "x = 1"})
    fix = ("fix_and_run_python", {"name": "merge.py", "old": "1", "new": "2", "run": "test.py"})
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
        completion(calls=[module, script("import merge", "test.py")]),
        completion(calls=[fix]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "a", "answer": "Ready."})]),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        run = await line.run(await line.ask("Script"))
    assert [name for session in fake.sessions for name, _ in session.runs] == ["test.py", "test.py"]
    assert (tmp_path / "runs" / run.id / "code" / "a" / "merge.py").read_text() == "x = 2"


async def test_an_engine_fault_is_tried_once_more_and_never_told_to_the_model(tmp_path: Path) -> None:
    class Flaky(FakeSandbox):
        faults = 1

        def lease(self, workspace: Workspace, *, waiting: Any = None) -> Any:
            if self.faults:
                self.faults -= 1
                raise SandboxUnavailable("the engine went away")  # noqa: EM101  # as the engine says it
            return super().lease(workspace)

    fake = Flaky()
    played = in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
        completion(calls=[script()]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "a"})]),
        completion("Fine."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        run = await line.run(await line.ask("Deck"))
    assert run.status is RunStatus.FINISHED
    assert "went away" not in str(endpoint.seen)


async def test_an_engine_that_stays_away_fails_the_run_for_that_reason(tmp_path: Path) -> None:
    fake = FakeSandbox()
    fake.unavailable = "no engine"
    async with serve(in_turn()) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        run = await line.run(await line.ask("Deck", [CSV]))
    assert (run.status, run.failure) == (RunStatus.FAILED, "sandbox")
    assert line.seen[-1] == RunFailed(run_id=run.id, reason=FailureReason.SANDBOX, detail="no engine")


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (Limits(model_calls=2), "model_calls"),
        (Limits(tokens=150), "tokens"),
        (Limits(seconds=0.6), "seconds"),
        (Limits(sandbox_seconds=0.005), "sandbox_seconds"),
    ],
)
async def test_a_limit_ends_the_run_by_its_name_and_keeps_what_was_made(
    tmp_path: Path, limits: Limits, limit: str
) -> None:
    async def respond(request: Body) -> web.StreamResponse:
        await asyncio.sleep(0.1)
        if asker(request) == "orchestrator":
            return web.json_response(
                completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})])
            )
        return web.json_response(completion(calls=[script(name=f"{len(said(request))}.py")]))

    fake = FakeSandbox(otherwise=lambda _: FakeRun(files={"half.csv": b"1"}))
    async with (
        serve(respond) as endpoint,
        open_line(tmp_path, models_at(endpoint), fake, limits=limits) as line,
    ):
        run = await line.run(await line.ask("Deck", [CSV]))
        kept = await line.artifacts.of_run(run.id)
    assert (run.status, run.failure, run.failure_detail) == (RunStatus.FAILED, "budget", limit)
    assert [artifact.name for artifact in kept] == ["half.csv"]
    assert fake.live == 0


async def test_a_cancelled_run_says_so_keeps_its_files_and_leaves_no_container(tmp_path: Path) -> None:
    fake = FakeSandbox(otherwise=lambda _: FakeRun(files={"half.csv": b"1"}))
    waiting = asyncio.Event()

    async def respond(request: Body) -> web.StreamResponse:
        if asker(request) == "orchestrator":
            return web.json_response(
                completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})])
            )
        if not said(request):
            return web.json_response(completion(calls=[script()]))
        waiting.set()
        await asyncio.sleep(30)
        raise AssertionError

    async with serve(respond) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        run_id = await line.ask("Deck")
        task = asyncio.create_task(line.run(run_id))
        await asyncio.wait_for(waiting.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        run = await line.runs.get(run_id)
        kept = await line.artifacts.of_run(run_id)
    assert (run.status, run.failure) == (RunStatus.CANCELLED, "cancelled")
    assert [artifact.name for artifact in kept] == ["half.csv"]
    assert fake.live == 0


async def test_a_run_that_was_interrupted_goes_on_without_running_a_finished_script_again(
    tmp_path: Path,
) -> None:
    fake = FakeSandbox()
    interrupted = asyncio.Event()

    async def respond(request: Body) -> web.StreamResponse:
        place = len(said(request))
        if asker(request) == "orchestrator":
            answers = [
                completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
                completion(calls=[("complete_todo", {"id": "a"})]),
                completion("Ready."),
            ]
            return web.json_response(answers[place])
        if place == 1 and not interrupted.is_set():
            interrupted.set()
            await asyncio.sleep(30)
        return web.json_response(completion(calls=[script()]) if place == 0 else completion("done"))

    async with serve(respond) as endpoint:
        async with open_line(tmp_path, models_at(endpoint), fake, owner="first") as line:
            run_id = await line.ask("Deck")
            task = asyncio.create_task(line.run(run_id))
            await asyncio.wait_for(interrupted.wait(), 10)
            line.runner.stopping.set()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await line.runs.get(run_id)).status is RunStatus.RUNNING
        async with open_line(tmp_path, models_at(endpoint), fake, owner="second") as line:
            run = await line.run(run_id)
    assert run.answer == "Ready."
    assert run.attempt == 2
    assert [name for session in fake.sessions for name, _ in session.runs] == ["01.py"]


async def test_a_run_that_has_ended_is_not_run_again(tmp_path: Path) -> None:
    played = in_turn(completion("Hello."))
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        run_id = await line.ask("Hi")
        await line.run(run_id)
        line.seen.clear()
        await line.run(run_id)
    assert line.seen == []


async def test_the_plan_is_told_at_every_change(tmp_path: Path) -> None:
    played = in_turn(
        completion(
            calls=[("create_todo_list", {"todos": "- a: First\n- b: Second"}), ("start_next_todo", {})]
        ),
        completion("not done: wrong file"),
        completion(calls=[("revise_todo_list", {"todos": [todo("c")]})]),
        completion(calls=[("start_next_todo", {"id": "c"})]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "c"})]),
        completion("Ready."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        await line.run(await line.ask("Deck"))
    plans = [[(t.id, t.status.value) for t in e.plan.todos] for e in line.seen if isinstance(e, PlanChanged)]
    assert plans == [
        [("a", "pending"), ("b", "pending")],
        [("a", "active"), ("b", "pending")],
        [("c", "pending")],
        [("c", "active")],
        [("c", "done")],
    ]


async def test_a_todo_that_a_later_call_of_the_same_answer_drops_does_not_run(tmp_path: Path) -> None:
    fake = sandbox()
    played = in_turn(
        completion(
            calls=[
                ("create_todo_list", {"todos": [todo("a"), todo("b")]}),
                ("start_next_todo", {"id": "a"}),
                ("block_todo", {"id": "a", "reason": "on second thought"}),
                ("start_next_todo", {"id": "b"}),
            ]
        ),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "b"}), ("block_todo", {"id": "b", "reason": "no"})]),
        completion("Ready."),
    )
    async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        await line.run(await line.ask("Deck"))
    answers = [m["content"] for m in endpoint.seen[2]["messages"] if m["role"] == "tool"]
    assert "a was dropped by a later call" in answers[1]
    assert "report of b" in answers[3]
    assert "'b' is done" in endpoint.seen[3]["messages"][-2]["content"]


async def test_a_model_that_is_unusable_every_other_time_blocks_its_todo_in_the_end(tmp_path: Path) -> None:
    async def respond(request: Body) -> web.StreamResponse:
        if asker(request) == "orchestrator":
            answers = [
                completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
                completion("It could not be done."),
            ]
            return web.json_response(answers[len(said(request))])
        flaky = request["messages"][-1]["role"] != "user" or len(request["messages"]) == 2
        return web.json_response(completion("") if flaky else completion(calls=[script()]))

    async with serve(respond) as endpoint, open_line(tmp_path, models_at(endpoint), sandbox()) as line:
        run = await line.run(await line.ask("Deck"))
    assert run.answer == "It could not be done."
    blocked = [event for event in line.seen if isinstance(event, TodoFinished)]
    assert "no report after 24 answers" in blocked[0].notes


async def test_a_cancel_while_the_outputs_are_stored_keeps_the_answer(tmp_path: Path) -> None:
    storing, go_on = asyncio.Event(), asyncio.Event()
    fake = FakeSandbox(otherwise=lambda _: FakeRun(files={"deck.pptx": _deck()}))

    async with serve(one_script()) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
        put = line.artifacts.put

        async def slow(*arguments: Any, **options: Any) -> Any:
            storing.set()
            await go_on.wait()
            return await put(*arguments, **options)

        line.artifacts.put = slow
        run_id = await line.ask("Deck")
        task = asyncio.create_task(line.run(run_id))
        await asyncio.wait_for(storing.wait(), 10)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        run = await line.runs.get(run_id)
    assert (run.status, run.answer) == (RunStatus.FINISHED, "42")


async def test_a_file_that_cannot_be_stored_does_not_cost_the_answer(tmp_path: Path) -> None:
    fake = FakeSandbox(otherwise=lambda _: FakeRun(files={"deck.pptx": _deck()}))
    async with serve(one_script()) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:

        async def full(*_: Any, **__: Any) -> Any:
            raise DiskFull

        line.artifacts.put = full
        run = await line.run(await line.ask("Deck"))
    assert (run.status, run.answer) == (RunStatus.FINISHED, "42")


async def test_a_run_that_ends_its_process_again_and_again_is_given_up(tmp_path: Path) -> None:
    run_id = None
    for attempt in range(1, 6):
        async with (
            serve(hang) as endpoint,
            open_line(tmp_path, models_at(endpoint), sandbox(), owner=f"process-{attempt}") as line,
        ):
            run_id = run_id or await line.ask("Deck")
            task = asyncio.create_task(line.run(run_id))
            async with asyncio.timeout(10):
                while not endpoint.seen:  # noqa: ASYNC110  # the endpoint has no event of its own
                    await asyncio.sleep(0.01)
            line.runner.stopping.set()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
    assert run_id is not None
    async with (
        serve(hang) as endpoint,
        open_line(tmp_path, models_at(endpoint), sandbox(), owner="last") as line,
    ):
        run = await line.run(run_id)
    assert (run.status, run.failure) == (RunStatus.FAILED, "internal")


async def test_a_script_is_on_record_before_anything_else_is_told_of_it(tmp_path: Path) -> None:
    """A stop between a script's end and the note of it must not run it again."""
    fake = FakeSandbox()

    async def respond(request: Body) -> web.StreamResponse:
        if asker(request) == "orchestrator":
            answers = [
                completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
                completion(calls=[("complete_todo", {"id": "a", "answer": "Ready."})]),
            ]
            return web.json_response(answers[len(said(request))])
        return web.json_response(completion("done") if said(request) else completion(calls=[script()]))

    async with serve(respond) as endpoint:
        async with open_line(tmp_path, models_at(endpoint), fake, owner="first") as line:
            run_id = await line.ask("Deck")
            add_usage = line.runs.add_usage
            task = asyncio.create_task(line.run(run_id))

            async def stop_there(run: Any, usage: Any) -> None:
                if usage.sandbox_runs:
                    line.runner.stopping.set()
                    task.cancel()
                await add_usage(run, usage)

            setattr(line.runs, "add_usage", stop_there)  # noqa: B010  # the type checker knows the method
            with pytest.raises(asyncio.CancelledError):
                await task
        async with open_line(tmp_path, models_at(endpoint), fake, owner="second") as line:
            run = await line.run(run_id)
    assert run.answer == "Ready."
    assert [name for session in fake.sessions for name, _ in session.runs] == ["01.py"]


def one_script() -> Any:
    """A run of one todo with one script, whose answer is 42."""
    return in_turn(
        completion(calls=[("create_todo_list", {"todos": [todo("a")]}), ("start_next_todo", {})]),
        completion(calls=[script()]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "a", "answer": "42"})]),
    )


async def test_usage_and_alerts_are_told_and_each_alert_once_a_run(tmp_path: Path) -> None:
    alert = Alert(code=AlertCode.SOCKET, detail="host.invalid:80")
    fake = FakeSandbox(otherwise=lambda _: FakeRun(alerts=(alert,), files={"a.csv": b"12"}))
    fake.ahead = 2
    played = in_turn(
        completion(
            calls=[("create_todo_list", {"todos": [todo("a"), todo("b")]}), ("start_next_todo", {"id": "a"})]
        ),
        completion(calls=[script()]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "a"}), ("start_next_todo", {"id": "b"})]),
        completion(calls=[script()]),
        completion("done"),
        completion(calls=[("complete_todo", {"id": "b", "answer": "Done."})]),
    )
    with structlog.testing.capture_logs() as logged:
        async with serve(played) as endpoint, open_line(tmp_path, models_at(endpoint), fake) as line:
            run = await line.run(await line.ask("Deck"))
            stored = [record.kind for record in await line.events.of(run.id)]
    waits = [event for event in line.seen if isinstance(event, SandboxWaiting)]
    assert [(event.todo_id, event.ahead) for event in waits] == [("a", 2), ("b", 2)]
    usage = [event for event in line.seen if isinstance(event, ScriptRan)]
    assert [(event.script, event.status, event.out_bytes, event.processes) for event in usage] == [
        ("01.py", "ok", 2, 1)
    ] * 2
    [raised] = [event for event in line.seen if isinstance(event, AlertRaised)]
    assert (raised.code, raised.threat, raised.detail) == ("socket", 4, "host.invalid:80")
    assert [entry for entry in logged if entry["event"] == "sandbox.alert"] == [
        {
            "event": "sandbox.alert",
            "log_level": "warning",
            "run_id": run.id,
            "todo_id": "a",
            "code": "socket",
            "threat": 4,
            "detail": "host.invalid:80",
        }
    ]
    assert (stored.count("AlertRaised"), stored.count("ScriptRan"), stored.count("SandboxWaiting")) == (
        1,
        2,
        2,
    )
    trace = (tmp_path / "runs" / run.id / "trace.jsonl").read_text().splitlines()
    assert [json.loads(text)["type"] for text in trace].count("alert") == 1
