from dataclasses import replace

import pytest

from agent.budget import Limit
from agent.events import FailureReason, PlanChanged, RunFailed, RunFinished, SandboxWaiting
from agent.plan import Plan, Todo, TodoStatus
from bot.chat import Button, MessageKind
from bot.render import duration, failure, file_size, progress, settled, whole_plan
from bot.snapshot import Snapshot, Step, apply
from bot.texts import Language, texts
from tests.bot.fakes import PLAN

EN = texts(Language.ENGLISH)
PLANNED = apply(Snapshot(), PlanChanged(run_id="r", plan=PLAN))


def lines(snapshot: Snapshot) -> list[str]:
    return progress(snapshot, 0, EN, "r").text.splitlines()


def test_before_there_is_a_plan_it_says_what_is_going_on() -> None:
    assert lines(Snapshot()) == ["reading the request and the files, making a plan"]


def test_the_checklist_shows_each_todo_with_its_mark_and_the_step_in_words() -> None:
    plan = PLAN.mark("look", TodoStatus.DONE).mark("deck", TodoStatus.ACTIVE)
    step = Step(todo_id="deck", tool="write_and_run_python", subject="deck.py")
    assert lines(replace(PLANNED, plan=plan, steps=(step,))) == [
        "● Look at the data",
        "◐ Make the deck",
        "   writing and running deck.py",
    ]


def test_a_blocked_todo_says_why() -> None:
    assert lines(replace(PLANNED, plan=PLAN.mark("look", TodoStatus.BLOCKED, "no such column")))[0] == (
        "✕ Look at the data — no such column"
    )


def test_a_tool_that_nobody_described_is_still_told() -> None:
    step = Step(todo_id=None, tool="dance", subject="the floor")
    assert lines(replace(PLANNED, steps=(step,)))[-1] == "working on the floor"


@pytest.mark.parametrize("tool", ["dance", "write_and_run_python", "read_skill"])
def test_a_call_that_names_no_subject_is_told_without_the_name_of_its_tool(tool: str) -> None:
    step = Step(todo_id=None, tool=tool, subject="")
    assert lines(replace(PLANNED, steps=(step,)))[-1] == "at work"
    looking = Step(todo_id=None, tool="list_input_files", subject="")
    assert lines(replace(PLANNED, steps=(looking,)))[-1] == "looking at the files"


def test_the_steps_of_todos_that_are_worked_on_together_say_whose_they_are() -> None:
    plan = PLAN.mark("look", TodoStatus.ACTIVE).mark("deck", TodoStatus.ACTIVE)
    steps = (
        Step(todo_id="look", tool="run_python_file", subject="a.py"),
        Step(todo_id="deck", tool="run_python_file", subject="b.py"),
    )
    assert lines(replace(PLANNED, plan=plan, steps=steps)) == [
        "◐ Look at the data",
        "   Look at the data: running a.py",
        "◐ Make the deck",
        "   Make the deck: running b.py",
    ]


def test_when_all_is_done_the_answer_is_being_written() -> None:
    plan = PLAN.mark("look", TodoStatus.DONE).mark("deck", TodoStatus.DONE)
    assert lines(replace(PLANNED, plan=plan))[-1] == "putting the answer together"


def test_the_footer_counts_steps_time_and_tokens() -> None:
    snapshot = replace(PLANNED, plan=PLAN.mark("look", TodoStatus.DONE), tokens=900)
    assert progress(snapshot, 75, EN, "r").footer == "Working · 1 of 2 steps · 1:15 · 900 tokens"


def test_the_last_frame_is_settled_and_names_the_end() -> None:
    last = progress(replace(PLANNED, outcome=RunFinished(run_id="r", answer="")), 5, EN, "r")
    assert (last.kind, last.footer) == (MessageKind.SETTLED, "Done · 0 of 2 steps · 0:05")
    paused = progress(replace(PLANNED, paused=True), 5, EN, "r")
    assert paused.kind is MessageKind.SETTLED
    assert paused.footer.startswith("Interrupted")


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("reason", FailureReason)
def test_each_failure_says_what_became_of_the_work(language: Language, reason: FailureReason) -> None:
    t = texts(language)
    failed = RunFailed(run_id="r", reason=reason, detail="d34db33f")
    assert t("failed-nothing-kept") in failure(failed, t, files=0).text
    assert t("failed-kept", count=2) in failure(failed, t, files=2).text


