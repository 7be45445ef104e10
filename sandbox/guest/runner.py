"""One fork: capture its output, hold it to its limits, and leave no process behind.

A spare is forked ahead and waits for its job: so a script pays neither for the fork nor for what a child
has to do before it can begin.
"""

import json
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from . import child, kernel
from .capture import Capture
from .page import Page
from .wire import HostGone

Job = dict[str, Any]

_END_ALL_SECONDS = 10.0


@dataclass(frozen=True)
class Limits:
    seconds: float
    cpu_seconds: int
    file_size: int
    stdout: int
    """Bytes kept of each of stdout and stderr."""
    ceiling: int
    """Bytes printed, both streams together, at which the script is killed."""
    aside: bool = False
    """It reads for PID 1, so it changes no file and starts no program."""


@dataclass
class Outcome:
    stdout: Capture
    stderr: Capture
    exit_code: int = -1
    """As a shell would see it."""
    killed_for: str = ""
    """"", "timeout" or "output"."""
    cause: int = 0
    observed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Code and detail of what the audit hook saw, as the script lets us believe."""
    oom_kills: int = 0
    refused_forks: int = 0
    processes: int = 0
    """Processes and threads that there were, the script itself included."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0


@dataclass(frozen=True)
class _Spare:
    """A child that waits for its job, and PID 1's ends of its three pipes."""

    pid: int
    jobs: int
    stdout: int
    stderr: int

    def start(self, job: Job) -> bool:
        """False when it has died while it waited."""
        data = memoryview(json.dumps(job).encode())
        try:
            while data:
                data = data[os.write(self.jobs, data) :]
        except BrokenPipeError:
            return False
        finally:
            os.close(self.jobs)
        return True

    def close(self) -> None:
        for reader in (self.stdout, self.stderr):
            with suppress(OSError):
                os.close(reader)


