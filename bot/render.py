"""Runs and their snapshots as text. Pure: no adapter, no clock, no I/O."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from agent.events import FailureReason, RunFailed, RunFinished
from agent.plan import Plan, Todo, TodoStatus
from bot import disarm
from bot.chat import Button, Message, MessageKind
from bot.snapshot import Snapshot, Step
from bot.texts import Texts

MARK = {
    TodoStatus.PENDING: "○",
    TodoStatus.ACTIVE: "◐",
    TodoStatus.DONE: "●",
    TodoStatus.BLOCKED: "✕",
}
_MARKS = re.compile(r"[`*~|\[\]<>\\#]+")
"""What a renderer of Markdown would take for its own. An underscore within a name it leaves alone."""
_TITLE = 120
_SHORT = 30
_NOTES = 200
_SUBJECT = 60
_DETAIL = 300
_SILENT_TOOLS = ("start_next_todo", "complete_todo")
"""What they do is seen in the checklist."""
_ROUTINE_TOOLS = ("write_python_file",)
"""Told where a frame replaces the last one; in a log they would be most of the lines."""


def progress(
    snapshot: Snapshot,
    elapsed: float,
    t: Texts,
    run_id: str,
    *,
    brief: bool = False,
    cancel: Button | None = None,
) -> Message:
    """One frame of the progress message. `elapsed` is in seconds. `brief`: for where lines are only added."""
    if brief:
        telling = tuple(step for step in snapshot.steps if step.tool not in _ROUTINE_TOOLS)
        snapshot = replace(snapshot, steps=telling)
    return Message(
        kind=MessageKind.SETTLED if snapshot.ended else MessageKind.PROGRESS,
        text="\n".join(_checklist(snapshot, t)),
        footer=_footer(snapshot, elapsed, t),
        run_id=run_id,
        buttons=() if cancel is None or snapshot.ended else ((cancel,),),
    )


def settled(snapshot: Snapshot, elapsed: float | None, t: Texts) -> str:
    """The one line that is left of a progress message; without a time for a run that never began."""
    facts = [t(_end_keys(snapshot)[1])]
    if snapshot.plan.todos:
        facts.append(t("progress-count", done=snapshot.done, total=len(snapshot.plan.todos)))
    if elapsed is not None:
        facts.append(duration(elapsed))
    return " · ".join(facts)


def failure(
    event: RunFailed, t: Texts, *, files: int, model_host: str = "", retry: Button | None = None
) -> Message:
    """What happened, whether the work is kept, and what to do. Who stopped it need not be called for that."""
    detail = {
        FailureReason.BUDGET: f"failed-budget-{event.detail}",
        FailureReason.SANDBOX: _sandbox_key(event),
    }
    key = detail.get(event.reason, f"failed-{event.reason.value}")
    if not t.has(key):
        key = f"failed-{event.reason.value}"
    kept = t("failed-kept", count=files) if files else t("failed-nothing-kept")
    if event.reason is FailureReason.MODEL and model_host:
        key = "failed-model-at"
    sentence = t(key, detail=shown(event.detail, _DETAIL), run=event.run_id, host=model_host)
    return Message(
        kind=MessageKind.NOTICE if event.reason is FailureReason.CANCELLED else MessageKind.FAILURE,
        text=f"{sentence} {kept}",
        run_id=event.run_id,
        buttons=() if retry is None else ((retry,),),
    )


def whole_plan(plan: Plan, t: Texts) -> str:
    """Every todo with what it needs and what it promises."""
    return "\n".join(line for todo in plan.todos for line in _todo_details(todo, t)) or t("plan-none")


def duration(seconds: float) -> str:
    """`0:07`, `12:40`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def file_size(size: int) -> str:
    """`812 B`, `3.4 KB`, `12.0 MB`; in steps of 1024."""
    amount = float(size)
    for unit in ("B", "KB", "MB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GB"


def shown(text: str, length: int) -> str:
    """`clip` for what a model or a guest wrote, with nothing left in it that a chat would obey."""
    return clip(disarm.plain(text), length)


def words(text: str, length: int) -> str:
    """`shown` for a place in Markdown of ours, without marks of its own."""
    return shown(_MARKS.sub(" ", text), length)


def clip(text: str, length: int) -> str:
    """One line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def _checklist(snapshot: Snapshot, t: Texts) -> Iterable[str]:
    if snapshot.resumed and not snapshot.ended:
        yield t("progress-resumed")
    active = [todo for todo in snapshot.plan.todos if todo.status is TodoStatus.ACTIVE]
    for todo in snapshot.plan.todos:
        notes = f" — {shown(todo.notes, _NOTES)}" if todo.status is TodoStatus.BLOCKED and todo.notes else ""
        yield f"{MARK[todo.status]} {shown(todo.title, _TITLE)}{notes}"
        if todo.status is TodoStatus.ACTIVE and not snapshot.ended:
            mine = _step_lines([step for step in snapshot.steps if step.todo_id == todo.id], t)
            if len(active) > 1:
                # Where lines are only added, a step does not stand below its todo.
                mine = (t("step-of-todo", todo=shown(todo.title, _SHORT), step=line) for line in mine)
            yield from (f"   {line}" for line in mine)
    if not snapshot.ended and not active:
        own = [s for s in snapshot.steps if s.todo_id is None and s.tool not in _SILENT_TOOLS]
        yield from _step_lines(own, t, idle=_idle_key(snapshot.plan))


def _step_lines(steps: Sequence[Step], t: Texts, idle: str = "step-thinking") -> Iterable[str]:
    if not steps:
        yield t(idle)
    for step in steps:
        yield _step_line(step, t)


def _step_line(step: Step, t: Texts) -> str:
    key = f"step-{step.tool}" if t.has(f"step-{step.tool}") else "step-other"
    subject = shown(step.subject, _SUBJECT)
    if subject:
        return t(key, subject=subject)
    try:
        return t(key)
    except ValueError:  # the sentence needs a subject, and the model named none
        return t("step-unnamed")


def _idle_key(plan: Plan) -> str:
    if not plan.todos:
        return "step-planning"
    return "step-thinking" if plan.open else "step-answering"


def _footer(snapshot: Snapshot, elapsed: float, t: Texts) -> str:
    facts = [duration(elapsed)]
    if snapshot.plan.todos:
        facts.insert(0, t("progress-count", done=snapshot.done, total=len(snapshot.plan.todos)))
    if snapshot.tokens:
        facts.append(t("progress-tokens", tokens=snapshot.tokens))
    facts.insert(0, t(_end_keys(snapshot)[0]))
    return " · ".join(facts)


def _end_keys(snapshot: Snapshot) -> tuple[str, str]:
    """How the run stands, below a checklist and as the line that is left of it."""
    match snapshot.outcome:
        case RunFinished():
            return "progress-finished", "settled-finished"
        case RunFailed(reason=FailureReason.CANCELLED):
            return "progress-cancelled", "settled-cancelled"
        case RunFailed():
            return "progress-failed", "settled-failed"
        case None:
            return "progress-paused" if snapshot.paused else "progress-working", "settled-paused"


def _sandbox_key(event: RunFailed) -> str:
    return "failed-sandbox-image" if "make image" in event.detail else "failed-sandbox"


def _todo_details(todo: Todo, t: Texts) -> Iterable[str]:
    yield f"{MARK[todo.status]} {shown(todo.title, _TITLE)}"
    for key, value in (
        ("plan-skills", ", ".join(todo.skills)),
        ("plan-inputs", ", ".join(todo.inputs)),
        ("plan-success", todo.success),
        ("plan-outputs", ", ".join(todo.outputs)),
        ("plan-notes", todo.notes),
    ):
        if value:
            yield f"   {t(key)}: {shown(value, 400)}"
