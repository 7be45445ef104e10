"""A lease from its beginning to its end, whatever goes wrong in between."""

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.docker import DockerSandbox
from sandbox.engine import Deadlines, Engine
from sandbox.errors import ImageMissing, SandboxUnavailable
from sandbox.policy import DEFAULT_NAME, Policy
from sandbox.session import ExitStatus, InputFile, SandboxSession, Workspace
from tests.conftest import changed, containers, fresh_workspace, until

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def impatient(
    docker_policy: Policy, docker_install: str, tmp_path: Path
) -> AsyncIterator[DockerSandbox]:
    """A sandbox of its own folder with one second of grace; at the end nothing of it is left."""
    policy = changed(docker_policy, "resources", grace=1.0)
    async with DockerSandbox(
        {DEFAULT_NAME: policy}, root=tmp_path / "data", install=docker_install
    ) as sandbox:
        yield sandbox
    assert list((tmp_path / "data" / "leases").glob("*")) == []


async def _docker(*arguments: str) -> None:
    process = await asyncio.create_subprocess_exec("docker", *arguments, stdout=subprocess.DEVNULL)
    assert await process.wait() == 0


def _name(install: str, workspace: Workspace) -> str:
    return f"{install}-{workspace.owner}"


async def test_the_host_ends_a_container_that_does_not_answer(
    impatient: DockerSandbox, docker_install: str, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path, "frozen-1")
    async with impatient.lease(workspace) as session:
        await session.write("a.py", "import time\ntime.sleep(60)")
        running = asyncio.create_task(session.run("a.py", time_limit=1))
        await asyncio.sleep(0.3)
        await _docker("pause", _name(docker_install, workspace))
        began = time.monotonic()
        assert (await running).status is ExitStatus.TIMEOUT
        assert time.monotonic() - began < 4
        assert _name(docker_install, workspace) not in containers(docker_install)
        with pytest.raises(SandboxUnavailable, match="the sandbox was ended since its script went on"):
            await session.list_outputs()


async def test_a_killed_container_is_unavailable_not_a_result(
    impatient: DockerSandbox, docker_install: str, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path, "killed-1")
    async with impatient.lease(workspace) as session:
        await session.write("a.py", "import time\ntime.sleep(60)")
        running = asyncio.create_task(session.run("a.py"))
        await asyncio.sleep(0.3)
        await _docker("kill", _name(docker_install, workspace))
        with pytest.raises(SandboxUnavailable, match="ended without an answer"):
            await running


async def test_cancelling_the_owner_destroys_the_container(
    impatient: DockerSandbox, docker_install: str, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path, "cancelled-1")
    leased = asyncio.Event()

    async def work() -> None:
        async with impatient.lease(workspace) as session:
            await session.write("a.py", "while True: pass")
            leased.set()
            await session.run("a.py")

    task = asyncio.create_task(work())
    await leased.wait()
    await asyncio.sleep(0.2)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()  # an impatient second Ctrl-C does not stop the clearing up
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _name(docker_install, workspace) not in containers(docker_install)


async def test_a_cancelled_start_leaves_nothing(
    impatient: DockerSandbox, docker_install: str, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path, "early-1")

    async def work() -> None:
        async with impatient.lease(workspace):
            pytest.fail("it should not come this far")

    for seconds in (0.02, 0.1, 0.3):
        task = asyncio.create_task(work())
        await asyncio.sleep(seconds)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert _name(docker_install, workspace) not in containers(docker_install)


async def test_two_leases_at_once_are_apart(
    impatient: DockerSandbox, docker_install: str, tmp_path: Path
) -> None:
    first, second = fresh_workspace(tmp_path / "1", "apart-1"), fresh_workspace(tmp_path / "2", "apart-2")
    source = "import os\nprint(os.getuid())\nopen('mine', 'w').write('x')\nprint(os.listdir('.'))\n"
    async with impatient.lease(first) as one, impatient.lease(second) as two:
        assert {_name(docker_install, first), _name(docker_install, second)} <= set(
            containers(docker_install)
        )
        with pytest.raises(SandboxUnavailable, match="exists already"):
            async with impatient.lease(first):
                pytest.fail("one owner, one container")
        results = []
        for session in (one, two):
            await session.write("a.py", source)
            results.append((await session.run("a.py")).stdout.splitlines())
    assert results[0][0] != results[1][0]
    assert results[0][1] == results[1][1] == "['mine']"


async def test_skills_are_importable_and_arguments_arrive(impatient: DockerSandbox, tmp_path: Path) -> None:
    skill = tmp_path / "charts"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts" / "deckhand_charts.py").write_text("def double(x):\n    return 2 * x\n")
    workspace = replace(fresh_workspace(tmp_path, "skills-1"), skills=(skill,))
    async with impatient.lease(workspace) as session:
        await session.write("helper.py", "VALUE = 4\n")
        source = (
            "import sys\nfrom deckhand_charts import double\nimport helper\n"
            "print(double(helper.VALUE), sys.argv[1:])\n"
        )
        assert await session.write("a.py", source) == ()
        result = await session.run("a.py", arguments=["--x", "ж y", "\n"])
        assert result.stdout == "8 ['--x', 'ж y', '\\n']\n"
        assert (
            await session.excerpt("skills/charts/scripts/deckhand_charts.py", lines=1)
        ).text == "def double(x):"
        assert (await session.excerpt("code/a.py", lines=1)).text == "import sys"


