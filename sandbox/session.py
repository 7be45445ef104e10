"""What the agent may ask of a sandbox. `docker.py` answers it; tests answer it with a fake."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from sandbox.alerts import Alert
from sandbox.policy import DEFAULT_NAME

MAX_ARGUMENTS = 64 << 10
"""Bytes of a script's arguments together."""


def check_arguments(arguments: Sequence[str]) -> None:
    """Raises: ValueError: they are more than `MAX_ARGUMENTS`."""
    if sum(len(argument.encode("utf-8", "replace")) for argument in arguments) > MAX_ARGUMENTS:
        message = f"arguments of more than {MAX_ARGUMENTS >> 10} KiB"
        raise ValueError(message)


class ExitStatus(StrEnum):
    """How a script ended. What the engine did wrong is an exception, never a status."""

    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    DISK_LIMIT = "disk_limit"
    KILLED = "killed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One regular file. `path` is relative to the folder that was asked for, with `/` between its parts."""

    path: str
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """Something in out/ that was not copied to the host, and why ("not a regular file", "too large", …)."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What one script did. A crash, a timeout or a limit is a result."""

    status: ExitStatus
    exit_code: int
    """As a shell would see it: 128 + N for a script that signal N ended."""
    stdout: str
    stderr: str
    stdout_dropped: int = 0
    """Bytes cut out of the middle of stdout; the text carries a marker at the cut."""
    stderr_dropped: int = 0
    files: tuple[FileEntry, ...] = ()
    """Files in out/ that the script made or changed, copied to the workspace's out folder."""
    removed: tuple[str, ...] = ()
    """Files of out/ that the script removed; their copies are gone from the workspace's out folder too."""
    skipped: tuple[SkippedFile, ...] = ()
    """What was not copied; and, told once, what earlier todos left that did not fit into the sandbox."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    """Bytes, of the script with its descendants."""
    processes: int = 0
    """Processes and threads of the script, itself included, one after the other counted too."""
    out_bytes: int = 0
    """Bytes in out/ after the script, in whole blocks."""
    alerts: tuple[Alert, ...] = ()
    """What an operator should hear of; each code at most once in a session."""
    script_sha256: str = ""

    @property
    def timed_out(self) -> bool:
        return self.status is ExitStatus.TIMEOUT

    @property
    def succeeded(self) -> bool:
        return self.status is ExitStatus.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the checker saw in a script before it ran."""

    line: int
    """From 1; 0 when it concerns the whole script."""
    message: str
    advice: str = ""
    fatal: bool = True
    """A script with a fatal finding would fail for certain, so it is not staged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Some lines of a file in the workspace, or the reason why there are none."""

    path: str
    size: int
    encoding: str | None
    """None for a binary file; `text` then says what it is and how to open it."""
    first_line: int
    total_lines: int | None
    """None when the file was too long to count."""
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """A file that the guest finds in /workspace/input under `name`."""

    name: str
    """Canonical and safe: see `sandbox.names`."""
    source: Path
    """On the host. It is linked or copied, never opened as anything but bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """What a lease is filled with, and where its results go."""

    owner: str
    """Run, todo and attempt, e.g. `r7f3-eda-1`: names the container and its lease file.

    Of [a-z0-9-], at most 48 characters.
    """
    inputs: tuple[InputFile, ...] = ()
    code: Path
    """Host folder with the scripts of this todo. Those in it are staged when the lease begins; each one
    that is written is put here too."""
    out: Path
    """Host folder that out/ is filled from when the lease begins and copied to after every script. It lies
    on the file system of the sandbox's own folders, so that a whole file can take its name at once."""
    skills: Sequence[Path] = field(default=())
    """Skill folders whose `scripts/` are mounted at /workspace/skills/<name>/scripts and importable."""
    policy: str = DEFAULT_NAME
    """Name of the policy that the operator has chosen for this todo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxStats:
    """What a sandbox is doing now, and has done since it was opened."""

    ready: int = 0
    """Warm containers that wait for a lease."""
    starting: int = 0
    leased: int = 0
    waiting: int = 0
    """Leases in line."""
    limit: int = 0
    """Containers at once, of all policies together."""
    leases: int = 0
    """Begun since the sandbox was opened, of which…"""
    warm_leases: int = 0
    """…so many got a container that was ready."""
    failed_starts: int = 0


def _unheard(ahead: int) -> None:
    del ahead


class SandboxSession(Protocol):
    """One leased, isolated container. Valid only inside the `async with` that opened it.

    Every method raises `SandboxUnavailable` when the engine or the container is gone; nothing then is known
    about what the guest did, and the session is useless.
    """

    async def write(self, name: str, source: str) -> tuple[Finding, ...]:
        """Check `source` in the guest and, when no finding is fatal, stage it as /workspace/code/`name`.

        A script in another language, told by its suffix, is staged unchecked where the policy has it.

        Raises:
            UnsafeName: `name` is not a plain file name with the suffix of a language that the policy has.
        """
        ...

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        """Run the staged script in /workspace/out with stdin at end-of-file.

        `time_limit` is in wall seconds and never above the policy's own.

        Raises:
            NoSuchScript: nothing of that name was staged.
        """
        ...

    async def list_inputs(self) -> tuple[FileEntry, ...]: ...

    async def list_outputs(self) -> tuple[FileEntry, ...]:
        """The files of out/, at most the policy's `out.files` of them, sorted by path."""
        ...

    async def excerpt(self, path: str, *, first_line: int = 1, lines: int = 200) -> Excerpt:
        """Lines of a text file; `path` is relative to /workspace, as in `input/data.csv` or `out/report.md`.

        At most 16 KiB of text; a cut is marked.

        Raises:
            NoSuchFile: there is no regular file at that path below input/, out/, code/ or skills/.
        """
        ...


class Sandbox(Protocol):
    def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = _unheard
    ) -> AbstractAsyncContextManager[SandboxSession]:
        """A container of its own for one todo, destroyed at the end of the block whatever happened in it.

        Leases are served in the order in which they were asked for. `waiting` is called once, with the number
        of leases in front, when this one has to wait because the policy's limit of containers is reached.

        Raises:
            SandboxUnavailable: no engine, no image, or the container did not come up in time.
            PolicyError: there is no policy of the workspace's name.
        """
        ...

    def stats(self) -> SandboxStats: ...
