"""What a run looks like at one moment. Each event makes a new one."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import assert_never

from agent.events import (
    AlertRaised,
    ArtifactSaved,
    Checking,
    ModelCalled,
    PlanChanged,
    QuestionAnswered,
    QuestionAsked,
    ResultsVerified,
    RunEvent,
    RunFailed,
    RunFinished,
    RunStarted,
    SandboxWaiting,
    ScriptRan,
    TodoFinished,
    TodoStarted,
    ToolFinished,
    ToolStarted,
)
from agent.plan import Plan, TodoStatus
from storage.records import EventRecord

Outcome = RunFinished | RunFailed

_WAITING = "wait_for_sandbox"
"""No tool, but shown as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A tool at work, or what it waits for."""

    todo_id: str | None
    """None for a tool of the orchestrator."""
    tool: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    plan: Plan = field(default_factory=Plan)
    steps: tuple[Step, ...] = ()
    model_calls: int = 0
    tokens: int = 0
    """Input and output together."""
    files: tuple[str, ...] = ()
    """Names of the deliverables so far."""
    resumed: bool = False
    paused: bool = False
    """This process is about to end; the next one will go on with the run."""
    outcome: Outcome | None = None

    @property
    def ended(self) -> bool:
        return self.paused or self.outcome is not None

    @property
    def done(self) -> int:
        return sum(todo.status is TodoStatus.DONE for todo in self.plan.todos)


def apply(snapshot: Snapshot, event: RunEvent) -> Snapshot:
    match event:
        case RunStarted(resumed=resumed):
            return replace(snapshot, resumed=resumed)
        case PlanChanged(plan=plan):
            return replace(snapshot, plan=plan)
        case TodoStarted(todo_id=todo_id):
            return replace(snapshot, plan=snapshot.plan.mark(todo_id, TodoStatus.ACTIVE))
        case TodoFinished(todo_id=todo_id, status=status, notes=notes):
            left = tuple(step for step in snapshot.steps if step.todo_id != todo_id)
            return replace(snapshot, plan=snapshot.plan.mark(todo_id, status, notes), steps=left)
        case ToolStarted() | ToolFinished() | SandboxWaiting() | ScriptRan():
            return replace(snapshot, steps=_steps(snapshot.steps, event))
        case AlertRaised() | QuestionAsked() | QuestionAnswered() | Checking() | ResultsVerified():
            return snapshot
        case ModelCalled(input_tokens=read, output_tokens=written):
            return replace(
                snapshot, model_calls=snapshot.model_calls + 1, tokens=snapshot.tokens + read + written
            )
        case ArtifactSaved(name=name, deliverable=deliverable):
            new = (name,) if deliverable and name not in snapshot.files else ()
            return replace(snapshot, files=snapshot.files + new)
        case RunFinished() | RunFailed():
            return replace(snapshot, steps=(), outcome=event)
        case _:
            assert_never(event)


def recorded(events: Iterable[EventRecord], outcome: Outcome | None = None) -> Snapshot:
    """What is left to tell of a run that ended: its plan as the history has it, and its outcome."""
    plan = Plan()
    for event in events:
        match event.kind, event.payload:
            case "PlanChanged", _:
                plan = Plan.model_validate(event.payload["plan"])
            case "TodoFinished", {"todo_id": str(todo_id), "status": str(status)}:
                plan = plan.mark(todo_id, TodoStatus(status))
            case _:
                pass
    return Snapshot(plan=plan, outcome=outcome)


def _steps(
    steps: tuple[Step, ...], event: ToolStarted | ToolFinished | SandboxWaiting | ScriptRan
) -> tuple[Step, ...]:
    match event:
        case ToolStarted(todo_id=todo_id, tool=tool, subject=subject):
            return (*steps, Step(todo_id=todo_id, tool=tool, subject=subject))
        case ToolFinished(todo_id=todo_id, tool=tool, subject=subject):
            return _gone_on(_without(steps, Step(todo_id=todo_id, tool=tool, subject=subject)), todo_id)
        case SandboxWaiting(todo_id=todo_id, ahead=ahead):
            wait = Step(todo_id=todo_id, tool=_WAITING, subject=str(ahead))
            return (*_gone_on(steps, todo_id), wait)
        case ScriptRan(todo_id=todo_id):
            return _gone_on(steps, todo_id)


def _gone_on(steps: tuple[Step, ...], todo_id: str | None) -> tuple[Step, ...]:
    """Without the todo's wait for a sandbox."""
    return tuple(step for step in steps if (step.todo_id, step.tool) != (todo_id, _WAITING))


def _without(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    """One of two equal steps may go on: two todos never share one, but a model can call a tool twice."""
    if step not in steps:
        return steps
    at = steps.index(step)
    return steps[:at] + steps[at + 1 :]
