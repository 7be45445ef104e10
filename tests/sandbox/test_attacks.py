"""Hostile scripts: each ends in the right result, and the next script in the same session still works."""

# ruff: noqa: E501  # scripts for the guest stand in strings

import resource
from pathlib import Path

import pytest

from sandbox.session import ExitStatus, RunResult, SandboxSession, Workspace

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]

_ALIVE = """
import os
processes = sorted(int(name) for name in os.listdir('/proc') if name.isdigit())
print(len(processes), sorted(os.listdir('/tmp')), os.listdir('/dev/shm'), os.getcwd())
"""
_WIPE = """
import os, shutil
for name in os.listdir('.'):
    shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.unlink(name)
"""


async def _attack(session: SandboxSession, source: str, *, seconds: float = 20.0) -> RunResult:
    """Run the attack, then see that the session is as good as new, then empty out/."""
    findings = await session.write("attack.py", source)
    assert not [finding for finding in findings if finding.fatal], findings
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await session.run("attack.py", time_limit=seconds)
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10
    )  # KiB: the host kept no flood
    await session.write("alive.py", _ALIVE)
    alive = await session.run("alive.py")
    assert alive.stdout == "2 ['mpl'] [] /workspace/out\n", alive
    await session.write("wipe.py", _WIPE)
    assert (await session.run("wipe.py")).succeeded
    return result


async def test_an_endless_loop_times_out(docker_session: SandboxSession) -> None:
    result = await _attack(docker_session, "print('begun')\nwhile True: pass", seconds=1)
    assert (result.status, result.exit_code, result.stdout) == (ExitStatus.TIMEOUT, 137, "begun\n")
    assert 1 <= result.seconds < 3


async def test_a_timeout_kills_the_children_too(docker_session: SandboxSession) -> None:
    source = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(999)
subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(999)'])
time.sleep(999)
"""
    assert (await _attack(docker_session, source, seconds=1)).timed_out


async def test_a_fork_bomb_times_out(docker_session: SandboxSession) -> None:
    source = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
    result = await _attack(docker_session, source, seconds=2)
    assert result.status is ExitStatus.TIMEOUT


async def test_a_daemon_does_not_outlive_its_script(docker_session: SandboxSession) -> None:
    source = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    while True:
        open('/workspace/out/tick', 'a').write('x')
        time.sleep(0.01)
print('gone')
"""
    result = await _attack(docker_session, source)
    assert (result.status, result.stdout) == (ExitStatus.OK, "gone\n")
    assert result.seconds < 2


async def test_a_memory_bomb_runs_out_of_memory(docker_session: SandboxSession) -> None:
    result = await _attack(docker_session, "b = []\nwhile True:\n    b.append(bytearray(32 << 20))\n")
    assert (result.status, result.exit_code) == (ExitStatus.OUT_OF_MEMORY, 137)
    assert result.peak_memory > 500 << 20


async def test_a_memory_bomb_in_a_grandchild_leaves_the_script_to_tell(
    docker_session: SandboxSession,
) -> None:
    source = """
import subprocess, sys
bomb = 'b = []\\nwhile True: b.append(bytearray(32 << 20))'
print(subprocess.run([sys.executable, '-c', bomb]).returncode)
"""
    result = await _attack(docker_session, source)
    assert (result.status, result.stdout) == (ExitStatus.OK, "-9\n")
    failed = await _attack(docker_session, source + "sys.exit(1)\n")
    assert failed.status is ExitStatus.OUT_OF_MEMORY


async def test_a_script_cannot_have_pid_1_killed_in_its_place(docker_session: SandboxSession) -> None:
    source = """
import os, sys
try:
    open('/proc/self/oom_score_adj', 'w').write('500')
except OSError as error:
    print(error.errno, flush=True)
fill = '''
import os
block = bytes(1 << 20)
while True:
    held = os.memfd_create('m')
    for _ in range(200):
        os.write(held, block)
'''
os.execv(sys.executable, [sys.executable, '-I', '-S', '-c', fill])
"""
    result = await _attack(docker_session, source)
    assert (result.status, result.stdout) == (ExitStatus.OUT_OF_MEMORY, "13\n")


