"""One fork held to its limits, run here without the container (where it kills by group, not everything)."""

import errno
import fcntl
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import pytest

from sandbox.guest.kernel import can_confine, confine, thread_count
from sandbox.guest.programs import Programs
from sandbox.guest.runner import Limits, Outcome, Runner
from sandbox.guest.wire import HostGone

P = ParamSpec("P")
LIMITS = Limits(seconds=5, cpu_seconds=5, file_size=1000, stdout=1000, ceiling=100_000)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guest is Linux")


@pytest.fixture
def runner() -> Iterator[tuple[Runner, int]]:
    """A runner, and the host's end of its line."""
    alarm, ring = os.pipe()
    host, line = os.pipe()
    os.set_blocking(alarm, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    os.set_blocking(ring, False)
    signal.set_wakeup_fd(ring)
    yield Runner(lambda job, page: 0, alarm=alarm, host=host, threads=lambda: 1), line
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in (alarm, ring, host, line):
        with suppress(OSError):  # a test may have hung up
            os.close(descriptor)


def alone(test: Callable[P, None]) -> Callable[P, None]:
    """In a process of its own: a runner waits for every child, and those of other tests may live longer."""

    @wraps(test)
    def forked(*given: P.args, **named: P.kwargs) -> None:
        reader, writer = os.pipe()
        if (pid := os.fork()) == 0:
            code = 1
            try:
                test(*given, **named)
                code = 0
            except BaseException:  # told to the parent
                os.write(writer, traceback.format_exc()[-60_000:].encode())
            finally:
                os._exit(code)
        os.close(writer)
        with os.fdopen(reader) as told:
            trouble = told.read()
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, trouble

    return forked


def run(runner: Runner, work: Callable[[], int], limits: Limits) -> Outcome:
    """The child does `work`, which needs to be known before it is forked."""
    runner.work = lambda job, page: work()
    return runner.run({}, limits)


@alone
def test_what_a_fork_prints_and_returns_is_kept(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        os.write(1, b"out")
        os.write(2, b"err")
        return 3

    outcome = run(runner[0], work, LIMITS)
    assert (outcome.exit_code, outcome.stdout.text(), outcome.stderr.text()) == (3, "out", "err")
    assert outcome.killed_for == ""
    assert outcome.peak_memory > 1 << 20


@alone
def test_processes_are_counted_also_those_that_the_fork_reaped_itself(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        for _ in range(3):
            if (pid := os.fork()) == 0:
                os._exit(0)
            os.waitpid(pid, 0)
        return 0

    assert run(runner[0], work, LIMITS).processes >= 4  # more where others start processes meanwhile


@alone
def test_a_fork_that_raises_never_returns_here(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        message = "oops"
        raise RuntimeError(message)

    mine = os.getpid()
    outcome = run(runner[0], work, LIMITS)
    assert os.getpid() == mine
    assert outcome.exit_code == 125
    assert "RuntimeError('oops')" in outcome.stderr.text()


@alone
def test_a_fork_that_takes_too_long_is_killed_with_its_children(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        os.fork()
        time.sleep(60)
        return 0

    outcome = run(runner[0], work, replace(LIMITS, seconds=0.3))
    assert (outcome.exit_code, outcome.killed_for) == (137, "timeout")
    assert outcome.seconds < 3
    with pytest.raises(ChildProcessError):
        os.wait()


@alone
def test_a_fork_that_prints_too_much_is_killed(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        while True:
            os.write(1, b"x" * 10_000)

    outcome = run(runner[0], work, LIMITS)
    assert (outcome.exit_code, outcome.killed_for) == (137, "output")
    assert len(outcome.stdout.content()) == 1000


@alone
def test_a_fork_has_three_descriptors_and_no_input(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        os.write(
            1, f"{os.read(0, 1)} {sorted(path.name for path in Path('/proc/self/fd').iterdir())[:3]}".encode()
        )
        return len(list(Path("/proc/self/fd").iterdir()))

    outcome = run(runner[0], work, LIMITS)
    assert outcome.stdout.text() == "b'' ['0', '1', '2']"
    assert outcome.exit_code == 4  # and the one that lists them


def test_a_host_that_hangs_up_ends_the_run(runner: tuple[Runner, int]) -> None:
    os.close(runner[1])
    with pytest.raises(HostGone):
        run(runner[0], lambda: time.sleep(0.5) or 0, LIMITS)
    os.wait()


@alone
def test_no_fork_is_made_while_there_is_a_second_thread(runner: tuple[Runner, int]) -> None:
    runner[0].threads = thread_count
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="threads in PID 1"):
            run(runner[0], lambda: 0, LIMITS)
    finally:
        stop.set()
        thread.join()


@alone
def test_a_script_that_reads_its_own_output_cannot_keep_pid_1_waiting(runner: tuple[Runner, int]) -> None:
    """It could take the byte that poll() saw. What reads at the other end must then go on at once."""

    def work() -> int:
        os.write(1, os.fsencode(Path("/proc/self/fd/1").readlink()))
        time.sleep(0.6)
        return 0

    flags: dict[str, int] = {}

    def look() -> None:
        for descriptor in Path("/proc/self/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                found = fcntl.fcntl(int(descriptor.name), fcntl.F_GETFL)
                if found & os.O_ACCMODE == os.O_RDONLY:
                    flags[str(descriptor.readlink())] = found

    timer = threading.Timer(0.3, look)
    timer.start()
    pipe = run(runner[0], work, LIMITS).stdout.text()
    timer.join()
    assert flags[pipe] & os.O_NONBLOCK


@pytest.mark.skipif(not can_confine(), reason="the kernel has no Landlock of version 3")
def test_a_confined_process_writes_where_it_may_and_nowhere_else(tmp_path: Path) -> None:
    for name in ("yes", "no"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    works: list[Callable[[Path], object]] = [
        lambda folder: (folder / "file").write_text("y"),
        lambda folder: os.truncate(folder / "file", 0),
        lambda folder: (folder / "new").mkdir(),
        lambda folder: (folder / "link").symlink_to("x"),
        lambda folder: (folder / "file").rename(folder / "new" / "moved"),
        lambda folder: (folder / "new" / "moved").unlink(),
    ]
    pid = os.fork()
    if pid == 0:
        confine((str(tmp_path / "yes"), str(tmp_path / "none")), ("/dev/null",), None)
        Path("/dev/null").write_text("x")
        (tmp_path / "no" / "file").read_text()
        for name in ("yes", "no"):
            for work in works:
                with suppress(PermissionError, FileNotFoundError):
                    work(tmp_path / name)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert sorted(path.name for path in (tmp_path / "yes").iterdir()) == ["link", "new"]
    assert [path.name for path in (tmp_path / "no").iterdir()] == ["file"]
    assert (tmp_path / "no" / "file").read_text() == "x"


@pytest.mark.skipif(not can_confine(), reason="the kernel has no Landlock of version 3")
@pytest.mark.parametrize(("listed", "code"), [(True, 0), (False, errno.EACCES)])
def test_a_confined_process_starts_what_is_listed_and_nothing_else(listed: bool, code: int) -> None:
    programs = Programs(allow=("python3",), interpreters=(sys.executable,) if listed else ()).executable
    pid = os.fork()
    if pid == 0:
        confine((), (), programs)
        try:
            os.execv(sys.executable, [sys.executable, "-I", "-c", ""])  # noqa: S606  # what is tried
        except OSError as error:
            os._exit(error.errno or 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code


@pytest.mark.skipif(not can_confine(), reason="the kernel has no Landlock of version 3")
@alone
def test_what_reads_for_pid_1_starts_nothing_at_all(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        os.execv(sys.executable, [sys.executable, "-c", ""])  # noqa: S606  # what is tried

    assert "PermissionError" in run(runner[0], work, replace(LIMITS, aside=True)).stderr.text()


@alone
def test_a_spare_does_the_job_that_comes_after_it_was_forked(runner: tuple[Runner, int]) -> None:
    runner[0].work = lambda job, page: os.write(1, job["text"].encode()) and 0
    runner[0].prepare()
    runner[0].prepare()
    first = runner[0].run({"text": "one"}, LIMITS)
    second = runner[0].run({"text": "two"}, LIMITS)
    assert (first.stdout.text(), second.stdout.text()) == ("one", "two")
    with pytest.raises(ChildProcessError):
        os.wait()


@alone
def test_a_spare_that_died_while_it_waited_is_replaced(runner: tuple[Runner, int]) -> None:
    runner[0].work = lambda job, page: os.write(1, b"done") and 0
    runner[0].prepare()
    spare = runner[0]._spare
    assert spare is not None
    os.kill(spare.pid, signal.SIGKILL)
    os.waitid(os.P_PID, spare.pid, os.WEXITED | os.WNOWAIT)
    outcome = runner[0].run({}, LIMITS)
    assert (outcome.exit_code, outcome.stdout.text()) == (0, "done")
    with pytest.raises(ChildProcessError):
        os.wait()
