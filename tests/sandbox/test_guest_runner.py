"""One fork held to its limits, run here without the container (where it kills by group, not everything)."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.guest.kernel import thread_count
from sandbox.guest.runner import Limits, Runner
from sandbox.guest.wire import HostGone

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
    yield Runner(alarm=alarm, host=host, threads=lambda: 1), line
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in (alarm, ring, host, line):
        with suppress(OSError):  # a test may have hung up
            os.close(descriptor)


def test_what_a_fork_prints_and_returns_is_kept(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        os.write(1, b"out")
        os.write(2, b"err")
        return 3

    outcome = runner[0].run(work, LIMITS)
    assert (outcome.exit_code, outcome.stdout.text(), outcome.stderr.text()) == (3, "out", "err")
    assert outcome.killed_for == ""
    assert outcome.peak_memory > 1 << 20


def test_a_fork_that_raises_never_returns_here(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        message = "oops"
        raise RuntimeError(message)

    mine = os.getpid()
    outcome = runner[0].run(work, LIMITS)
    assert os.getpid() == mine
    assert outcome.exit_code == 125
    assert "RuntimeError('oops')" in outcome.stderr.text()


def test_a_fork_that_takes_too_long_is_killed_with_its_children(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        os.fork()
        time.sleep(60)
        return 0

    outcome = runner[0].run(work, replace(LIMITS, seconds=0.3))
    assert (outcome.exit_code, outcome.killed_for) == (137, "timeout")
    assert outcome.seconds < 3
    with pytest.raises(ChildProcessError):
        os.wait()


def test_a_fork_that_prints_too_much_is_killed(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        while True:
            os.write(1, b"x" * 10_000)

    outcome = runner[0].run(work, LIMITS)
    assert (outcome.exit_code, outcome.killed_for) == (137, "output")
    assert len(outcome.stdout.content()) == 1000


def test_a_fork_has_three_descriptors_and_no_input(runner: tuple[Runner, int]) -> None:
    def work() -> int:
        os.write(
            1, f"{os.read(0, 1)} {sorted(path.name for path in Path('/proc/self/fd').iterdir())[:3]}".encode()
        )
        return len(list(Path("/proc/self/fd").iterdir()))

    outcome = runner[0].run(work, LIMITS)
    assert outcome.stdout.text() == "b'' ['0', '1', '2']"
    assert outcome.exit_code == 4  # and the one that lists them


def test_a_host_that_hangs_up_ends_the_run(runner: tuple[Runner, int]) -> None:
    os.close(runner[1])
    with pytest.raises(HostGone):
        runner[0].run(lambda: time.sleep(0.5) or 0, LIMITS)
    os.wait()


def test_no_fork_is_made_while_there_is_a_second_thread(runner: tuple[Runner, int]) -> None:
    runner[0].threads = thread_count
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with pytest.raises(RuntimeError, match="threads in PID 1"):
            runner[0].run(lambda: 0, LIMITS)
    finally:
        stop.set()
        thread.join()
