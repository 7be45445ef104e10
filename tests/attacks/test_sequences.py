"""Attacks that need more than one script: what the first one leaves must not reach the next."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from sandbox.session import ExitStatus, SandboxSession, Workspace
from tests.attacks.attack import HELPER, PAYLOADS
from tests.attacks.invariants import Host, as_good_as_new, only_plain_files

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]

_WIPE = """
import os
while names := os.listdir('.'):
    for name in names:
        if os.path.isdir(name) and not os.path.islink(name):
            for inner in os.listdir(name):
                os.rename(f'{name}/{inner}', f'moved{os.urandom(8).hex()}')
            os.rmdir(name)
        else:
            os.unlink(name)
"""


@asynccontextmanager
async def _harmless(session: SandboxSession, workspace: Workspace, host: Host) -> AsyncGenerator[None]:
    """What happens inside leaves the host and the session as they were."""
    async with host.unchanged(workspace):
        yield
        only_plain_files(workspace)
    await as_good_as_new(session)
    await session.write("wipe.py", _WIPE)
    assert (await session.run("wipe.py")).succeeded


async def _stage(session: SandboxSession, payload: str) -> None:
    await session.write(HELPER, (PAYLOADS / HELPER).read_text(encoding="utf-8"))
    await session.write("attack.py", (PAYLOADS / f"{payload}.py").read_text(encoding="utf-8"))


async def test_20_the_host_keeps_what_the_guest_has_whatever_became_of_it(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    """Files and folders change places, links come between, and memory maps move no clock."""
    scripts = (
        "import os\nopen('a', 'w').write('1')\nos.mkdir('d')\nopen('d/x', 'w').write('1')\n"
        "open('m', 'w').write('old' * 2000)\nopen('k', 'w').write('1')",
        "import os\nos.unlink('a')\nos.mkdir('a')\nopen('a/b', 'w').write('2')\nos.unlink('d/x')\n"
        "os.rmdir('d')\nopen('d', 'w').write('2')",
        "import mmap\nfile = open('m', 'r+b')\nmmap.mmap(file.fileno(), 0)[:3] = b'NEW'",
        "import os\nos.unlink('k')\nos.symlink('/etc', 'k')",
        "import os\nos.unlink('k')\nopen('.incoming-x', 'w').write('x')",
    )
    async with _harmless(docker_session, docker_workspace, host):
        for source in scripts:
            await docker_session.write("attack.py", source)
            assert (await docker_session.run("attack.py")).succeeded
            out = docker_workspace.out
            kept = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
            guest = [file.path for file in await docker_session.list_outputs()]
            assert sorted(kept) == guest
            for path in guest:
                text = (await docker_session.excerpt(f"out/{path}")).text
                assert kept[path].read_text()[:100] == text[:100]


async def test_23_sparse_files_of_several_scripts_do_not_add_up(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    async with _harmless(docker_session, docker_workspace, host):
        await docker_session.write("attack.py", "import sys\nopen(sys.argv[1], 'wb').truncate(200 << 20)\n")
        kept = [(await docker_session.run("attack.py", arguments=[f"hole{n}"])).files for n in range(3)]
        assert [[file.path for file in files] for files in kept] == [["hole0"], [], []]
        taken = sum(path.stat().st_blocks * 512 for path in docker_workspace.out.glob("hole*"))
        assert taken < 1 << 20
    assert list(docker_workspace.out.glob("hole*")) == []


async def test_25_a_tree_too_deep_to_name_is_skipped_and_swept(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    async with _harmless(docker_session, docker_workspace, host):
        await _stage(docker_session, "25_deep_tree")
        result = await docker_session.run("attack.py", arguments=["1500"])
        assert (result.status, result.files) == (ExitStatus.OK, ()), result
        assert [skip.reason for skip in result.skipped] == ["its path is too long"]


async def test_25_the_longest_names_fit_into_the_protocol(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
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
    async with _harmless(docker_session, docker_workspace, host):
        await docker_session.write("attack.py", source)
        assert len((await docker_session.run("attack.py", arguments=["a"])).files) == 1960
        result = await docker_session.run("attack.py", arguments=["b"])
        assert (len(result.files), len(result.removed)) == (1960, 1960)
        assert len(await docker_session.list_outputs()) == 1960


async def test_38_excerpts_of_endless_lines_are_short(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    async with _harmless(docker_session, docker_workspace, host):
        await _stage(docker_session, "38_endless_lines")
        assert (await docker_session.run("attack.py")).succeeded
        for name in ("one_line.csv", "columns.csv", "marked.csv"):
            found = await docker_session.excerpt(f"out/{name}")
            assert found.cut
            assert len(found.text.encode()) <= 17 << 10


@pytest.mark.parametrize(
    "source",
    ["(" * 100_000, "-" * 100_000 + "1", "x = " + "[" * 90 + "]" * 90, "a" + ".b" * 50_000, "\n" * 200_000],
    ids=["brackets", "signs", "lists", "dots", "lines"],
)
async def test_38_a_source_that_breaks_the_checker_breaks_nothing_else(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host, source: str
) -> None:
    async with _harmless(docker_session, docker_workspace, host):
        for finding in await docker_session.write("attack.py", source):
            assert finding.message


async def test_40_what_is_on_its_way_in_sockets_does_not_outlive_its_script(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
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
rights = array.array('i', [*held, one.fileno(), two.fileno()])
one.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
"""
    usage = """
import os, shutil
paths = ('/sys/fs/cgroup/memory.stat', '/sys/fs/cgroup/memory/memory.stat')
stat = dict(line.split() for line in open(next(filter(os.path.exists, paths))))
print(int(stat['shmem']) >> 20, shutil.disk_usage('.').used >> 20)
"""
    async with _harmless(docker_session, docker_workspace, host):
        await docker_session.write("usage.py", usage)
        await docker_session.write("attack.py", source)
        for _ in range(2):
            assert (await docker_session.run("attack.py")).succeeded
            shared, used = map(int, (await docker_session.run("usage.py")).stdout.split())
            assert (shared < 50, used) == (True, 0)