async def test_memory_full_of_files_leaves_room_for_the_next_script(
    impatient: DockerSandbox, tmp_path: Path
) -> None:
    fill = """
import os
for base, names in (('/workspace/out', 0), ('/tmp', 10**6), ('/dev/shm', 10**6)):
    try:
        for n in range(names):
            os.close(os.open(f'{base}/{n}', os.O_CREAT))
    except OSError:
        os.unlink(f'{base}/0')
    try:
        with open(f'{base}/big', 'wb') as f:
            while True:
                f.write(bytes(1 << 20))
    except OSError:
        pass
b = []
while True:
    b.append(bytearray(16 << 20))
"""
    async with impatient.lease(fresh_workspace(tmp_path, "full-1")) as session:
        await session.write("fill.py", fill)
        assert (await session.run("fill.py")).status is ExitStatus.OUT_OF_MEMORY
        await session.write("after.py", "import os\nprint(len(os.listdir('/tmp')), os.listdir('/dev/shm'))")
        assert (await session.run("after.py")).stdout == "1 []\n"


async def test_outputs_that_do_not_fit_again_are_told_and_keep_nobody_from_working(
    impatient: DockerSandbox, tmp_path: Path
) -> None:
    workspace = fresh_workspace(tmp_path, "toomuch-1")
    workspace.out.mkdir()
    with (workspace.out / "big").open("wb") as file:
        file.truncate(257 << 20)
    (workspace.out / "small").write_text("x")
    async with impatient.lease(workspace) as session:
        assert [file.path for file in await session.list_outputs()] == ["small"]
        await session.write("a.py", "print(1)")
        [skipped] = (await session.run("a.py")).skipped
        assert skipped.path == "big"
        assert "too large together with the others" in skipped.reason
        assert (await session.run("a.py")).skipped == ()
    assert (workspace.out / "big").exists()


async def test_a_cancelled_preparation_leaves_no_copies(
    docker_policy: Policy, docker_install: str, tmp_path: Path
) -> None:
    """A thread that copies goes on after a cancellation; what it makes must go all the same."""
    source = tmp_path / "upload"
    with source.open("wb") as file:
        file.truncate(100 << 20)
    source.chmod(0o600)  # so that it is copied, not linked
    workspace = replace(
        fresh_workspace(tmp_path, "early-2"), inputs=(InputFile(name="a.csv", source=source),)
    )
    policy = changed(docker_policy, "pool", size=3)
    async with DockerSandbox(
        {DEFAULT_NAME: policy}, root=tmp_path / "data", install=docker_install
    ) as sandbox:

        async def work() -> None:
            async with sandbox.lease(workspace):
                pytest.fail("it should not come this far")

        await until(lambda: sandbox.stats().ready == 3)
        for seconds in (0, 0.002, 0.02):
            task = asyncio.create_task(work())
            await asyncio.sleep(seconds)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert list((tmp_path / "data" / "leases").glob("*/input/*")) == []


async def test_a_session_ends_at_its_limit(
    docker_policy: Policy, docker_install: str, tmp_path: Path
) -> None:
    policy = changed(docker_policy, "resources", session=0.5)
    workspace = fresh_workspace(tmp_path, "old-1")
    async with (
        DockerSandbox({DEFAULT_NAME: policy}, root=tmp_path, install=docker_install) as sandbox,
        sandbox.lease(workspace) as session,
    ):
        await asyncio.sleep(0.6)
        with pytest.raises(SandboxUnavailable, match=r"resources\.session"):
            await session.list_outputs()
        assert _name(docker_install, workspace) not in containers(docker_install)


async def test_a_missing_image_is_named(docker_policy: Policy, docker_install: str, tmp_path: Path) -> None:
    policy = changed(docker_policy, "container", image="deckhand-none:0")
    async with DockerSandbox({DEFAULT_NAME: policy}, root=tmp_path, install=docker_install) as sandbox:
        with pytest.raises(ImageMissing, match="deckhand-none:0"):
            async with sandbox.lease(fresh_workspace(tmp_path, "none-1")):
                pytest.fail("it should not come this far")


async def test_no_engine_is_a_clear_error(
    docker_policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    async with DockerSandbox({DEFAULT_NAME: docker_policy}, root=tmp_path, install="none") as sandbox:
        with pytest.raises(SandboxUnavailable, match="no Docker engine answers"):
            async with sandbox.lease(fresh_workspace(tmp_path, "none-1")):
                pytest.fail("it should not come this far")


async def test_a_wedged_engine_is_given_up_on(docker_policy: Policy, tmp_path: Path) -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_unix_server(mute, str(tmp_path / "mute.sock"))
    engine = Engine(f"unix://{tmp_path}/mute.sock", deadlines=Deadlines(call=0.2))
    sandbox = DockerSandbox({DEFAULT_NAME: docker_policy}, root=tmp_path, install="mute", engine=engine)
    async with server, sandbox:
        with pytest.raises(SandboxUnavailable, match="did not answer in time"):
            async with sandbox.lease(fresh_workspace(tmp_path, "mute-1")):
                pytest.fail("it should not come this far")


async def test_figures_print_as_figures_and_libraries_do_not_lecture(docker_session: SandboxSession) -> None:
    await docker_session.write(
        "quiet.py",
        "import warnings, numpy as np\n"
        "for kind in (DeprecationWarning, FutureWarning):\n"
        "    warnings.warn('old', kind)\n"
        "print([np.float64(3.5)], {'n': np.int64(2)})\n",
    )
    result = await docker_session.run("quiet.py")
    assert (result.stdout, result.stderr) == ("[3.5] {'n': 2}\n", "")
