"""PID 1: reads a request, answers it, cleans up, reads the next. The session ends when the host hangs up."""

# os throughout, as for descriptors

import fcntl
import gc
import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable  # noqa: TC003  # the guest has no type checker to defer to
from contextlib import suppress
from typing import Any, TypeVar

from . import checker, child, excerpt, kernel, outbox, page, preload, runner, sweep
from .programs import Programs
from .wire import PROTOCOL, HostGone, Wire

T = TypeVar("T")

_PATHS = 500
_BEFORE_A_SCRIPT = ("open", "begin", "run", "check", "excerpt")
"""After these a script may come any time; `open` tells what a child may do."""
_GREETING_SECONDS = 60.0
"""An engine that dies while it starts a container can lose it for good: its stdin never ends, nobody speaks,
and no engine removes it. So the host sends `open` at once, and who does not hear it goes."""
_ASIDE = runner.Limits(seconds=15.0, cpu_seconds=20, file_size=0, stdout=2 << 20, ceiling=2 << 20, aside=True)
"""For checks and excerpts, which read what a script or a person made and so run in a fork too."""


class Session:
    def __init__(self, wire: Wire, alarm: int) -> None:
        self.wire = wire
        self.forks = runner.Runner(self.work, alarm=alarm, host=wire.reader)
        self.out = outbox.Outbox(child.OUT, outbox.Limits(files=2000, total=256 << 20))
        self.limits: dict[str, int] = {}
        self.programs = Programs()

    def serve(self) -> None:
        answers: dict[str, Callable[[dict[str, Any]], None]] = {
            "open": self.open,
            "put": self.put,
            "begin": self.begin,
            "run": self.run,
            "check": self.check,
            "list": self.list,
            "excerpt": self.excerpt,
        }
        while True:
            request = self.wire.receive_json()
            answers[request["op"]](request)
            if request["op"] in _BEFORE_A_SCRIPT:
                self.forks.prepare()

    def open(self, request: dict[str, Any]) -> None:
        self.limits = request["limits"]
        self.programs = Programs(**request["commands"])
        self.forks.programs = self.programs.executable
        self.out.limits = outbox.Limits(files=self.limits["files"], total=self.limits["out"])
        self.wire.send({"type": "open"})

    def put(self, request: dict[str, Any]) -> None:
        problem = self.out.put(request["path"], request["size"], self.wire)
        self.wire.send({"type": "put", "problem": problem})

    def begin(self, request: dict[str, Any]) -> None:
        """out/ is filled: what is in it now is not news."""
        self.out.remember()
        self.wire.send({"type": "begin"})

    def run(self, request: dict[str, Any]) -> None:
        self.out.forget(request["refused"])
        self.out.arm()
        with open(f"{child.CODE}/{request['name']}", "rb") as file:
            source = file.read()
        limits = runner.Limits(
            seconds=request["seconds"],
            cpu_seconds=request["cpu_seconds"],
            file_size=self.limits["out"],
            stdout=self.limits["stdout"],
            ceiling=self.limits["ceiling"],
        )
        job = {"do": "run", "source": source.decode(), **_only(request, "name", "arguments", "command")}
        outcome = self.forks.run(job, limits)
        full = self.out.full()
        changes = self.out.changes()
        self.wire.send(
            {
                "type": "run",
                "exit_code": outcome.exit_code,
                "killed_for": outcome.killed_for,
                "oom_kills": outcome.oom_kills,
                "no_memory": outcome.cause == page.NO_MEMORY,
                "no_space": outcome.cause == page.NO_SPACE or full,
                "stdout": outcome.stdout.text(),
                "stderr": outcome.stderr.text(),
                "stdout_dropped": outcome.stdout.dropped,
                "stderr_dropped": outcome.stderr.dropped,
                "seconds": round(outcome.seconds, 6),
                "cpu_seconds": round(outcome.cpu_seconds, 6),
                "peak_memory": outcome.peak_memory,
                "processes": outcome.processes,
                "refused_forks": outcome.refused_forks,
                "out_bytes": self.out.used(),
                "observed": outcome.observed,
                "script_sha256": hashlib.sha256(source).hexdigest(),
            }
        )
        for piece in _pieces(changes.gone):
            self.wire.send({"type": "gone", "paths": piece})
        skipped = changes.skipped | self.out.send(changes.files, self.wire)
        self.wire.send({"type": "end", "skipped": outbox.reported(skipped)})
        self.clean()

    def work(self, job: dict[str, Any], shared: page.Page) -> int:
        """What a child is for, in the child."""
        match job["do"]:
            case "run" if job["command"] is not None:
                return child.exec_script(job["command"], job["name"], job["arguments"])
            case "run":
                source = job["source"].encode()
                return child.run_script(source, job["name"], job["arguments"], shared, self.programs)
            case "check":
                return _print(checker.check(job["source"], job["name"]))
            case _:
                return _print(excerpt.read(job["path"], job["first_line"], job["lines"]))

    def clean(self) -> None:
        """The next script finds /tmp and the shared memory as the first one did."""
        sweep.empty("/dev/shm")
        sweep.empty("/tmp")
        preload.seed_matplotlib()

    def check(self, request: dict[str, Any]) -> None:
        outcome = self.forks.run({"do": "check", **_only(request, "source", "name")}, _ASIDE)
        self.wire.send({"type": "check", "findings": findings_of(outcome)})

    def list(self, request: dict[str, Any]) -> None:
        files = [(path, facts.size) for path, facts in sorted(self.out.list().files.items())]
        for piece in _pieces(files):
            self.wire.send({"type": "list", "files": piece, "more": True})
        self.wire.send({"type": "list", "files": [], "more": False})

    def excerpt(self, request: dict[str, Any]) -> None:
        outcome = self.forks.run({"do": "excerpt", **_only(request, "path", "first_line", "lines")}, _ASIDE)
        answer = _printed(outcome)
        self.wire.send({"type": "excerpt", "excerpt": answer, "failed": outcome.exit_code != 0})


