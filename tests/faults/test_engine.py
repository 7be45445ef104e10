"""The engine dies, hangs or loses something in the middle of the work: each ends in the documented result
within its deadline, and nothing is left behind."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from agent.models import ModelSettings, build_models
from sandbox.docker import DockerSandbox
from sandbox.engine import Deadlines, Engine
from sandbox.errors import ImageMissing, SandboxUnavailable
from sandbox.session import InputFile, SandboxSession
from skills.catalog import SkillCatalog
from storage.records import RunStatus
from tests.agent.line import open_line
from tests.conftest import changed
from tests.e2e.product import until
from tests.faults.conftest import HASTY, Place

pytestmark = [pytest.mark.docker, pytest.mark.faults]

SLEEP = "import time\nprint('up', flush=True)\ntime.sleep(60)\n"
HELLO = "print('hello')\nopen('hello.txt', 'w').write('hello')\n"


async def works(sandbox: DockerSandbox, place: Place, owner: str = "after-1") -> None:
    async with sandbox.lease(place.workspace(owner)) as session:
        await session.write("hello.py", HELLO)
        result = await session.run("hello.py")
    assert (result.stdout, [file.path for file in result.files]) == ("hello\n", ["hello.txt"])


@asynccontextmanager
async def within(seconds: float) -> AsyncGenerator[None]:
    """The block ends by itself: nobody cancels it."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


async def sleeping(
    session: SandboxSession, place: Place, time_limit: float | None = None
) -> "asyncio.Task[object]":
    """A run in the middle of its script."""
    await session.write("sleep.py", f"import os\nos.fork()\n{SLEEP}")
    before = place.engine.docker("top", place.container()).count("\n")
    running = asyncio.create_task(session.run("sleep.py", time_limit=time_limit))
    await until(lambda: place.engine.docker("top", place.container()).count("\n") > before, within=10)
    return running


@asynccontextmanager
async def wedging(
    place: Place, deadlines: Deadlines | None = None, pool: int = 0
) -> AsyncGenerator[tuple[DockerSandbox, Callable[[], None]]]:
    """A sandbox, and what makes its engine wedge. Afterwards the engine goes on, and the sandbox must too."""
    connection = Engine(place.engine.url, deadlines=deadlines or Deadlines(aside=HASTY.aside))
    policy = changed(place.policy, "pool", size=pool)

    def wedge() -> None:
        place.engine.freeze()
        connection.deadlines = HASTY  # only now, since the machine may be busy

    async with place.sandbox(policy, over=connection) as sandbox:
        yield sandbox, wedge
        assert sandbox.stats().leased == 0
        place.engine.thaw()
        connection.deadlines = Deadlines()
        await works(sandbox, place)


async def test_an_engine_killed_in_the_middle_of_a_run_is_unavailable_and_works_when_it_is_back(
    place: Place,
) -> None:
    async with place.sandbox() as sandbox:
        async with sandbox.lease(place.workspace()) as session:
            running = await sleeping(session, place)
            place.engine.kill()
            async with within(2):
                with pytest.raises(SandboxUnavailable):
                    await running
            with pytest.raises(SandboxUnavailable, match="gone since running a script failed"):
                await session.list_outputs()
        assert sandbox.stats().leased == 0
        place.engine.start()
        await works(sandbox, place)


async def test_an_engine_restarted_under_an_idle_session_ends_that_session_alone(place: Place) -> None:
    async with place.sandbox() as sandbox:
        async with sandbox.lease(place.workspace()) as session:
            await session.write("hello.py", HELLO)
            place.engine.restart()
            with pytest.raises(SandboxUnavailable):
                await session.run("hello.py")
        await works(sandbox, place)


