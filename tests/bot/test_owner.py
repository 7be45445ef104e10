import os
import subprocess
import sys
from dataclasses import replace

from bot.owner import Owner, is_alive, this_process
from sandbox.lease import process_start


def test_this_process_is_alive() -> None:
    here = this_process()
    assert is_alive(str(here), here)


def test_a_process_that_ended_is_dead() -> None:
    here = this_process()
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    assert not is_alive(f"{here.boot}:{int(child.stdout)}:1", here)


def test_a_later_process_with_the_same_pid_is_another_one() -> None:
    here = this_process()
    assert not is_alive(str(Owner(boot=here.boot, pid=os.getpid(), started=1)), here)


def test_no_process_outlives_a_restart_of_the_machine() -> None:
    here = this_process()
    assert not is_alive(str(replace(here, boot="the boot before")), here)


def test_what_is_no_owner_is_dead() -> None:
    here = this_process()
    assert not is_alive(f"{here.boot}:x:1", here)
    assert not is_alive("", here)


def test_a_process_that_ended_but_was_not_waited_for_is_dead() -> None:
    here = this_process()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    zombie = str(Owner(boot=here.boot, pid=child.pid, started=process_start(child.pid)))
    assert is_alive(zombie, here)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(zombie, here)
    child.communicate()
