"""The service's requests and answers. What a model does not name cannot be asked for, nor answered."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from sandbox.alerts import Alert, AlertCode
from sandbox.names import clean_text
from sandbox.policy import DEFAULT_NAME
from sandbox.session import MAX_ARGUMENTS, Excerpt, ExitStatus, FileEntry, Finding, RunResult, SkippedFile

MAX_PATH = 1000
"""Characters, of a path or of a name that is going to be refused."""
MAX_FILES = 2000
"""As many as a policy allows at most in out/."""
MAX_SOURCE = 512 << 10
"""Characters that are read before the sandbox's own limit is looked at."""

Name = Annotated[str, Field(max_length=MAX_PATH)]
Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
Text = Annotated[str, Field(max_length=1 << 20)]
Sentence = Annotated[str, Field(max_length=4000)]


class _Model(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, from_attributes=True
    )


class Place(StrEnum):
    """Where an uploaded file goes: the folders of /workspace."""

    INPUT = "input"
    CODE = "code"
    SKILLS = "skills"
    OUT = "out"


class State(StrEnum):
    FILLING = "filling"
    """Takes files; has no container yet."""
    STARTING = "starting"
    WAITING = "waiting"
    """Stands in line for a container."""
    READY = "ready"
    OVER = "over"
    """Its container is gone, or never came."""


class ErrorCode(StrEnum):
    """What clients decide by. The message beside it is for people and may change."""

    MALFORMED = "malformed"
    INVALID = "invalid"
    UNAUTHORIZED = "unauthorized"
    NO_SUCH_ROUTE = "no-such-route"
    NO_SUCH_SESSION = "no-such-session"
    NO_SUCH_POLICY = "no-such-policy"
    NO_SUCH_SCRIPT = "no-such-script"
    NO_SUCH_FILE = "no-such-file"
    UNSAFE_NAME = "unsafe-name"
    WRONG_STATE = "wrong-state"
    TOO_LARGE = "too-large"
    TOO_SLOW = "too-slow"
    TOO_MANY_SESSIONS = "too-many-sessions"
    SANDBOX_UNAVAILABLE = "sandbox-unavailable"
    INTERNAL = "internal"


class Problem(_Model):
    code: ErrorCode
    message: Sentence


class Failure(_Model):
    """The body of every answer that is no success."""

    error: Problem


class CreateSession(_Model):
    policy: Name = DEFAULT_NAME
    """One of `GET /v1/policies`."""
    owner: str = Field(pattern="^[a-z0-9-]{1,48}$")
    """A label that names the container. No two live sessions have the same."""


class WriteScript(_Model):
    name: Name
    source: str = Field(max_length=MAX_SOURCE)


class RunScript(_Model):
    name: Name
    arguments: Annotated[
        tuple[Annotated[str, Field(max_length=MAX_ARGUMENTS)], ...], Field(max_length=MAX_ARGUMENTS)
    ] = ()
    time_limit: float | None = Field(default=None, gt=0)
    """Wall seconds, never above the policy's own. None for those."""


class ReadExcerpt(_Model):
    path: Name
    first_line: int = Field(default=1, ge=1, le=2**31)
    lines: int = Field(default=200, ge=1, le=2**31)


class Limits(_Model):
    """What a policy gives to one session."""

    cpu: Annotated[float, Field(gt=0, le=64)]
    memory: Count
    pids: Count
    timeout: Annotated[float, Field(ge=1, le=86400)]
    """Wall seconds of one script."""
    grace: Annotated[float, Field(ge=0, le=60)]
    session: Seconds
    """From the beginning of the lease."""
    out_bytes: Annotated[int, Field(ge=0, le=8 << 30)]
    out_files: Annotated[int, Field(ge=0, le=MAX_FILES)]