@pytest.mark.parametrize("moment", [0.03, 0.15, 0.3, 0.6])
async def test_an_engine_killed_while_a_lease_starts_leaves_no_lease(place: Place, moment: float) -> None:
    async def work() -> None:
        async with sandbox.lease(place.workspace()) as session:
            await session.list_outputs()
            await asyncio.sleep(moment)
            await session.list_outputs()  # the lease may have been quicker

    async with place.sandbox() as sandbox:
        lease = asyncio.create_task(work())
        await asyncio.sleep(moment)
        place.engine.kill()
        async with within(5):
            with pytest.raises(SandboxUnavailable):
                await lease
        place.engine.start()
        await works(sandbox, place)


async def test_an_engine_killed_while_files_are_copied_leaves_whole_files_only(place: Place) -> None:
    source = "import os\nfor n in range(8):\n    open(f'{n}.bin', 'wb').write(os.urandom(24 << 20))\n"
    async with place.sandbox() as sandbox:
        async with sandbox.lease(place.workspace()) as session:
            await session.write("many.py", source)
            running = asyncio.create_task(session.run("many.py"))
            await until(lambda: (place.root / "run/out/1.bin").exists())
            place.engine.kill()
            with pytest.raises(SandboxUnavailable):
                await running
        copied = list((place.root / "run/out").iterdir())
        assert 2 <= len(copied) < 8
        assert {file.stat().st_size for file in copied} == {24 << 20}
        place.engine.start()
        for file in copied:
            file.unlink()
        await works(sandbox, place)


async def test_a_wedged_engine_cannot_hold_a_lease_up(place: Place) -> None:
    async with wedging(place) as (sandbox, wedge):
        wedge()
        async with within(2 * HASTY.call):
            with pytest.raises(SandboxUnavailable, match="in time while looking for the image"):
                async with sandbox.lease(place.workspace()):
                    pytest.fail("it should not come this far")
        assert place.leases() == []


@pytest.mark.parametrize("moment", [0.1, 0.4])
async def test_an_engine_that_wedges_while_a_lease_starts_is_given_up_on(place: Place, moment: float) -> None:
    async def work() -> None:
        async with sandbox.lease(place.workspace()) as session:
            await wedged.wait()
            await session.list_outputs()  # the lease may have been quicker

    wedged = asyncio.Event()
    async with wedging(place, HASTY) as (sandbox, wedge):
        lease = asyncio.create_task(work())
        await asyncio.sleep(moment)
        wedge()
        wedged.set()
        async with within(HASTY.start + 4 * HASTY.call):
            with pytest.raises(SandboxUnavailable):
                await lease


async def test_a_wedged_engine_cannot_hold_a_run_or_its_lease_up(place: Place) -> None:
    async with wedging(place) as (sandbox, wedge), sandbox.lease(place.workspace()) as session:
        running = await sleeping(session, place, time_limit=2)
        wedge()
        async with within(2 + place.policy.resources.grace + 2 * HASTY.call):
            with pytest.raises(SandboxUnavailable, match="neither the sandbox nor its engine has answered"):
                await running


async def test_a_wedged_engine_cannot_hold_a_check_up(place: Place) -> None:
    async with wedging(place) as (sandbox, wedge), sandbox.lease(place.workspace()) as session:
        wedge()
        async with within(HASTY.aside + 2 * HASTY.call):
            with pytest.raises(SandboxUnavailable, match="did not answer in time while checking a script"):
                await session.write("hello.py", HELLO)


async def test_an_image_that_vanished_is_named(place: Place) -> None:
    image = "deckhand-vanishing:1"
    place.engine.docker("tag", str(place.policy.container.image), image)
    async with place.sandbox(changed(place.policy, "container", image=image)) as sandbox:
        await works(sandbox, place, "before-1")
        place.engine.docker("image", "rm", "--force", image)
        with pytest.raises(ImageMissing, match=image):
            async with sandbox.lease(place.workspace()):
                pytest.fail("it should not come this far")