def _only(request: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: request[key] for key in keys}


def _pieces(paths: list[T]) -> list[list[T]]:
    """So few at a time that a frame holds them, also when each is as long as it may be and escaped."""
    return [paths[start : start + _PATHS] for start in range(0, len(paths), _PATHS)]


def findings_of(check: runner.Outcome) -> Any:
    """What a check found, or why it did not come to its end."""
    if (answer := _printed(check)) is not None:
        return answer
    if check.oom_kills or check.killed_for == "timeout":  # which says nothing against the source
        want = "memory" if check.oom_kills else "time"
        return [[0, f"this script was not checked: there was not enough {want}", "", False]]
    return [[0, "this script cannot be checked: it is too deeply nested or too large", "", True]]


def _print(answer: Any) -> int:
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(1, data) :]
    return 0


def _printed(outcome: runner.Outcome) -> Any:
    if outcome.exit_code != 0 or outcome.stdout.dropped:
        return None
    return json.loads(outcome.stdout.content())


def main() -> None:
    started = time.monotonic()
    alarm = _deaf_to_signals()
    wire = Wire(_take_away(0), _take_away(1))
    os.chdir("/")
    gc.disable()
    preload.seed_matplotlib()
    preload.load()
    gc.freeze()  # the collector never touches these pages, so forks share them
    kernel.set_dumpable(False)
    session = Session(wire, alarm)
    session.clean()
    with suppress(HostGone, BrokenPipeError):
        wire.send(
            {
                "type": "hello",
                "protocol": PROTOCOL,
                "confined": kernel.can_confine(),
                "python": sys.version.split()[0],
                "seconds": round(time.monotonic() - started, 3),
            }
        )
        if wire.awaits(_GREETING_SECONDS):
            session.serve()
    os._exit(0)


def _deaf_to_signals() -> int:
    """Nothing inside can end PID 1: the kernel drops a signal to it that has the default action.

    Python's own SIGINT handler would make it killable. SIGCHLD only rings the returned pipe.
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _take_away(descriptor: int) -> int:
    """Move the host's stream to a high number and put /dev/null where libraries would read or write it."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor)
    os.close(null)
    return moved