async def test_what_is_on_its_way_in_sockets_does_not_outlive_its_script(
    docker_session: SandboxSession,
) -> None:
    source = """
import array, os, socket
block = os.urandom(1 << 20)
held = [os.open('unlinked', os.O_CREAT | os.O_RDWR), os.memfd_create('m')]
for descriptor in held:
    for _ in range(250):
        os.write(descriptor, block)
os.unlink('unlinked')
one, two = socket.socketpair()
one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [*held, one.fileno(), two.fileno()]))])
"""
    usage = """
import os, shutil
paths = ('/sys/fs/cgroup/memory.stat', '/sys/fs/cgroup/memory/memory.stat')
stat = dict(line.split() for line in open(next(filter(os.path.exists, paths))))
print(int(stat['shmem']) >> 20, shutil.disk_usage('.').used >> 20)
"""
    await docker_session.write("usage.py", usage)
    for _ in range(2):
        await docker_session.write("attack.py", source)
        assert (await docker_session.run("attack.py")).succeeded
        shared, used = map(int, (await docker_session.run("usage.py")).stdout.split())
        assert (shared < 50, used) == (True, 0)
    await _attack(docker_session, "print('next')")


async def test_an_impossible_array_runs_out_of_memory(docker_session: SandboxSession) -> None:
    result = await _attack(docker_session, "import numpy\nnumpy.ones((1 << 20, 1 << 22))\n")
    assert (result.status, result.exit_code) == (ExitStatus.OUT_OF_MEMORY, 1)
    assert "Unable to allocate" in result.stderr


async def test_a_flood_of_output_is_cut_and_killed(docker_session: SandboxSession) -> None:
    source = "import os\nb = b'x' * (1 << 20)\nfor _ in range(2048):\n    os.write(1, b)\n"
    result = await _attack(docker_session, source)
    assert result.status is ExitStatus.OUTPUT_LIMIT
    assert len(result.stdout) < 66 << 10
    assert result.stdout_dropped > 15 << 20
    assert f"{result.stdout_dropped:,} bytes cut" in result.stdout


async def test_output_below_the_ceiling_keeps_its_head_and_tail(docker_session: SandboxSession) -> None:
    result = await _attack(docker_session, "print('first')\nprint('x' * 300_000)\nprint('last')\n")
    assert result.status is ExitStatus.OK
    assert result.stdout.startswith("first\n")
    assert result.stdout.endswith("last\n")
    assert result.stdout_dropped == 300_012 - (64 << 10)


async def test_a_full_out_folder_is_a_disk_limit(
    docker_session: SandboxSession, docker_workspace: Workspace
) -> None:
    source = "with open('big', 'wb') as f:\n    while True:\n        f.write(b'x' * (1 << 20))\n"
    result = await _attack(docker_session, source)
    assert result.status is ExitStatus.DISK_LIMIT
    assert "No space left" in result.stderr or "too large" in result.stderr
    assert [file.path for file in result.files] == ["big"]
    assert not (docker_workspace.out / "big").exists()  # the wipe reached the host's copy


async def test_an_out_folder_full_of_files_is_a_disk_limit(docker_session: SandboxSession) -> None:
    source = "import os\nfor n in range(10**6):\n    os.close(os.open(f'f{n}', os.O_CREAT | os.O_WRONLY))\n"
    result = await _attack(docker_session, source)
    assert result.status is ExitStatus.DISK_LIMIT
    assert len(result.files) == 2000


async def test_a_sparse_giant_cannot_be_made(docker_session: SandboxSession) -> None:
    result = await _attack(docker_session, "open('hole', 'wb').truncate(15 << 40)\n")
    assert result.status is ExitStatus.DISK_LIMIT


async def test_sparse_files_do_not_multiply(
    docker_session: SandboxSession, docker_workspace: Workspace
) -> None:
    source = "for n in range(5):\n    open(f'hole{n}', 'wb').truncate(100 << 20)\n"
    result = await _attack(docker_session, source)
    assert result.status is ExitStatus.OK
    assert [file.path for file in result.files] == ["hole0", "hole1"]
    assert {skip.reason for skip in result.skipped} == {"too large together with the others"}
    assert list(docker_workspace.out.glob("hole*")) == []


async def test_sparse_files_of_several_scripts_do_not_add_up(
    docker_session: SandboxSession, docker_workspace: Workspace
) -> None:
    await docker_session.write("attack.py", "import sys\nopen(sys.argv[1], 'wb').truncate(200 << 20)\n")
    kept = [(await docker_session.run("attack.py", arguments=[f"hole{n}"])).files for n in range(3)]
    assert [[file.path for file in files] for files in kept] == [["hole0"], [], []]
    assert sum(path.stat().st_blocks * 512 for path in docker_workspace.out.glob("hole*")) < 1 << 20
    await _attack(docker_session, "print('next')")
    assert list(docker_workspace.out.glob("hole*")) == []


