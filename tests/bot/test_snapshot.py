from functools import reduce

from agent.events import (
    AlertRaised,
    ArtifactSaved,
    FailureReason,
    ModelCalled,
    PlanChanged,
    Role,
    RunFailed,
    SandboxWaiting,
    ScriptRan,
    TodoFinished,
    TodoStarted,
    ToolFinished,
    ToolStarted,
)
from agent.plan import TodoStatus
from bot.snapshot import Snapshot, Step, apply
from tests.bot.fakes import PLAN

PLANNED = apply(Snapshot(), PlanChanged(run_id="r", plan=PLAN))


def started(subject: str, todo_id: str | None = "look") -> ToolStarted:
    return ToolStarted(run_id="r", todo_id=todo_id, tool="run_python_file", subject=subject)


def ended(subject: str, todo_id: str | None = "look") -> ToolFinished:
    return ToolFinished(
        run_id="r", todo_id=todo_id, tool="run_python_file", subject=subject, ok=True, summary="", seconds=1
    )


def test_a_todo_is_active_and_then_done() -> None:
    active = apply(PLANNED, TodoStarted(run_id="r", todo_id="look", title=""))
    assert active.plan.todos[0].status is TodoStatus.ACTIVE
    done = apply(active, TodoFinished(run_id="r", todo_id="look", status=TodoStatus.DONE, notes="fine"))
    assert (done.done, done.plan.todos[0].notes) == (1, "fine")


def test_parallel_tools_are_all_shown_until_each_ends() -> None:
    both = reduce(apply, [started("a.py"), started("b.py", "deck")], PLANNED)
    assert [step.subject for step in both.steps] == ["a.py", "b.py"]
    assert [step.subject for step in apply(both, ended("a.py")).steps] == ["b.py"]


def test_the_same_tool_twice_ends_one_at_a_time() -> None:
    twice = reduce(apply, [started("a.py"), started("a.py"), ended("a.py")], PLANNED)
    assert twice.steps == (Step(todo_id="look", tool="run_python_file", subject="a.py"),)


def test_an_end_without_a_beginning_changes_nothing() -> None:
    assert apply(PLANNED, ended("never.py")) == PLANNED


def test_a_finished_todo_leaves_no_step_behind() -> None:
    working = apply(PLANNED, started("a.py"))
    assert not apply(
        working, TodoFinished(run_id="r", todo_id="look", status=TodoStatus.BLOCKED, notes="")
    ).steps


def test_tokens_and_calls_add_up() -> None:
    call = ModelCalled(
        run_id="r",
        todo_id=None,
        role=Role.ORCHESTRATOR,
        input_tokens=10,
        output_tokens=5,
        cached_tokens=3,
        seconds=1,
    )
    after = reduce(apply, [call, call], Snapshot())
    assert (after.model_calls, after.tokens) == (2, 30)


def test_only_deliverables_count_as_files_and_each_once() -> None:
    def saved(name: str, *, deliverable: bool) -> ArtifactSaved:
        return ArtifactSaved(run_id="r", artifact_id="a", name=name, size=1, deliverable=deliverable)

    events = [saved("deck.pptx", deliverable=True), saved("work.csv", deliverable=False)]
    assert reduce(apply, [*events, *events], Snapshot()).files == ("deck.pptx",)


def test_the_end_clears_what_was_being_done() -> None:
    end = RunFailed(run_id="r", reason=FailureReason.MODEL)
    after = reduce(apply, [started("a.py"), end], PLANNED)
    assert (after.steps, after.outcome, after.ended) == ((), end, True)


def test_a_wait_for_a_sandbox_is_a_step_until_the_todo_goes_on() -> None:
    waiting = SandboxWaiting(run_id="r", todo_id="look", ahead=2)
    waits = reduce(apply, [started("a.py"), started("b.py", "deck"), waiting, waiting], PLANNED)
    assert [step.tool for step in waits.steps] == ["run_python_file", "run_python_file", "wait_for_sandbox"]
    ran = ScriptRan(
        run_id="r", todo_id="look", script="a.py", status="ok", exit_code=0,
        seconds=1, cpu_seconds=1, peak_memory=1, processes=1, out_bytes=1,
    )  # fmt: skip
    assert apply(waits, ran).steps == waits.steps[:2]
    assert [step.subject for step in apply(waits, ended("a.py")).steps] == ["b.py"]
    assert apply(waits, ended("b.py", "deck")).steps == (waits.steps[0], waits.steps[2])


def test_an_alert_is_no_business_of_the_chat() -> None:
    alert = AlertRaised(run_id="r", todo_id="look", code="socket", threat=4, detail="x")
    assert apply(PLANNED, alert) == PLANNED
