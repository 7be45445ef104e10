"""Everything an observer can learn about a run, in order. Chat, logs and metrics all read this.

An event names facts and codes; the sentence that a person reads is made of it in `bot`.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum

from agent.plan import Plan, TodoStatus
from agent.verification import Verification


class FailureReason(StrEnum):
    SANDBOX = "sandbox"
    """The engine, the image or the container failed us, twice."""
    BUDGET = "budget"
    """`detail` is the name of the limit: model_calls, tokens, seconds, sandbox_seconds."""
    MODEL = "model"
    """The model's endpoint did not answer, or its answers could not be used."""
    STORAGE = "storage"
    """The disk is full, or the database or the artifact store cannot be reached."""
    CANCELLED = "cancelled"
    UPDATED = "updated"
    """An update came between, and what was half done does not fit the new version."""
    INTERNAL = "internal"
    """A fault of ours. `detail` is an id to look up in the log."""


class Role(StrEnum):
    ORCHESTRATOR = "orchestrator"
    SUBAGENT = "subagent"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    run_id: str
    request: str
    files: tuple[str, ...]
    model: str
    resumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChanged:
    run_id: str
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoStarted:
    run_id: str
    todo_id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoFinished:
    run_id: str
    todo_id: str
    status: TodoStatus
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    run_id: str
    todo_id: str | None
    """None for a tool of the orchestrator."""
    tool: str
    subject: str
    """What it works on: a file name, a skill, a todo's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    run_id: str
    todo_id: str | None
    tool: str
    subject: str
    ok: bool
    summary: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCalled:
    run_id: str
    todo_id: str | None
    role: Role
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    """Part of the input tokens that the provider took from its prompt cache."""
    seconds: float
    fault: str | None = None
    """Why the answer could not be used, if so: a `turn.Fault`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxWaiting:
    """All containers are in use. Told once; the todo's next event says that it has gone on."""

    run_id: str
    todo_id: str | None
    """None for the profile of the input files, here and in the next two."""
    ahead: int
    """Leases in front of this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """The run waits for its person. Told again when a restart came between."""

    run_id: str
    text: str
    options: tuple[str, ...]
    assumption: str
    """What the run goes on with when there is no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered:
    run_id: str
    answer: str
    by_person: bool
    """False: nobody answered, and `answer` is the assumption."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRan:
    run_id: str
    todo_id: str | None
    script: str
    status: str
    """A `sandbox.session.ExitStatus`."""
    exit_code: int
    seconds: float
    cpu_seconds: float
    peak_memory: int
    """Bytes."""
    processes: int
    out_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRaised:
    """Something that an operator should hear of; each code once a run, whatever its scripts do."""

    run_id: str
    todo_id: str | None
    code: str
    threat: int
    """Its number in SECURITY.md."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """The results are being checked: nothing more will be made, unless a finding is mended."""

    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsVerified:
    run_id: str
    verification: Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactSaved:
    run_id: str
    artifact_id: str
    name: str
    """Relative to the run's out folder."""
    size: int
    deliverable: bool
    """Whether the person should get it; the rest are working files."""
    preview: bool = False
    """A picture of a page of a deliverable: shown beside it, and not a file of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    run_id: str
    answer: str
    """Markdown, in the language of the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed:
    run_id: str
    reason: FailureReason
    detail: str = ""


RunEvent = (
    RunStarted
    | PlanChanged
    | TodoStarted
    | TodoFinished
    | ToolStarted
    | ToolFinished
    | ModelCalled
    | SandboxWaiting
    | QuestionAsked
    | QuestionAnswered
    | ScriptRan
    | AlertRaised
    | Checking
    | ResultsVerified
    | ArtifactSaved
    | RunFinished
    | RunFailed
)


def to_record(event: RunEvent) -> dict[str, object]:
    """The event as JSON-able facts, without its type's name."""
    if isinstance(event, PlanChanged):
        plan = event.plan.model_dump(mode="json", exclude={"todos": {"__all__": {"report"}}})
        return {"run_id": event.run_id, "plan": plan}
    return asdict(event)
