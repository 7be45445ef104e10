"""Honest in-memory twins of the seams. Each passes the same contract suite as the real thing."""

import ast
import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.alerts import Alert, AlertCode
from sandbox.errors import NoSuchFile, NoSuchScript, SandboxUnavailable, UnsafeName
from sandbox.names import is_script_name, split_path
from sandbox.session import (
    Excerpt,
    ExitStatus,
    FileEntry,
    Finding,
    RunResult,
    SandboxSession,
    SandboxStats,
    SkippedFile,
    Workspace,
)

_MAX_TEXT = 16 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeRun:
    """What a script does, told beforehand."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    status: ExitStatus | None = None
    """None for what the exit code says."""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Written to out/, by path."""
    removes: tuple[str, ...] = ()
    """Removed from out/, by path."""
    skipped: tuple[SkippedFile, ...] = ()
    seconds: float = 0.01
    peak_memory: int = 1 << 20
    alerts: tuple[Alert, ...] = ()


class FakeSandbox:
    """A `Sandbox` that executes nothing.

    `plan` says what each run of a script does, in order; the last one repeats. A script that is not planned
    does what `otherwise` makes of its source, by default nothing. `suffixes` are the languages of its policy.
    """

    def __init__(
        self,
        *,
        otherwise: Callable[[str], FakeRun] = lambda source: FakeRun(),
        suffixes: Sequence[str] = (".py",),
    ) -> None:
        self.otherwise = otherwise
        self.suffixes = suffixes
        """Of the languages that its policy has."""
        self.ahead = 0
        """Leases that each further one is told to wait for, although none has to."""
        self.unavailable: str | None = None
        """While set, every call fails as if the engine were gone."""
        self.sessions: list[FakeSession] = []
        """Every lease there was, in order."""
        self.live = 0
        self.most_live = 0
        self._plans: dict[str, list[FakeRun]] = defaultdict(list)
        self._findings: dict[str, tuple[Finding, ...]] = {}

    def stats(self) -> SandboxStats:
        return SandboxStats(leased=self.live, leases=len(self.sessions))

    def plan(self, name: str, *runs: FakeRun) -> None:
        self._plans[name] += runs

    def find(self, name: str, *findings: Finding) -> None:
        """What the checker says about a script beside the syntax errors that it really has."""
        self._findings[name] = findings

    @asynccontextmanager
    async def lease(
        self, workspace: Workspace, *, waiting: Callable[[int], None] = lambda ahead: None
    ) -> AsyncGenerator[SandboxSession]:
        self.check()
        if self.ahead:
            waiting(self.ahead)
            await asyncio.sleep(0)
        session = FakeSession(self, workspace)
        self.sessions.append(session)
        self.live += 1
        self.most_live = max(self.most_live, self.live)
        try:
            yield session
        finally:
            self.live -= 1
            session.closed = True

    def check(self) -> None:
        if self.unavailable is not None:
            raise SandboxUnavailable(self.unavailable)

    def next_run(self, name: str, source: str) -> FakeRun:
        plan = self._plans[name]
        if not plan:
            return self.otherwise(source)
        return plan.pop(0) if len(plan) > 1 else plan[0]

    def findings(self, name: str) -> tuple[Finding, ...]:
        return self._findings.get(name, ())


