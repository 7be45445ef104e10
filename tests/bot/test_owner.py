import os
import subprocess
import sys

from bot.owner import Owner, is_alive, this_process


def test_this_process_is_alive() -> None:
    here = this_process()
    assert is_alive(str(here), here)


def test_a_process_that_ended_is_dead() -> None:
    here = this_process()
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    assert not is_alive(f"{here.host}:{int(child.stdout)}:1", here)


def test_a_later_process_with_the_same_pid_is_another_one() -> None:
    here = this_process()
    assert not is_alive(str(Owner(host=here.host, pid=os.getpid(), started="1")), here)


def test_a_process_of_another_host_is_left_alone() -> None:
    assert is_alive("elsewhere:1:1", this_process())


def test_what_is_no_owner_is_dead() -> None:
    here = this_process()
    assert not is_alive(f"{here.host}:x:1", here)
    assert not is_alive("", here)
