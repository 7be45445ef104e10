"""What the tool in E2B's machine may answer. The machine is the script's: every byte is capped and typed."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sandbox.failure import KilledFor
from sandbox.frames import Count, Lines, Path, Seconds, Text

MAX_ANSWER = 8 << 20
"""Characters: the longest texts and lists that the models allow, with their escapes, mostly fit."""

Mark = Annotated[str, Field(max_length=100)]


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Checked(Answer):
    findings: Annotated[list[tuple[Count, Path, Path, bool]], Field(max_length=30)]


class Looked(Answer):
    files: Annotated[list[tuple[Path, Count, Mark]], Field(max_length=2000)]
    """Path below out/, bytes, and a mark that differs when the content does."""
    skipped: Annotated[list[tuple[Path, Path]], Field(max_length=200)]


class Ran(Looked):
    exit_code: Annotated[int, Field(ge=0, le=255)]
    killed_for: KilledFor
    stdout: Text
    stderr: Text
    stdout_dropped: Count
    stderr_dropped: Count
    seconds: Seconds
    cpu_seconds: Seconds
    peak_memory: Count
    processes: Count


class Excerpted(Answer):
    excerpt: Lines | None
    failed: bool