class Runner:
    """Forks children for PID 1. A SIGCHLD writes to the pipe `alarm`; `host` hangs up when the host dies."""

    def __init__(
        self,
        work: Callable[[Job, Page], int],
        *,
        alarm: int,
        host: int,
        threads: Callable[[], int] = kernel.thread_count,
    ) -> None:
        """`work` does a job in the child and returns its exit code."""
        self.work = work
        self.alarm = alarm
        self.host = host
        self.threads = threads
        self.first = os.getpid() == 1
        self.page = Page()
        self.programs: tuple[str, ...] | None = ()
        """Real paths of what a script may execute; None for everything. To be set before the first fork."""
        self._spare: _Spare | None = None

    def prepare(self) -> None:
        """Have a spare. To be called when the host waits for nothing."""
        if self._spare is None:
            self._spare = self._fork()

    def run(self, job: Job, limits: Limits) -> Outcome:
        """`job` is JSON; the child's own limits are added to it."""
        self.page.clear()
        outcome = Outcome(Capture(limits.stdout), Capture(limits.stdout))
        kills, refused = kernel.oom_kills(), kernel.refused_forks()
        started = time.monotonic()
        own = {"cpu_seconds": limits.cpu_seconds, "file_size": limits.file_size, "aside": limits.aside}
        spare = self._start({**job, **own})
        streams = {spare.stdout: outcome.stdout, spare.stderr: outcome.stderr}
        try:
            self._watch(spare.pid, streams, started + limits.seconds, limits.ceiling, outcome)
            self._end_all(spare.pid, outcome)
            if self.first:
                kernel.collect_sockets()
            for reader, capture in streams.items():
                while not _feed(reader, capture, idle=True):
                    pass
        finally:
            spare.close()
        outcome.seconds = time.monotonic() - started
        outcome.cause, outcome.observed = self.page.cause, self.page.noted()
        outcome.oom_kills = kernel.oom_kills() - kills
        outcome.refused_forks = kernel.refused_forks() - refused
        # Less than what was reaped when the numbers began anew; where they tell nothing, that is all we know.
        outcome.processes = max(outcome.processes, kernel.last_pid() - spare.pid + 1)
        return outcome

    def _start(self, job: Job) -> _Spare:
        """The kernel may have killed the spare for want of memory; a new one has had no time to die."""
        self.prepare()
        spare, self._spare = self._spare, None
        if spare is None or not spare.start(job):
            if spare is not None:
                spare.close()
            spare = self._fork()
            spare.start(job)
        return spare

    def _fork(self) -> _Spare:
        if (threads := self.threads()) != 1:
            raise RuntimeError(f"{threads} threads in PID 1: a fork now may hang its child")
        job_reader, job_writer = os.pipe()
        out_reader, out_writer = os.pipe()
        err_reader, err_writer = os.pipe()
        for reader in (out_reader, err_reader):
            # A script can open its own end for reading and take the byte that poll() saw: never wait for it.
            os.set_blocking(reader, False)
        pid = os.fork()
        if pid == 0:
            streams = child.Streams(job_reader, out_writer, err_writer)
            child.become(self.work, streams, self.programs, self.page)
        for end in (job_reader, out_writer, err_writer):
            os.close(end)
        return _Spare(pid, job_writer, out_reader, err_reader)

    def _watch(
        self, pid: int, streams: dict[int, Capture], deadline: float, ceiling: int, outcome: Outcome
    ) -> None:
        poller = select.poll()
        poller.register(self.alarm, select.POLLIN)
        poller.register(self.host, 0)  # only a hang-up: the host asks nothing while a script runs
        for reader in streams:
            poller.register(reader, select.POLLIN)
        while not self._reap(pid, outcome):
            left = deadline - time.monotonic()
            if left <= 0:
                outcome.killed_for = "timeout"
                return
            for descriptor, _ in poller.poll(left * 1000 + 1):
                if descriptor == self.alarm:
                    with suppress(BlockingIOError):
                        os.read(self.alarm, 4096)
                elif descriptor == self.host:
                    raise HostGone("hung up during a script")
                elif _feed(descriptor, streams[descriptor]):
                    poller.unregister(descriptor)
            if outcome.stdout.total + outcome.stderr.total > ceiling:
                outcome.killed_for = "output"
                return

    def _end_all(self, pid: int, outcome: Outcome) -> None:
        """Kill whatever the script started, however it hid, and reap it."""
        deadline = time.monotonic() + _END_ALL_SECONDS
        while True:
            with suppress(ProcessLookupError):
                if self.first:
                    os.kill(-1, signal.SIGKILL)  # everything in this PID namespace but us
                else:
                    os.killpg(pid, signal.SIGKILL)
            try:
                while self._reap_one(pid, outcome):
                    pass
            except ChildProcessError:
                return
            if time.monotonic() > deadline:
                raise RuntimeError("a process of the script does not die")
            time.sleep(0.001)

    def _reap(self, pid: int, outcome: Outcome) -> bool:
        """Collect every process that ended; true when the script itself is among them."""
        with suppress(ChildProcessError):
            while ended := self._reap_one(pid, outcome):
                if ended == pid:
                    return True
        return outcome.exit_code >= 0

    def _reap_one(self, pid: int, outcome: Outcome) -> int:
        ended, status, usage = os.wait4(-1, os.WNOHANG)
        if ended:
            outcome.processes += 1
            outcome.cpu_seconds += usage.ru_utime + usage.ru_stime
            outcome.peak_memory = max(outcome.peak_memory, usage.ru_maxrss * 1024)
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            outcome.exit_code = code if code >= 0 else 128 - code
        return ended


def _feed(reader: int, capture: Capture, *, idle: bool = False) -> bool:
    """Move what is in the pipe. True at its end; `idle` is what an empty pipe with a writer counts as.

    Also when all writers are dead, one on its way in a socket may keep the pipe open.
    """
    try:
        data = os.read(reader, 1 << 16)
    except BlockingIOError:
        return idle
    capture.feed(data)
    return not data
