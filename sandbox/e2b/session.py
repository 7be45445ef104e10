"""One lease of an E2B machine, as the contract has it. Outputs are fetched to the host after every script."""

import asyncio
import hashlib
import math
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.collection import Collection
from sandbox.e2b.answers import Checked, Excerpted, Looked, Ran
from sandbox.e2b.machine import Machine, NoAnswer
from sandbox.errors import NoSuchFile, NoSuchScript, SandboxUnavailable, UnsafeName
from sandbox.failure import Ending, classify
from sandbox.guest.outbox import occupied
from sandbox.lease import LeaseFolder
from sandbox.names import clean_text, is_script_name, split_path
from sandbox.policy import Policy
from sandbox.session import (
    Excerpt,
    ExitStatus,
    FileEntry,
    Finding,
    RunResult,
    SkippedFile,
    Workspace,
    check_arguments,
)
from sandbox.watchman import Sighting, Watchman, alerts_of

MAX_SOURCE = 256 << 10
"""Bytes of one script."""


class E2BSession:
    """A `SandboxSession`. Calls take turns; after one that failed or was cancelled the session is over.

    The check before a script finds errors of syntax and no others. `RunResult.processes` counts those that
    the script left for others to wait for, and itself.
    """

    def __init__(
        self,
        machine: Machine,
        *,
        policy: Policy,
        workspace: Workspace,
        incoming: Path,
        staged: Mapping[str, str],
        left_out: tuple[SkippedFile, ...],
    ) -> None:
        """`staged`: SHA-256 of the scripts that are there already, by name. `left_out`: see `Collection`."""
        self._machine = machine
        self._policy = policy
        self._workspace = workspace
        self._staged = dict(staged)
        self._collection = Collection(workspace.out, incoming, policy.out, machine.download, left_out)
        self._known: dict[str, tuple[int, str]] = {}
        """Size and mark of every file that out/ had when we looked last."""
        self._told: dict[str, str] = {}
        self._watchman = Watchman()
        self._timeouts = 0
        self._lock = asyncio.Lock()
        self._expires = asyncio.get_running_loop().time() + policy.resources.session
        self._over: str | None = None

    def close(self) -> None:
        """The lease is over; whoever kept the session learns it."""
        self._over = self._over or "the lease is over"

    async def begin(self) -> None:
        """What is in out/ now is from earlier todos, and no news."""
        async with self._turn("preparing the sandbox"):
            self._known = await self._look()

    async def write(self, name: str, source: str) -> tuple[Finding, ...]:
        suffixes = self._policy.container.suffixes
        if not is_script_name(name, suffixes):
            raise UnsafeName(name, suffixes)
        try:
            content = source.encode()
        except UnicodeEncodeError:
            return (Finding(line=0, message="the source has characters that are not Unicode text"),)
        if len(content) > MAX_SOURCE:
            message = f"the source is larger than {MAX_SOURCE >> 10} KiB"
            return (Finding(line=0, message=message, advice="split it"),)
        findings: tuple[Finding, ...] = ()
        async with self._turn("staging a script"):
            if self._policy.container.command_of(name) is None:
                findings = await self._check(name, source)
            else:
                await self._machine.write_code(name, content)
            if not any(finding.fatal for finding in findings):
                self._keep(name, content)
        return findings

    async def _check(self, name: str, source: str) -> tuple[Finding, ...]:
        job = {"do": "check", "name": name, "source": source}
        checked = await self._machine.ask(Checked, job, doing="checking a script")
        return tuple(
            Finding(line=line, message=clean_text(message), advice=clean_text(advice), fatal=fatal)
            for line, message, advice, fatal in checked.findings
        )

    def _keep(self, name: str, content: bytes) -> None:
        try:
            LeaseFolder.keep_code(self._workspace.code, name, content)
        except OSError as error:
            message = f"the script {name} could not be stored: {error}"
            raise SandboxUnavailable(message) from error
        self._staged[name] = hashlib.sha256(content).hexdigest()

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        if not is_script_name(name, self._policy.container.suffixes) or name not in self._staged:
            raise NoSuchScript(name)
        check_arguments(arguments)
        limit = self._limit(time_limit)
        stdout = self._policy.resources.stdout
        job = {
            "do": "run",
            "name": name,
            "arguments": list(arguments),
            "command": self._policy.container.command_of(name),
            "seconds": limit,
            "stdout": stdout.keep,
            "ceiling": stdout.ceiling,
            **self._bounds,
        }
        seconds = limit + self._policy.resources.grace
        async with self._turn("running a script"):
            try:
                ran = await self._machine.ask(Ran, job, doing="running a script", seconds=seconds)
            except NoAnswer as error:
                if not error.killed:
                    raise
                return self._killed(name, error)
            return self._told_to_watchman(await self._collected(name, ran))

    async def _collected(self, name: str, ran: Ran) -> RunResult:
        now = _files(ran)
        changed = [path for path in sorted(now) if self._known.get(path) != now[path]]
        gone = tuple(path for path in sorted(self._known) if path not in now)
        skipped = dict(ran.skipped)
        news = [path for path, why in skipped.items() if self._told.get(path) != why]
        self._known, self._told = now, skipped
        result = RunResult(
            status=classify(Ending(exit_code=ran.exit_code, killed_for=ran.killed_for)),
            exit_code=ran.exit_code,
            stdout=clean_text(ran.stdout),
            stderr=clean_text(ran.stderr),
            stdout_dropped=ran.stdout_dropped,
            stderr_dropped=ran.stderr_dropped,
            files=tuple(FileEntry(path=path, size=now[path][0]) for path in changed),
            removed=gone,
            skipped=tuple(
                SkippedFile(path=clean_text(path), reason=clean_text(skipped[path])) for path in news
            ),
            seconds=ran.seconds,
            cpu_seconds=ran.cpu_seconds,
            peak_memory=ran.peak_memory,
            processes=ran.processes,
            out_bytes=sum(occupied(size) for size, _ in now.values()),
            script_sha256=self._staged[name],
        )
        return await self._collection.collect(result)

    def _told_to_watchman(self, result: RunResult) -> RunResult:
        self._timeouts += result.timed_out
        sighting = Sighting(
            status=result.status,
            exit_code=result.exit_code,
            timeouts=self._timeouts,
            skipped=result.skipped,
            files=result.files,
        )
        return replace(result, alerts=self._watchman.news(alerts_of(sighting)))

    def _killed(self, name: str, error: NoAnswer) -> RunResult:
        """A script that has had the tool beside it killed: elsewhere it would do so again, hence a result."""
        self._over = str(error)
        return RunResult(
            status=ExitStatus.KILLED,
            exit_code=128 + signal.SIGKILL,
            stdout="",
            stderr="what runs the scripts was killed: by the script, or for want of memory",
            script_sha256=self._staged[name],
        )

    def _limit(self, time_limit: float | None) -> float:
        if time_limit is None:
            return self._policy.resources.timeout
        if not (math.isfinite(time_limit) and time_limit > 0):
            message = f"a time limit of {time_limit} s"
            raise ValueError(message)
        return min(time_limit, self._policy.resources.timeout)

    async def list_inputs(self) -> tuple[FileEntry, ...]:
        async with self._turn("listing the inputs"):
            inputs = [(file.name, file.source.stat().st_size) for file in self._workspace.inputs]
        return tuple(FileEntry(path=name, size=size) for name, size in sorted(inputs))

    async def list_outputs(self) -> tuple[FileEntry, ...]:
        async with self._turn("listing the outputs"):
            found = await self._look()
        return tuple(FileEntry(path=path, size=found[path][0]) for path in sorted(found))

    async def excerpt(self, path: str, *, first_line: int = 1, lines: int = 200) -> Excerpt:
        if split_path(path) is None:
            raise NoSuchFile(path)
        first_line, lines = max(1, min(first_line, 2**31)), max(1, min(lines, 2**31))
        job = {"do": "excerpt", "path": path, "first_line": first_line, "lines": lines}
        async with self._turn("reading a file"):
            answer = await self._machine.ask(Excerpted, job, doing="reading a file")
        if (found := answer.excerpt) is not None:
            return Excerpt(
                path=path,
                size=found.size,
                encoding=found.encoding,
                first_line=found.first_line,
                total_lines=found.total_lines,
                text=clean_text(found.text),
                cut=found.cut,
            )
        if not answer.failed:
            raise NoSuchFile(path)
        text = "it is not in Unicode, and the template has no charset-normalizer to tell what it is in"
        return Excerpt(
            path=path, size=0, encoding=None, first_line=first_line, total_lines=None, text=text, cut=True
        )

    @property
    def _bounds(self) -> dict[str, int]:
        return {"files": self._policy.out.files, "total": self._policy.out.size}

    async def _look(self) -> dict[str, tuple[int, str]]:
        return _files(
            await self._machine.ask(Looked, {"do": "look", **self._bounds}, doing="looking into out/")
        )

    @asynccontextmanager
    async def _turn(self, doing: str) -> AsyncGenerator[None]:
        async with self._lock:
            if self._over is None and asyncio.get_running_loop().time() > self._expires:
                age = self._policy.resources.session
                self._over = f"the sandbox is older than {age:g} s, the policy's resources.session"
            if self._over is not None:
                raise SandboxUnavailable(self._over)
            try:
                yield
            except BaseException as error:
                self._over = f"the sandbox is gone since {doing} failed: {str(error) or type(error).__name__}"
                raise


def _files(looked: Looked) -> dict[str, tuple[int, str]]:
    """Those with names that may be paths here."""
    return {path: (size, mark) for path, size, mark in looked.files if split_path(path) is not None}
