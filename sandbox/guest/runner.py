"""One fork: capture its output, hold it to its limits, and leave no process behind."""

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from . import child, kernel
from .capture import Capture
from .page import Page
from .wire import HostGone

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
    programs: tuple[str, ...] | None = ()
    """Real paths of what may be executed; None for everything."""


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


class Runner:
    """Forks children for PID 1. A SIGCHLD writes to the pipe `alarm`; `host` hangs up when the host dies."""

    def __init__(self, *, alarm: int, host: int, threads: Callable[[], int] = kernel.thread_count) -> None:
        self.alarm = alarm
        self.host = host
        self.threads = threads
        self.first = os.getpid() == 1
        self.page = Page()

    def run(self, work: Callable[[], int], limits: Limits) -> Outcome:
        if (threads := self.threads()) != 1:
            raise RuntimeError(f"{threads} threads in PID 1: a fork now may hang its child")
        self.page.clear()
        outcome = Outcome(Capture(limits.stdout), Capture(limits.stdout))
        kills, refused, newest = kernel.oom_kills(), kernel.refused_forks(), kernel.last_pid()
        started = time.monotonic()
        out_reader, out_writer = os.pipe()
        err_reader, err_writer = os.pipe()
        for reader in (out_reader, err_reader):
            # A script can open its own end for reading and take the byte that poll() saw: never wait for it.
            os.set_blocking(reader, False)
        pid = os.fork()
        if pid == 0:
            child.become(
                work,
                stdout=out_writer,
                stderr=err_writer,
                limits=child.Limits(limits.cpu_seconds, limits.file_size, limits.programs),
                page=self.page,
                group=True,
            )
        os.close(out_writer)
        os.close(err_writer)
        streams = {out_reader: outcome.stdout, err_reader: outcome.stderr}
        try:
            self._watch(pid, streams, started + limits.seconds, limits.ceiling, outcome)
            self._end_all(pid, outcome)
            if self.first:
                kernel.collect_sockets()
            for reader, capture in streams.items():
                while not _feed(reader, capture, idle=True):
                    pass
        finally:
            for reader in (out_reader, err_reader):
                with suppress(OSError):
                    os.close(reader)
        outcome.seconds = time.monotonic() - started
        outcome.cause, outcome.observed = self.page.cause, self.page.noted()
        outcome.oom_kills = kernel.oom_kills() - kills
        outcome.refused_forks = kernel.refused_forks() - refused
        # Less than what was reaped when the numbers began anew; where they tell nothing, that is all we know.
        outcome.processes = max(outcome.processes, kernel.last_pid() - newest)
        return outcome

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