async def test_a_container_removed_from_outside_ends_its_run_alone(place: Place) -> None:
    async with place.sandbox() as sandbox:
        async with (
            sandbox.lease(place.workspace()) as session,
            sandbox.lease(replace(place.workspace("other-1"), out=place.root / "other")) as other,
        ):
            running = await sleeping(session, place)
            place.engine.docker("rm", "--force", place.container())
            async with within(2):
                with pytest.raises(SandboxUnavailable, match="ended without an answer"):
                    await running
            await other.write("hello.py", HELLO)
            assert (await other.run("hello.py")).succeeded
        await works(sandbox, place)


async def test_a_vanished_socket_is_named_and_what_it_left_is_removed_later(place: Place) -> None:
    hidden = place.engine.socket.with_name("hidden")
    async with place.sandbox() as sandbox:
        async with sandbox.lease(place.workspace()):
            place.engine.socket.rename(hidden)
        async with place.sandbox() as later:
            with pytest.raises(SandboxUnavailable, match="no Docker engine answers"):
                async with later.lease(place.workspace("late-1")):
                    pytest.fail("it should not come this far")
        hidden.rename(place.engine.socket)
        await works(sandbox, place)


async def test_warm_containers_that_died_with_the_engine_are_replaced_when_it_is_back(place: Place) -> None:
    async with place.sandbox(changed(place.policy, "pool", size=2)) as sandbox:
        await until(lambda: sandbox.stats().ready == 2)
        place.engine.kill()
        await until(lambda: sandbox.stats().ready == 0, within=5)
        with pytest.raises(SandboxUnavailable, match="no Docker engine answers"):
            async with sandbox.lease(place.workspace()):
                pytest.fail("it should not come this far")
        place.engine.start()
        await until(lambda: sandbox.stats().ready == 2)
        await works(sandbox, place)
        assert sandbox.stats().warm_leases == 1


async def test_a_warm_container_removed_from_outside_is_replaced(place: Place) -> None:
    async with place.sandbox(changed(place.policy, "pool", size=1)) as sandbox:
        await until(lambda: sandbox.stats().ready == 1)
        [before] = place.engine.containers()
        place.engine.docker("rm", "--force", before)
        await until(lambda: sandbox.stats().ready == 1 and place.engine.containers() not in ([], [before]))
        await works(sandbox, place)


async def test_a_wedged_engine_cannot_hold_a_warm_lease_up(place: Place) -> None:
    async with wedging(place, pool=1) as (sandbox, wedge):
        await until(lambda: sandbox.stats().ready == 1)
        wedge()
        async with within(6 * HASTY.call):
            with pytest.raises(SandboxUnavailable, match="did not answer in time"):
                async with sandbox.lease(place.workspace()):
                    pytest.fail("it should not come this far")


async def test_a_container_that_its_engine_has_lost_ends_by_itself(place: Place) -> None:
    """An engine killed in the middle of a start may forget a running container: nobody then speaks to it."""
    impatient = "from guest import loop; loop._GREETING_SECONDS = 0.5; loop.main()"
    command = ("/opt/venv/bin/python", "-I", "-c", f"import sys; sys.path.insert(0, '/opt'); {impatient}")
    image = str(place.policy.container.image)
    place.engine.docker("create", "--interactive", "--network=none", "--name=lost", image, *command)
    place.engine.docker("start", "lost")
    assert place.engine.docker("wait", "lost") == "0"
    place.engine.docker("rm", "lost")


async def test_a_run_whose_engine_restarts_in_the_middle_finishes_in_a_fresh_container(
    place: Place, tmp_path: Path
) -> None:
    def scripts() -> int:
        return line.kinds().count("ToolStarted")

    content = b"name,value\n" + b"".join(b"n%d,%d\n" % (n, n * n) for n in range(60))
    async with (
        place.sandbox() as sandbox,
        open_line(
            tmp_path / "data", build_models(ModelSettings()), sandbox, catalog=SkillCatalog.load()
        ) as line,
    ):
        run_id = await line.ask("Explore this data and make a deck", [("data.csv", content)])
        running = asyncio.create_task(line.run(run_id))
        await until(lambda: scripts() > 1 and place.engine.docker("ps", "--quiet"))
        place.engine.restart()
        assert not running.done()
        run = await running
    assert run.status is RunStatus.FINISHED, run.answer
    assert list((tmp_path / "data/runs" / run_id / "out").glob("*.pptx"))