async def test_the_longest_names_fit_into_the_protocol(docker_session: SandboxSession) -> None:
    source = """
import os, shutil, sys
for name in os.listdir('.'):
    shutil.rmtree(name)
for top in range(2):
    folder = '/'.join([f'{sys.argv[1]}{top}' + '"' * 200, '"' * 250, '"' * 250])
    os.makedirs(folder)
    os.chdir(folder)
    for n in range(980):
        open(f'{n:04d}' + '"' * 236, 'w').close()
    os.chdir('/workspace/out')
"""
    await docker_session.write("attack.py", source)
    assert len((await docker_session.run("attack.py", arguments=["a"])).files) == 1960
    result = await docker_session.run("attack.py", arguments=["b"])
    assert (len(result.files), len(result.removed)) == (1960, 1960)
    assert len(await docker_session.list_outputs()) == 1960
    await _attack(docker_session, "print('next')")


async def test_the_host_keeps_what_the_guest_has_whatever_became_of_it(
    docker_session: SandboxSession, docker_workspace: Workspace
) -> None:
    """Files and folders change places, links come between, and memory maps move no clock."""
    scripts = (
        "import os\nopen('a', 'w').write('1')\nos.mkdir('d')\nopen('d/x', 'w').write('1')\nopen('m', 'w').write('old' * 2000)\nopen('k', 'w').write('1')",
        "import os\nos.unlink('a')\nos.mkdir('a')\nopen('a/b', 'w').write('2')\nos.unlink('d/x')\nos.rmdir('d')\nopen('d', 'w').write('2')",
        "import mmap\nfile = open('m', 'r+b')\nmmap.mmap(file.fileno(), 0)[:3] = b'NEW'",
        "import os\nos.unlink('k')\nos.symlink('/etc', 'k')",
        "import os\nos.unlink('k')\nopen('.incoming-x', 'w').write('x')",
    )
    for source in scripts:
        await docker_session.write("attack.py", source)
        assert (await docker_session.run("attack.py")).succeeded
        out = docker_workspace.out
        host = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
        guest = [file.path for file in await docker_session.list_outputs()]
        assert sorted(host) == guest
        for path in guest:
            text = (await docker_session.excerpt(f"out/{path}")).text
            assert host[path].read_text()[:100] == text[:100]
    await _attack(docker_session, "print('next')")


async def test_no_script_sees_the_font_cache_of_another(docker_session: SandboxSession) -> None:
    source = """
import mmap, os
[name] = [name for name in os.listdir('/tmp/mpl') if name.endswith('json')]
file = open(f'/tmp/mpl/{name}', 'r+b')
view = mmap.mmap(file.fileno(), 0)
place = view.find(b'DejaVuSans.ttf')
print(place > 0)
view[place:place + 6] = b'EvilVu'
"""
    for _ in range(2):
        assert (await _attack(docker_session, source)).stdout == "True\n"


async def test_pid_1_shrugs_off_every_signal(docker_session: SandboxSession) -> None:
    source = """
import os, signal
for number in signal.valid_signals():
    for _ in range(50):
        os.kill(1, number)
print('sent')
"""
    assert (await _attack(docker_session, source)).stdout == "sent\n"


async def test_a_script_that_stops_itself_or_rings_pid_1_times_out(docker_session: SandboxSession) -> None:
    stop = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\n"
    assert (await _attack(docker_session, stop, seconds=1)).timed_out
    ring = "import os, signal\nwhile True:\n    os.kill(1, signal.SIGCHLD)\n"
    assert (await _attack(docker_session, ring, seconds=1)).timed_out


async def test_output_held_open_after_the_end_holds_nothing_up(docker_session: SandboxSession) -> None:
    source = """
import array, os, socket
one, two = socket.socketpair()
one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [1, 2, one.fileno(), two.fileno()]))])
print('sent')
"""
    result = await _attack(docker_session, source)
    assert (result.status, result.stdout) == (ExitStatus.OK, "sent\n")
    assert result.seconds < 2