async def test_47_the_head_and_the_tail_of_long_output_are_kept(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    async with _harmless(docker_session, docker_workspace, host):
        await _stage(docker_session, "47_long_output")
        result = await docker_session.run("attack.py")
        for text, dropped in (
            (result.stdout, result.stdout_dropped),
            (result.stderr, result.stderr_dropped),
        ):
            assert text.startswith("first\n")
            assert text.endswith("last\n")
            assert dropped == 300_012 - (64 << 10)
            assert f"{dropped:,} bytes cut" in text


async def test_60_nothing_that_a_script_plants_is_loaded_by_the_next(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    async with _harmless(docker_session, docker_workspace, host):
        await _stage(docker_session, "60_planted_modules")
        assert (await docker_session.run("attack.py", arguments=["plant"])).succeeded
        result = await docker_session.run("attack.py", arguments=["after"])
        assert json.loads(result.stdout or "null") == {
            "planted": [False] * 4,
            "niceness": 19,
            "resolution": [100.0, 100.0],
            "table": True,
        }, result


async def test_60_no_script_sees_the_font_cache_of_another(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    source = """
import mmap, os
[name] = [name for name in os.listdir('/tmp/mpl') if name.endswith('json')]
file = open(f'/tmp/mpl/{name}', 'r+b')
view = mmap.mmap(file.fileno(), 0)
place = view.find(b'DejaVuSans.ttf')
print(place > 0)
view[place:place + 6] = b'EvilVu'
"""
    async with _harmless(docker_session, docker_workspace, host):
        await docker_session.write("attack.py", source)
        for _ in range(2):
            assert (await docker_session.run("attack.py")).stdout == "True\n"


async def test_61_a_pickle_runs_in_the_sandbox_that_loads_it_and_nowhere_else(
    docker_session: SandboxSession, docker_workspace: Workspace, host: Host
) -> None:
    load = "import pickle\nopened = open('model.pkl', 'rb')\nprint(pickle.load(opened) != 0)\n"
    async with _harmless(docker_session, docker_workspace, host):
        await _stage(docker_session, "61_pickles")
        assert (await docker_session.run("attack.py")).succeeded
        await docker_session.write("load.py", load)
        result = await docker_session.run("load.py")
        assert result.stdout == "True\n", result  # os.system finds no shell
        assert result.files == ()
