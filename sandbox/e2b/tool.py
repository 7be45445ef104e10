"""The tool beside the scripts in E2B's machine: reads one job, does it, prints one answer.

It is uploaded when a lease begins, with those of our guest modules that it needs, and runs anew for each
job, on Python 3.10 or later. Scripts run as the same user and may change it: the host takes what it says for
a claim of theirs.
"""

import ast
import ctypes
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sandbox.guest import excerpt
from sandbox.guest.capture import Capture
from sandbox.guest.outbox import Limits, Outbox, reported

_PR_SET_CHILD_SUBREAPER = 36
_END_SECONDS = 5.0
_PIECE = 1 << 16
_UNSTARTED = 127
"""As a shell's, for a program that cannot be started."""

Answer = dict[str, Any]


class Tool:
    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._out = workspace / "out"
        self._code = workspace / "code"

    def answer(self, job: dict[str, Any]) -> Answer:
        self._out.mkdir(exist_ok=True)  # a script may have removed it
        match job["do"]:
            case "check":
                return self._check(job["name"], job["source"])
            case "run":
                return self._run(job) | self._look(job)
            case "look":
                return self._look(job)
            case _:
                return self._excerpt(job)

    def _check(self, name: str, source: str) -> Answer:
        """Syntax alone: what else our own checker looks for needs libraries that a template may not have."""
        finding = _syntax(source, name)
        if finding is None:
            (self._code / name).write_text(source, encoding="utf-8", newline="")
        return {"findings": [finding] if finding else []}

    def _look(self, job: dict[str, Any]) -> Answer:
        """All that is in out/, with a mark for each file that changes when its content does."""
        outbox = Outbox(str(self._out), Limits(files=job["files"], total=job["total"]))
        changes = outbox.changes()
        known = outbox._known  # pyright: ignore[reportPrivateUsage]  # it remembers the digests, we do not
        files = [
            [path, size, f"{facts.inode}-{facts.changed}-{facts.digest.hex()}"]
            for path, size in changes.files
            if (facts := known[path]) is not None
        ]
        return {"files": files, "skipped": reported(changes.skipped)}

    def _excerpt(self, job: dict[str, Any]) -> Answer:
        try:
            found = excerpt.read(job["path"], job["first_line"], job["lines"], str(self._workspace))
        except (ImportError, MemoryError):  # to tell other encodings than Unicode's takes a library
            return {"excerpt": None, "failed": True}
        return {"excerpt": found, "failed": False}

    def _run(self, job: dict[str, Any]) -> Answer:
        script = [*(job["command"] or [sys.executable]), str(self._code / job["name"]), *job["arguments"]]
        skills = sorted(str(folder) for folder in (self._workspace / "skills").glob("*/scripts"))
        run = _Run(Capture(job["stdout"]), Capture(job["stdout"]))
        run.watch(script, str(self._out), os.pathsep.join(skills), job["seconds"], job["ceiling"])
        return {
            "exit_code": run.exit_code,
            "killed_for": run.killed_for,
            "stdout": run.stdout.text(),
            "stderr": run.stderr.text(),
            "stdout_dropped": run.stdout.dropped,
            "stderr_dropped": run.stderr.dropped,
            "seconds": run.seconds,
            "cpu_seconds": run.cpu_seconds,
            "peak_memory": run.peak_memory,
            "processes": run.processes,
        }


@dataclass
class _Run:
    """One script and its descendants, who all end with it."""

    stdout: Capture
    stderr: Capture
    exit_code: int = _UNSTARTED
    killed_for: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    processes: int = 0
    _streams: dict[int, Capture] = field(default_factory=dict[int, Capture])

    def watch(self, command: list[str], cwd: str, path: str, seconds: float, ceiling: int) -> None:
        # Orphans become children of ours, so that none outlives the script, however it hid.
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        environment = os.environ | {
            "PYTHONPATH": path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",  # nothing printed is lost when it is killed
        }
        began = time.monotonic()
        try:
            script = subprocess.Popen(
                command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self.stderr.feed(f"{command[0]}: {error.strerror}\n".encode())
            return
        assert script.stdout is not None
        assert script.stderr is not None
        self._streams = {script.stdout.fileno(): self.stdout, script.stderr.fileno(): self.stderr}
        self._wait(script.pid, began + seconds, ceiling)
        self._end_all(script.pid)
        while self._printed() <= ceiling and any(map(self._feed, self._streams)):
            pass
        self.seconds = time.monotonic() - began
        script.returncode = self.exit_code  # it has been waited for here, not there
        script.stdout.close()
        script.stderr.close()

    def _printed(self) -> int:
        return self.stdout.total + self.stderr.total

    def _wait(self, script: int, deadline: float, ceiling: int) -> None:
        ending = os.pidfd_open(script)
        try:
            with selectors.DefaultSelector() as selector:
                for descriptor in (ending, *self._streams):
                    os.set_blocking(descriptor, False)
                    selector.register(descriptor, selectors.EVENT_READ)
                while (left := deadline - time.monotonic()) > 0:
                    ready = [key.fd for key, _ in selector.select(left)]
                    for descriptor in ready:
                        if descriptor != ending and not self._feed(descriptor):
                            selector.unregister(descriptor)
                    if self._printed() > ceiling:
                        self.killed_for = "output"
                        return
                    if ending in ready:
                        return
                self.killed_for = "timeout"
        finally:
            os.close(ending)

    def _feed(self, stream: int) -> bool:
        """False when there is nothing more now: for one that is ready, its end."""
        try:
            data = os.read(stream, _PIECE)
        except BlockingIOError:
            return False
        self._streams[stream].feed(data)
        return bool(data)

    def _end_all(self, script: int) -> None:
        """What runs as another user, by sudo, is beyond us: it ends with the machine."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(script, signal.SIGKILL)
        deadline = time.monotonic() + _END_SECONDS
        while time.monotonic() < deadline:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                for child in _children():
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(child, signal.SIGKILL)
                time.sleep(0.002)
                continue
            self.processes += 1
            self.cpu_seconds += usage.ru_utime + usage.ru_stime
            self.peak_memory = max(self.peak_memory, usage.ru_maxrss * 1024)
            if pid == script:
                code = os.waitstatus_to_exitcode(status)
                self.exit_code = code if code >= 0 else 128 - code


def _children() -> list[int]:
    own = str(os.getpid())
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if status.read_text("utf-8", "replace").rpartition(")")[2].split()[1] == own:
                found.append(int(status.parent.name))
    return found


def _syntax(source: str, name: str) -> list[Any] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is no error
            ast.parse(source, name)
            compile(source, name, "exec", dont_inherit=True)  # e.g. `return` outside of a function parses
    except SyntaxError as error:
        return [error.lineno or 0, f"{type(error).__name__}: {error.msg}"[:600], "", True]
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, or nested too deeply
        return [0, f"the source cannot be compiled: {error or type(error).__name__}"[:600], "", True]
    return None


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[2]
    answer = Tool(root.parent).answer(json.loads((root / "job.json").read_bytes()))
    print(json.dumps(answer))