@pytest.mark.parametrize(
    "source",
    ["(" * 100_000, "-" * 100_000 + "1", "x = " + "[" * 90 + "]" * 90, "a" + ".b" * 50_000, "\n" * 200_000],
)
async def test_a_source_that_breaks_the_checker_breaks_nothing_else(
    docker_session: SandboxSession, source: str
) -> None:
    for finding in await docker_session.write("attack.py", source):
        assert finding.message
    await _attack(docker_session, "print('next')")


async def test_killing_everyone_kills_only_the_script(docker_session: SandboxSession) -> None:
    source = "import os, signal\nif os.fork() == 0:\n    os.kill(-1, signal.SIGKILL)\nos.pause() if hasattr(os, 'pause') else signal.pause()\n"
    result = await _attack(docker_session, source)
    assert (result.status, result.exit_code) == (ExitStatus.KILLED, 137)


async def test_a_crash_of_the_interpreter_is_an_error(docker_session: SandboxSession) -> None:
    result = await _attack(docker_session, "import ctypes\nctypes.string_at(0)\n")
    assert (result.status, result.exit_code) == (ExitStatus.ERROR, 139)
    assert "Segmentation fault" in result.stderr


async def test_only_regular_files_leave(
    docker_session: SandboxSession, docker_workspace: Workspace, tmp_path: Path
) -> None:
    source = """
import os, socket
os.symlink('/etc/passwd', 'link.csv')
os.symlink('/etc', 'folder')
os.mkfifo('pipe.csv')
socket.socket(socket.AF_UNIX).bind('socket.csv')
open('good.csv', 'w').write('x')
os.link('good.csv', 'twin.csv')
os.chmod('good.csv', 0o6777)
"""
    await docker_session.write("attack.py", source)
    result = await docker_session.run("attack.py")
    assert [file.path for file in result.files] == ["good.csv", "twin.csv"]
    assert {skip.path: skip.reason for skip in result.skipped} == dict.fromkeys(
        ("folder", "link.csv", "pipe.csv", "socket.csv"), "not a regular file"
    )
    assert (docker_workspace.out / "good.csv").stat().st_mode & 0o7777 == 0o644
    assert sorted(path.name for path in docker_workspace.out.iterdir()) == ["good.csv", "twin.csv"]
    await _attack(docker_session, "print('next')")


async def test_odd_names_are_skipped_with_a_reason(
    docker_session: SandboxSession, docker_workspace: Workspace
) -> None:
    source = r"""
import os
for name in (b'bad\xff.csv', b'line\nbreak', 'rtl\u202etxt.exe'.encode(), b'esc\x1b[2J', b'-rf', 'ok \u0444\u044b.csv'.encode(), b'n' * 255):
    open(name, 'w').write('x')
"""
    result = await _attack(docker_session, source)
    assert [file.path for file in result.files] == ["-rf", "n" * 255, "ok фы.csv"]
    assert len(result.skipped) == 4
    assert all(skip.path.isprintable() for skip in result.skipped)
    assert {skip.reason for skip in result.skipped} == {
        "its name is not UTF-8",
        "its name has control characters",
    }


async def test_a_deep_tree_is_skipped_and_swept(docker_session: SandboxSession) -> None:
    source = """
import os
for base in ('/workspace/out', '/tmp', '/dev/shm'):
    os.chdir(base)
    for n in range(1500):
        os.mkdir('d' * 200)
        os.chdir('d' * 200)
    open('leaf', 'w').write('x')
    if base != '/workspace/out':
        os.chmod('.', 0)
print('deep')
"""
    await docker_session.write("attack.py", source)
    result = await docker_session.run("attack.py")
    assert result.stdout == "deep\n", result
    assert result.files == ()
    assert [skip.reason for skip in result.skipped] == ["its path is too long"]
    wipe = """
import os
while names := os.listdir('.'):
    for name in names:
        if os.path.isdir(name):
            for inner in os.listdir(name):
                os.rename(f'{name}/{inner}', f'moved{os.urandom(8).hex()}')
            os.rmdir(name)
        else:
            os.unlink(name)
"""
    await docker_session.write("undeep.py", wipe)
    assert (await docker_session.run("undeep.py")).succeeded
    await _attack(docker_session, "print('next')")