class FakeSession:
    """A `SandboxSession`. `runs` keeps what was asked, as (name, arguments); `calls` the order of writes and
    runs, as (operation, name)."""

    def __init__(self, sandbox: FakeSandbox, workspace: Workspace) -> None:
        self.workspace = workspace
        self.closed = False
        self.runs: list[tuple[str, tuple[str, ...]]] = []
        self.calls: list[tuple[str, str]] = []
        self.written: list[tuple[str, str]] = []
        """Name and source of what was accepted."""
        self._sandbox = sandbox
        self._raised: set[AlertCode] = set()
        self._out = {path: file.read_bytes() for path, file in _files(workspace.out)}
        self._code = {
            path: file.read_text()
            for path, file in _files(workspace.code)
            if is_script_name(path, sandbox.suffixes)
        }

    async def write(self, name: str, source: str) -> tuple[Finding, ...]:
        self._check()
        self.calls.append(("write", name))
        if not is_script_name(name, self._sandbox.suffixes):
            raise UnsafeName(name, self._sandbox.suffixes)
        syntax = _syntax(source) if name.endswith(".py") else ()
        findings = (*syntax, *self._sandbox.findings(name))
        if not any(finding.fatal for finding in findings):
            self._code[name] = source
            self.written.append((name, source))
            self.workspace.code.mkdir(parents=True, exist_ok=True)
            (self.workspace.code / name).write_text(source)
        return findings

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        self._check()
        if name not in self._code:
            raise NoSuchScript(name)
        self.runs.append((name, tuple(arguments)))
        self.calls.append(("run", name))
        run = self._sandbox.next_run(name, self._code[name])
        for path, content in run.files.items():
            self._out[path] = content
            target = self.workspace.out / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        removed = tuple(sorted(path for path in run.removes if self._out.pop(path, None) is not None))
        for path in removed:
            (self.workspace.out / path).unlink()
        return RunResult(
            status=run.status or (ExitStatus.ERROR if run.exit_code else ExitStatus.OK),
            exit_code=run.exit_code,
            stdout=run.stdout,
            stderr=run.stderr,
            files=tuple(
                FileEntry(path=path, size=len(content)) for path, content in sorted(run.files.items())
            ),
            removed=removed,
            skipped=run.skipped,
            seconds=run.seconds,
            cpu_seconds=run.seconds,
            peak_memory=run.peak_memory,
            processes=1,
            out_bytes=sum(map(len, self._out.values())),
            alerts=self._news(run.alerts),
            script_sha256=hashlib.sha256(self._code[name].encode()).hexdigest(),
        )

    def _news(self, alerts: Sequence[Alert]) -> tuple[Alert, ...]:
        """Each code once a session."""
        news = tuple(alert for alert in alerts if alert.code not in self._raised)
        self._raised.update(alert.code for alert in news)
        return news

    async def list_inputs(self) -> tuple[FileEntry, ...]:
        self._check()
        inputs = [
            FileEntry(path=file.name, size=file.source.stat().st_size) for file in self.workspace.inputs
        ]
        return tuple(sorted(inputs, key=lambda file: file.path))

    async def list_outputs(self) -> tuple[FileEntry, ...]:
        self._check()
        return tuple(FileEntry(path=path, size=len(content)) for path, content in sorted(self._out.items()))

    async def excerpt(self, path: str, *, first_line: int = 1, lines: int = 200) -> Excerpt:
        self._check()
        content = self._content(path)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return Excerpt(
                path=path,
                size=len(content),
                encoding=None,
                first_line=1,
                total_lines=None,
                text="binary: no kind of text",
            )
        every = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
        shown = "\n".join(every[first_line - 1 : first_line - 1 + lines])
        return Excerpt(
            path=path,
            size=len(content),
            encoding="utf-8",
            first_line=first_line,
            total_lines=len(every),
            text=shown[:_MAX_TEXT],
            cut=len(shown) > _MAX_TEXT,
        )

    def _content(self, path: str) -> bytes:
        parts = split_path(path) or ("",)
        name = "/".join(parts[1:])
        match parts[0]:
            case "input":
                for file in self.workspace.inputs:
                    if file.name == name:
                        return file.source.read_bytes()
            case "out" if name in self._out:
                return self._out[name]
            case "code" if name in self._code:
                return self._code[name].encode()
            case _:
                pass
        raise NoSuchFile(path)

    def _check(self) -> None:
        self._sandbox.check()
        if self.closed:
            message = "the lease is over"
            raise SandboxUnavailable(message)


def _syntax(source: str) -> tuple[Finding, ...]:
    try:
        ast.parse(source)
    except SyntaxError as error:
        return (Finding(line=error.lineno or 0, message=f"SyntaxError: {error.msg}"),)
    return ()


def _files(folder: Path) -> list[tuple[str, Path]]:
    return [
        (file.relative_to(folder).as_posix(), file) for file in sorted(folder.rglob("*")) if file.is_file()
    ]