class PolicyInfo(_Model):
    name: Annotated[str, Field(max_length=32)]
    limits: Limits
    exceptions: Annotated[tuple[Annotated[str, Field(max_length=100)], ...], Field(max_length=20)] = ()
    """Keys by which the operator has made it weaker than the baseline."""
    suffixes: Annotated[tuple[Annotated[str, Field(max_length=20)], ...], Field(max_length=20)] = (".py",)
    """Of the scripts that it runs."""


class Policies(_Model):
    policies: Annotated[tuple[PolicyInfo, ...], Field(max_length=1000)]


class Session(_Model):
    id: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    """Who knows it has the session: it is as good as a password."""
    policy: Annotated[str, Field(max_length=32)]
    owner: Annotated[str, Field(max_length=48)]
    state: State
    ahead: Count | None = None
    """Leases in front of a waiting one."""
    idle: Annotated[float, Field(gt=0, le=1e9)]
    """Seconds without a request after which the session is closed."""
    limits: Limits


class SessionMetrics(_Model):
    """Sums over the scripts of one session."""

    runs: dict[ExitStatus, Count]
    seconds: Seconds
    cpu_seconds: Seconds
    peak_memory: Count
    """Bytes; the largest."""
    processes: Count
    out_bytes: Count
    """Bytes, after the last script."""
    alerts: dict[AlertCode, Count]


class Health(_Model):
    status: Annotated[str, Field(max_length=20)] = "ok"


class File(_Model):
    path: Name
    size: Count

    def value(self) -> FileEntry:
        return FileEntry(path=self.path, size=self.size)


class Files(_Model):
    files: Annotated[tuple[File, ...], Field(max_length=MAX_FILES)]


class FindingModel(_Model):
    line: Count
    message: Sentence
    advice: Sentence
    fatal: bool

    def value(self) -> Finding:
        return Finding(
            line=self.line, message=clean_text(self.message), advice=clean_text(self.advice), fatal=self.fatal
        )


class Findings(_Model):
    findings: Annotated[tuple[FindingModel, ...], Field(max_length=5000)]


class Skipped(_Model):
    path: Sentence
    reason: Sentence

    def value(self) -> SkippedFile:
        return SkippedFile(path=clean_text(self.path), reason=clean_text(self.reason))


class AlertModel(_Model):
    code: AlertCode
    detail: Annotated[str, Field(max_length=400)]

    def value(self) -> Alert:
        return Alert(code=self.code, detail=clean_text(self.detail))


class RunAnswer(_Model):
    """A `RunResult`: the same fields, with a bound to each."""

    status: ExitStatus
    exit_code: Annotated[int, Field(ge=0, le=255)]
    stdout: Text
    stderr: Text
    stdout_dropped: Count
    stderr_dropped: Count
    files: Annotated[tuple[File, ...], Field(max_length=MAX_FILES)]
    removed: Annotated[tuple[Name, ...], Field(max_length=MAX_FILES)]
    skipped: Annotated[tuple[Skipped, ...], Field(max_length=3 * MAX_FILES)]
    seconds: Seconds
    cpu_seconds: Seconds
    peak_memory: Count
    processes: Count
    out_bytes: Count
    alerts: Annotated[tuple[AlertModel, ...], Field(max_length=len(AlertCode))]
    script_sha256: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")]

    def value(self) -> RunResult:
        fields = _fields(self)
        fields["stdout"], fields["stderr"] = clean_text(self.stdout), clean_text(self.stderr)
        for name in ("files", "skipped", "alerts"):
            fields[name] = tuple(item.value() for item in fields[name])
        return RunResult(**fields)


class ExcerptAnswer(_Model):
    """An `Excerpt`."""

    path: Name
    size: Count
    encoding: Annotated[str, Field(max_length=40)] | None
    first_line: Count
    total_lines: Count | None
    text: Text
    cut: bool

    def value(self) -> Excerpt:
        fields = _fields(self)
        fields["text"] = clean_text(self.text)
        return Excerpt(**fields)


def _fields(model: BaseModel) -> dict[str, Any]:
    return {name: getattr(model, name) for name in type(model).model_fields}