async def test_taken_modes_are_given_back(docker_session: SandboxSession) -> None:
    source = """
import os
os.makedirs('folder/inner')
open('folder/inner/file', 'w').write('x')
os.chmod('folder/inner/file', 0)
os.chmod('folder/inner', 0)
os.chmod('folder', 0)
os.chmod('/workspace/out', 0)
"""
    result = await _attack(docker_session, source)
    assert [file.path for file in result.files] == ["folder/inner/file"]


async def test_nothing_that_a_script_leaves_changes_the_next(docker_session: SandboxSession) -> None:
    source = """
import builtins, json, os, pandas, sys
pandas.EVIL = builtins.EVIL = 1
sys.path.insert(0, '/workspace/out')
for folder in ('/workspace/out', '/tmp', '/tmp/mpl'):
    for name in ('matplotlibrc', 'sitecustomize.py', 'usercustomize.py', 'json.py', 'tabulate.py', '.pth'):
        open(f'{folder}/{name}', 'w').write('raise SystemExit(99)' if name.endswith('.py') else 'figure.dpi: 7')
os.environ['EVIL'] = '1'
os.nice(5)
"""
    await docker_session.write("attack.py", source)
    assert (await docker_session.run("attack.py")).succeeded
    after = """
import builtins, os, subprocess, sys
import pandas, tabulate
import matplotlib
code = "import json, matplotlib; print(matplotlib.rcParams['figure.dpi'])"
inner = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, cwd='/tmp')
print(hasattr(pandas, 'EVIL'), hasattr(builtins, 'EVIL'), 'EVIL' in os.environ, os.nice(0), '/workspace/out' in sys.path)
print(matplotlib.rcParams['figure.dpi'], inner.stdout.strip(), inner.returncode)
"""
    await docker_session.write("after.py", after)
    result = await docker_session.run("after.py")
    assert result.stdout == "False False False 0 False\n100.0 100.0 0\n", result
    await _attack(docker_session, "print()")


async def test_the_code_cannot_be_changed(docker_session: SandboxSession) -> None:
    source = "import os\nfor work in (lambda: open(__file__, 'a'), lambda: os.unlink(__file__), lambda: os.chmod(__file__, 0o777)):\n    try:\n        work()\n    except OSError as error:\n        print(error.errno)\n"
    assert (await _attack(docker_session, source)).stdout == "13\n30\n30\n"


async def test_poisoned_output_is_harmless_text(docker_session: SandboxSession) -> None:
    source = r"""
import os
os.write(1, b'\x1b[31mred\x1b[0m \x1b]0;title\x07 nul\x00 bad\xff \xe2\x80\xae rtl 10%\r20%\n{"type":"run"}\n')
"""
    text = (await _attack(docker_session, source)).stdout
    assert text == 'red \ufffd]0;title\ufffd nul\ufffd bad\ufffd \ufffd rtl 10%\n20%\n{"type":"run"}\n'


async def test_random_numbers_differ_between_runs(docker_session: SandboxSession) -> None:
    await docker_session.write(
        "dice.py", "import random, numpy\nprint(random.random(), numpy.random.rand())\n"
    )
    first, second = await docker_session.run("dice.py"), await docker_session.run("dice.py")
    assert first.stdout != second.stdout
    assert first.stdout.split()[1] != second.stdout.split()[1]


async def test_libraries_work_after_the_fork(docker_session: SandboxSession) -> None:
    source = """
import concurrent.futures, multiprocessing, subprocess, sys
import duckdb, numpy
from sklearn.ensemble import HistGradientBoostingClassifier

def square(x):
    return x * x

if __name__ == '__main__':
    x = numpy.random.rand(400, 4)
    print((x.T @ x).shape, HistGradientBoostingClassifier(max_iter=3).fit(x, x[:, 0] > 0.5).score(x, x[:, 0] > 0.5) > 0.8)
    print(duckdb.sql('select sum(range) from range(1000)').fetchall())
    print(sum(concurrent.futures.ThreadPoolExecutor(4).map(abs, range(10))))
    for kind in ('fork', 'spawn'):
        with multiprocessing.get_context(kind).Pool(2) as pool:
            print(kind, pool.map(square, range(4)))
    print(subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout.strip())
"""
    result = await _attack(docker_session, source)
    assert result.stdout.splitlines() == [
        "(4, 4) True", "[(499500,)]", "45", "fork [0, 1, 4, 9]", "spawn [0, 1, 4, 9]", "42",
    ], result.stderr  # fmt: skip
