"""One leased container, spoken to: PID 1's answers become the contract's values."""

import asyncio
import math
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from sandbox import frames
from sandbox.alerts import Alert, AlertCode
from sandbox.engine import Deadlines, deadline
from sandbox.errors import ContainerEnded, NoSuchFile, NoSuchScript, SandboxUnavailable, UnsafeName
from sandbox.failure import Ending, classify
from sandbox.gate import Gate
from sandbox.lease import LeaseFolder
from sandbox.names import clean_text, is_script_name, split_path
from sandbox.policy import Policy
from sandbox.session import Excerpt, ExitStatus, FileEntry, Finding, RunResult, Workspace, check_arguments
from sandbox.transfer import Collected, Transfer
from sandbox.watchman import Sighting, Watchman, alerts_of

MAX_SOURCE = 256 << 10
"""Bytes of one script."""


class DockerSession:
    """A `SandboxSession`. Calls take turns; after one that failed or was cancelled the session is over."""

    def __init__(
        self,
        channel: frames.Channel,
        *,
        policy: Policy,
        workspace: Workspace,
        folder: LeaseFolder,
        end: Callable[[], Awaitable[bool]],
        gate: Gate | None = None,
        deadlines: Deadlines | None = None,
        confined: bool = True,
    ) -> None:
        """`end` removes the container, and tells whether it is gone. `confined`: no script can have the
        kernel kill PID 1 (`guest.kernel.confine`)."""
        self._channel = channel
        self._policy = policy
        self._workspace = workspace
        self._folder = folder
        self._end = end
        self._deadlines = deadlines or Deadlines()
        self._confined = confined
        self._transfer = Transfer(workspace.out, folder.incoming, policy.out)
        self._gate = gate or Gate()
        self._watchman = Watchman()
        self._timeouts = 0
        self._lock = asyncio.Lock()
        self._expires = asyncio.get_running_loop().time() + policy.resources.session
        self._over: str | None = None

    def close(self) -> None:
        """The lease is over; whoever kept the session learns it."""
        self._over = self._over or "the lease is over"

    async def begin(self) -> None:
        """Fill out/ with what earlier todos left."""
        async with self._turn(self._deadlines.copy, "preparing the sandbox") as channel:
            await self._transfer.refill(channel)
            await channel.ask("begin")
            await channel.answer(frames.Begun)

    async def write(self, name: str, source: str) -> tuple[Finding, ...]:
        suffixes = self._policy.container.suffixes
        if not is_script_name(name, suffixes):
            raise UnsafeName(name, suffixes)
        try:
            content = source.encode()
        except UnicodeEncodeError:
            return (Finding(line=0, message="the source has characters that are not Unicode text"),)
        if len(content) > MAX_SOURCE:
            return (
                Finding(
                    line=0, message=f"the source is larger than {MAX_SOURCE >> 10} KiB", advice="split it"
                ),
            )
        await self._live()
        findings: tuple[Finding, ...] = ()
        if self._policy.container.command_of(name) is None:
            findings = await self._check(name, source)
        if not any(finding.fatal for finding in findings):
            self._stage(name, content)
        return findings

    async def _check(self, name: str, source: str) -> tuple[Finding, ...]:
        async with self._turn(self._deadlines.aside, "checking a script") as channel:
            await channel.ask("check", name=name, source=source)
            checked = await channel.answer(frames.Checked)
        return tuple(
            Finding(line=line, message=clean_text(message), advice=clean_text(advice), fatal=fatal)
            for line, message, advice, fatal in checked.findings
        )

    def _stage(self, name: str, content: bytes) -> None:
        try:
            self._folder.add_code(name, content)
            LeaseFolder.keep_code(self._workspace.code, name, content)
        except OSError as error:
            message = f"the script {name} could not be stored: {error}"
            raise SandboxUnavailable(message) from error

    async def run(
        self, name: str, *, arguments: Sequence[str] = (), time_limit: float | None = None
    ) -> RunResult:
        await self._live()
        if not is_script_name(name, self._policy.container.suffixes) or not self._folder.has_code(name):
            raise NoSuchScript(name)
        check_arguments(arguments)
        limit = self._limit(time_limit)
        patience = limit + self._policy.resources.grace
        async with (
            self._gate.turn(),
            self._turn(patience + self._deadlines.copy + self._deadlines.call, "running a script") as channel,
        ):
            try:
                async with asyncio.timeout(patience):
                    await self._ask_to_run(channel, name, arguments, limit)
                    ran = await channel.answer(frames.Ran)
            except TimeoutError:
                return await self._overdue(patience)
            except ContainerEnded as error:
                if self._confined:
                    raise
                return await self._killed(error)
            collected = await self._transfer.collect(channel)
        status = classify(
            Ending(
                exit_code=ran.exit_code,
                killed_for=ran.killed_for,
                oom_kills=ran.oom_kills,
                no_memory=ran.no_memory,
                no_space=ran.no_space,
            )
        )
        return RunResult(
            status=status,
            exit_code=ran.exit_code,
            stdout=clean_text(ran.stdout),
            stderr=clean_text(ran.stderr),
            stdout_dropped=ran.stdout_dropped,
            stderr_dropped=ran.stderr_dropped,
            files=collected.files,
            removed=collected.removed,
            skipped=collected.skipped,
            seconds=ran.seconds,
            cpu_seconds=ran.cpu_seconds,
            peak_memory=ran.peak_memory,
            processes=ran.processes,
            out_bytes=ran.out_bytes,
            alerts=self._watchman.news(self._alerts(status, ran, collected)),
            script_sha256=ran.script_sha256,
        )

    async def _ask_to_run(
        self, channel: frames.Channel, name: str, arguments: Sequence[str], limit: float
    ) -> None:
        await channel.ask(
            "run",
            name=name,
            arguments=list(arguments),
            command=self._policy.container.command_of(name),
            seconds=limit,
            cpu_seconds=math.ceil(limit * max(1.0, self._policy.resources.cpu)) + 1,
            refused=self._transfer.refused,
        )

    def _alerts(self, status: ExitStatus, ran: frames.Ran, collected: Collected) -> tuple[Alert, ...]:
        self._timeouts += status is ExitStatus.TIMEOUT
        # Where an operator has opened the network, a socket is what scripts are meant to have.
        expected = AlertCode.SOCKET if self._policy.network.enabled else None
        return alerts_of(
            Sighting(
                status=status,
                exit_code=ran.exit_code,
                observed=tuple((code, detail) for code, detail in ran.observed if code != expected),
                oom_kills=ran.oom_kills,
                refused_forks=ran.refused_forks,
                no_space=ran.no_space,
                timeouts=self._timeouts,
                skipped=collected.skipped,
                files=collected.files,
            )
        )

    async def _overdue(self, patience: float) -> RunResult:
        """PID 1 has not answered in time. Where the engine works, the script keeps it from answering.

        Raises: SandboxUnavailable: the engine does not end the container either.
        """
        self._over = f"the sandbox was ended since its script went on for {patience:g} s"
        if not await self._end():
            message = f"neither the sandbox nor its engine has answered for {patience:g} s"
            raise SandboxUnavailable(message)
        why = "the script could not be stopped in time, so its whole sandbox was ended"
        return self._ended(ExitStatus.TIMEOUT, AlertCode.TIME_LIMIT, why)

    async def _killed(self, error: ContainerEnded) -> RunResult:
        """A script that has had its sandbox killed: elsewhere it would do so again, hence a result."""
        self._over = str(error)
        await self._end()
        why = "the whole sandbox was killed, most likely for want of memory"
        return self._ended(ExitStatus.OUT_OF_MEMORY, AlertCode.MEMORY_LIMIT, why)

    def _ended(self, status: ExitStatus, code: AlertCode, why: str) -> RunResult:
        alerts = self._watchman.news([Alert(code=code, detail=why)])
        return RunResult(status=status, exit_code=128 + signal.SIGKILL, stdout="", stderr=why, alerts=alerts)

    def _limit(self, time_limit: float | None) -> float:
        left = max(1.0, self._expires - asyncio.get_running_loop().time())
        if time_limit is None:
            return min(self._policy.resources.timeout, left)
        if not (math.isfinite(time_limit) and time_limit > 0):
            message = f"a time limit of {time_limit} s"
            raise ValueError(message)
        return min(time_limit, self._policy.resources.timeout, left)

    async def list_inputs(self) -> tuple[FileEntry, ...]:
        await self._live()
        return tuple(FileEntry(path=name, size=size) for name, size in self._folder.input_files())

    async def list_outputs(self) -> tuple[FileEntry, ...]:
        async with self._turn(self._deadlines.aside, "listing the outputs") as channel:
            await channel.ask("list")
            found: list[tuple[str, int]] = []
            while (listed := await channel.answer(frames.Listed)).more:
                found += listed.files
                if not listed.files or len(found) > self._policy.out.files:
                    message = "the sandbox container sent a list without an end"
                    raise SandboxUnavailable(message)
        plain = [(path, size) for path, size in found if split_path(path) is not None]
        return tuple(FileEntry(path=path, size=size) for path, size in sorted(plain))

    async def excerpt(self, path: str, *, first_line: int = 1, lines: int = 200) -> Excerpt:
        if split_path(path) is None:
            raise NoSuchFile(path)
        first_line, lines = max(1, min(first_line, 2**31)), max(1, min(lines, 2**31))
        async with self._turn(self._deadlines.aside, "reading a file") as channel:
            await channel.ask("excerpt", path=path, first_line=first_line, lines=lines)
            answer = await channel.answer(frames.Excerpted)
        if answer.excerpt is not None:
            found = answer.excerpt
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
        text = "it could not be read within the limits"
        return Excerpt(
            path=path, size=0, encoding=None, first_line=first_line, total_lines=None, text=text, cut=True
        )

    async def _live(self) -> None:
        """Raises: SandboxUnavailable: the session is over. Whoever looks at its folder asks this before."""
        if self._over is None and asyncio.get_running_loop().time() > self._expires:
            age = self._policy.resources.session
            self._over = f"the sandbox is older than {age:g} s, the policy's resources.session"
            await self._end()
        if self._over is not None:
            raise SandboxUnavailable(self._over)

    @asynccontextmanager
    async def _turn(self, seconds: float, doing: str) -> AsyncGenerator[frames.Channel]:
        """The channel for one question and its whole answer. Whatever interrupts it ends the container."""
        async with self._lock:
            await self._live()
            try:
                async with deadline(seconds, doing):
                    yield self._channel
            except BaseException as error:
                if self._over is None:
                    why = str(error) or type(error).__name__
                    self._over = f"the sandbox is gone since {doing} failed: {why}"
                    await self._end()
                raise