_HOLDER = """
import asyncio, sys
from pathlib import Path
from sandbox.docker import DockerSandbox
from sandbox.policyfile import load_policies
from sandbox.session import Workspace

async def main(root, install):
    workspace = Workspace(owner='todo-1', code=Path(root, 'code'), out=Path(root, 'out'))
    async with DockerSandbox(load_policies(), root=Path(root), install=install) as sandbox:
        async with sandbox.lease(workspace) as session:
            await session.write('spin.py', 'while True: pass')
            print('leased', flush=True)
            await session.run('spin.py')

asyncio.run(main(*sys.argv[1:]))
"""


async def test_what_a_killed_owner_left_is_removed_also_when_the_engine_has_restarted_meanwhile(
    place: Place,
) -> None:
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _HOLDER, str(place.root), place.install),
        env={"DOCKER_HOST": place.engine.url, "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"leased\n"
    place.engine.kill()
    holder.kill()
    await holder.communicate()
    assert place.leases()
    place.engine.start()
    async with place.sandbox() as sandbox:
        assert place.leases() == []
        assert place.engine.containers() == []
        await works(sandbox, place)


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass


async def test_inputs_that_the_disk_does_not_hold_make_no_lease(
    place: Place, small_disk: Path, tmp_path: Path
) -> None:
    upload = tmp_path / "upload.csv"
    upload.write_bytes(b"x" * (32 << 20))
    upload.chmod(0o600)
    workspace = replace(place.workspace(), inputs=(InputFile(name="a.csv", source=upload),))
    async with place.sandbox() as sandbox:
        with pytest.raises(SandboxUnavailable, match=r"folder could not be prepared: .*No space left"):
            async with sandbox.lease(workspace):
                pytest.fail("it should not come this far")
        assert place.leases() == []
        await works(sandbox, place)


async def test_outputs_that_the_disk_does_not_hold_are_told_and_come_when_there_is_room(
    place: Place, small_disk: Path
) -> None:
    source = "open('small.txt', 'w').write('small')\nopen('zlarge.bin', 'wb').write(b'x' * (16 << 20))\n"
    ballast = small_disk / "ballast"
    async with place.sandbox() as sandbox, sandbox.lease(place.workspace()) as session:
        ballast.write_bytes(b"x" * (12 << 20))
        await session.write("a.py", source)
        await session.write("nothing.py", "")
        result = await session.run("a.py")
        assert [file.path for file in result.files] == ["small.txt"]
        assert [(file.path, file.reason) for file in result.skipped] == [
            ("zlarge.bin", "cannot be stored: No space left on device")
        ]
        assert [file.name for file in (small_disk / "run/out").iterdir()] == ["small.txt"]
        ballast.unlink()
        assert [file.path for file in (await session.run("nothing.py")).files] == ["zlarge.bin"]


async def test_a_script_that_the_disk_does_not_hold_is_not_half_written(
    place: Place, small_disk: Path
) -> None:
    ballast = small_disk / "ballast"
    async with place.sandbox() as sandbox, sandbox.lease(place.workspace()) as session:
        fill(ballast)
        with pytest.raises(SandboxUnavailable, match=r"the script a\.py could not be stored"):
            await session.write("a.py", "x = 1\n" * 4000)
        ballast.unlink()
        assert await session.write("a.py", "print(1)") == ()
        assert (await session.run("a.py")).stdout == "1\n"
    assert [file.name for file in (place.root / "run/code").iterdir()] == ["a.py"]