def test_each_limit_names_the_setting_that_raises_it() -> None:
    def told(limit: Limit) -> str:
        return failure(RunFailed(run_id="r", reason=FailureReason.BUDGET, detail=limit), EN, files=0).text

    assert "DECKHAND_MAX_SANDBOX_SECONDS" in told(Limit.SANDBOX_SECONDS)
    assert len({told(limit) for limit in Limit}) == len(Limit)


def test_a_missing_image_names_the_command_that_builds_it() -> None:
    failed = RunFailed(
        run_id="r", reason=FailureReason.SANDBOX, detail="image x is missing: run `make image`"
    )
    assert "`make image`" in failure(failed, EN, files=0).text


def test_the_whole_plan_tells_inputs_and_success() -> None:
    todo = Todo(id="a", title="Clean", inputs=("x.csv",), success="no gaps", outputs=("y.csv",))
    assert whole_plan(Plan(todos=(todo,)), EN).splitlines() == [
        "○ Clean",
        "   input: x.csv",
        "   done when: no gaps",
        "   makes: y.csv",
    ]


def test_a_long_title_of_several_lines_takes_one() -> None:
    plan = Plan(todos=(Todo(id="a", title="many\nwords " * 60),))
    shown = lines(replace(PLANNED, plan=plan))
    assert len(shown[0]) <= 122
    assert shown[0].endswith("…")


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (75.9, "1:15"), (3_723, "1:02:03")])
def test_durations_read_like_a_clock(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"), [(812, "812 B"), (3_481, "3.4 KB"), (100 << 20, "100.0 MB"), (3 << 30, "3.0 GB")]
)
def test_sizes_have_a_unit_that_fits(size: int, text: str) -> None:
    assert file_size(size) == text


def test_a_log_leaves_out_the_writing_of_scripts_and_keeps_their_runs() -> None:
    tools = ("write_python_file", "run_python_file", "read_file_content")
    steps = tuple(Step(todo_id=None, tool=tool, subject="a.py") for tool in tools)
    whole, brief = (
        progress(Snapshot(steps=steps), 0, EN, "r", brief=brief).text.splitlines() for brief in (False, True)
    )
    assert whole == ["writing a.py", "running a.py", "reading a.py"]
    assert brief == ["running a.py", "reading a.py"]


def test_a_model_that_failed_is_told_with_its_host() -> None:
    failed = RunFailed(run_id="r", reason=FailureReason.MODEL, detail="Connection error.")
    text = failure(failed, EN, files=0, model_host="llm.test:8000").text
    assert "llm.test:8000" in text
    assert "Connection error." in text


def test_a_wait_for_a_sandbox_says_how_many_are_in_front() -> None:
    waits = apply(PLANNED, SandboxWaiting(run_id="r", todo_id=None, ahead=3))
    assert lines(waits)[-1] == "waiting for a sandbox (3 in front)"
    russian = progress(waits, 0, texts(Language.RUSSIAN), "r").text.splitlines()[-1]
    assert russian == "жду песочницу (впереди 3)"


def test_titles_notes_and_subjects_that_a_model_wrote_cannot_act() -> None:
    todo = Todo(
        id="a", title="See https://evil.com/x \u202e@everyone", notes="/start", status=TodoStatus.BLOCKED
    )
    assert lines(replace(PLANNED, plan=Plan(todos=(todo,))))[0] == (
        "✕ See hxxps://evil[.]com/x ＠everyone — ∕start"
    )


def test_a_button_goes_with_frames_that_are_not_the_last() -> None:
    cancel = Button("Cancel", "c")
    assert progress(PLANNED, 0, EN, "r", cancel=cancel).buttons == ((cancel,),)
    assert progress(replace(PLANNED, paused=True), 0, EN, "r", cancel=cancel).buttons == ()


@pytest.mark.parametrize(
    ("snapshot", "elapsed", "line"),
    [
        (replace(PLANNED, outcome=RunFinished(run_id="r", answer="")), 102, "✓ Done · 0 of 2 steps · 1:42"),
        (Snapshot(outcome=RunFailed(run_id="r", reason=FailureReason.CANCELLED)), None, "■ Cancelled"),
        (Snapshot(outcome=RunFailed(run_id="r", reason=FailureReason.MODEL)), 5, "✕ Stopped · 0:05"),
    ],
)
def test_one_line_is_left_of_a_progress_message(snapshot: Snapshot, elapsed: float | None, line: str) -> None:
    assert settled(snapshot, elapsed, EN) == line
