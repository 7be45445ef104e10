"""The forked child: gives up what PID 1 has, takes its limits, runs one function or one script, and ends."""

# os throughout, as for descriptors

import atexit
import builtins
import errno
import faulthandler
import gc
import io
import json
import os
import random
import resource
import signal
import sys
import threading
import types
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from . import audit, kernel
from .page import NO_MEMORY, NO_SPACE, Page
from .programs import Programs

OUT = "/workspace/out"
CODE = "/workspace/code"
SKILLS = "/workspace/skills"

_OPEN_FILES = 1024
_GARBAGE = (20_000, 20, 50)
_NICENESS = 19
"""So that PID 1, which shares the container's time with them, gets its turn among a hundred processes."""
_JOBS = 3
"""The descriptor that the job comes through."""
_PASSED_ON = ("PATH", "LANG")
_WRITABLE_FOLDERS = (OUT, "/tmp", "/dev/shm")
_WRITABLE_FILES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom")


class Streams(NamedTuple):
    """Descriptors: where the job comes from, and where output goes."""

    jobs: int
    stdout: int
    stderr: int


def become(
    work: Callable[[dict[str, Any], Page], int],
    streams: Streams,
    programs: tuple[str, ...] | None,
    page: Page,
) -> NoReturn:
    """Make all ready in this forked process, wait for a job, do it, and end.

    `programs` is what it may execute (`kernel.confine`). `page` tells PID 1 why an exception ended it.
    """
    code = 125
    try:
        _let_go(streams)
        os.setsid()
        _confine(programs)
        _fresh_interpreter()
        job = _receive()
        _limit(job)
        code = work(job, page)
    except MemoryError:
        page.cause = NO_MEMORY
        code = 1
    except BaseException as error:  # nothing may return into PID 1's code
        with suppress(OSError):
            os.write(2, f"the script could not be started: {error!r}\n".encode())
    finally:
        os._exit(code & 0xFF)


def _let_go(streams: Streams) -> None:
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError, ValueError):  # 32 and 33 belong to the C library
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # as a fresh interpreter has them: errors, not deaths
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (streams.stdout, 1), (streams.stderr, 2), (streams.jobs, _JOBS)):
        os.dup2(source, target)
    os.closerange(_JOBS + 1, os.sysconf("SC_OPEN_MAX"))


def _receive() -> dict[str, Any]:
    """The job, when there is one; PID 1 closes its end behind it."""
    with open(_JOBS, "rb") as jobs:
        return json.loads(jobs.read())


def _confine(programs: tuple[str, ...] | None) -> None:
    kernel.set_dumpable(True)  # its own /proc/self is its own again; PID 1 stays closed to it
    with suppress(OSError):
        kernel.offer_to_oom_killer()
    # After it: so the offer cannot be taken back.
    kernel.confine(_WRITABLE_FOLDERS, _WRITABLE_FILES, programs)
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))


def _limit(job: dict[str, Any]) -> None:
    """Bytes of one file are limited too: without it a sparse one of 15 TiB fits into any tmpfs."""
    resource.setrlimit(resource.RLIMIT_CPU, (job["cpu_seconds"], job["cpu_seconds"] + 2))
    resource.setrlimit(resource.RLIMIT_FSIZE, (job["file_size"], job["file_size"]))
    if job["aside"]:
        kernel.confine((), (), ())


def exec_script(command: Sequence[str], name: str, arguments: Sequence[str]) -> NoReturn:
    """Become the interpreter of another language, with a small environment that tells nothing of ours.

    Raises: OSError: there is no such program, or it may not be executed.
    """
    os.chdir(OUT)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # as a shell leaves them to what it starts
        signal.signal(number, signal.SIG_DFL)
    environment = {variable: os.environ[variable] for variable in _PASSED_ON if variable in os.environ}
    environment |= {"HOME": "/tmp", "TMPDIR": "/tmp"}
    os.execve(command[0], [*command, f"{CODE}/{name}", *arguments], environment)


def run_script(source: bytes, name: str, arguments: Sequence[str], page: Page, programs: Programs) -> int:
    """Run `source` as `__main__`, as `python NAME ARGUMENTS` would, and return the exit code."""
    path = f"{CODE}/{name}"
    os.chdir(OUT)
    sys.argv = [path, *arguments]
    # After the libraries: a script called random.py or statistics.py must not hide the module of that name.
    sys.path += [CODE, *skill_folders()]
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    code = 0
    audit.install(page, programs)
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as error:
        code = _exit_code(error)
    except BaseException as error:
        page.cause = _cause(error)
        _report(error)
        code = 130 if isinstance(error, KeyboardInterrupt) else 1
    return _finish(code)


def skill_folders() -> list[str]:
    """Where scripts find the skills' modules. Never out/, which earlier scripts can write to."""
    with suppress(OSError):
        return [
            folder
            for name in sorted(os.listdir(SKILLS))
            if os.path.isdir(folder := f"{SKILLS}/{name}/scripts")
        ]
    return []


def _fresh_interpreter() -> None:
    for name in [name for name in sys.modules if name == "guest" or name.startswith("guest.")]:
        del sys.modules[name]
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.FileIO(0, "r", closefd=False), encoding="utf-8")
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
    )
    sys.stderr = sys.__stderr__ = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True
    )
    faulthandler.enable(file=2)
    for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
        warnings.simplefilter(
            "ignore", kind
        )  # of use to the authors of libraries, not to the one who reads stderr
    random.seed()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()
    # What PID 1 froze stays frozen: collecting it would copy all its pages. The usual thresholds are for a
    # heap that starts small; here they would have short scripts collect again and again what is not garbage.
    gc.set_threshold(*_GARBAGE)
    gc.enable()


def _exit_code(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


def _cause(error: BaseException) -> int:
    if isinstance(error, MemoryError):
        return NO_MEMORY
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return NO_SPACE
    return 0


def _report(error: BaseException) -> None:
    """Print the traceback without our own frame at its top."""
    trace = error.__traceback__
    error.__traceback__ = trace.tb_next if trace is not None else None
    sys.excepthook(type(error), error, error.__traceback__)


def _finish(code: int) -> int:
    """What the interpreter does at its end: wait for threads, run atexit, flush."""
    with suppress(BaseException):
        threading._shutdown()  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]  # no public name joins all threads
    with suppress(BaseException):
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # os._exit runs none of them
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or 120
    return code
