"""The program as a process: what ends it from outside."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from bot.settings import Settings
from bot.stores import open_store
from storage.records import RunStatus

ROOT = Path(__file__).parents[2]

SLOW_IMPORT = """
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "bot.cli":
            print("importing", flush=True)
            time.sleep(30)
sys.meta_path.insert(0, Slow())
from bot.__main__ import main
main()
"""

LONG_RUN = """
import asyncio, sys
from agent.events import PlanChanged
from agent.plan import Plan, Todo
from bot.app import open_app
from bot.chat import ChatRef
from bot.entry import interruptible, start
from bot.service import told
from bot.terminal import Terminal

class Talkative:
    async def run(self, run_id):
        for count in range(10_000):
            yield PlanChanged(run_id=run_id, plan=Plan(todos=(Todo(id="a", title=f"step {count}"),)))
            await asyncio.sleep(0.05)

async def body(session):
    terminal = Terminal(session.screen, session.t, ChatRef("terminal", "t1"))
    async with open_app(session.settings, {"terminal": terminal}, agent=Talkative()) as app:
        with interruptible(app, session):
            return await told(app, session, await app.gateway.accept(terminal.incoming("explore", [])))

sys.exit(start(body))
"""


def begin(code: str, folder: Path, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DECKHAND_DATA": str(folder / "data")},
        stdout=stdout,
        stderr=stderr,
    )


def test_ctrl_c_during_the_imports_leaves_without_a_traceback(tmp_path: Path) -> None:
    with begin(SLOW_IMPORT, tmp_path, subprocess.PIPE, subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"importing\n"
        program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=20)
    assert (program.returncode, said) == (130, b"")


async def test_a_reader_that_leaves_ends_the_run_within_seconds(tmp_path: Path) -> None:
    """As in `deckhand ask … 2>&1 | head -1`."""
    reader, writer = os.pipe()
    with begin(LONG_RUN, tmp_path, writer, writer) as program:
        os.close(writer)
        with os.fdopen(reader, "rb", buffering=0) as pipe:
            assert pipe.read(1)
        assert program.wait(timeout=30) == 1
    async with open_store(Settings(deckhand_data=tmp_path / "data")) as store:
        assert [run.status for run in await store.runs.list()] == [RunStatus.CANCELLED]


def test_without_an_output_nothing_is_begun(tmp_path: Path) -> None:
    command = f"exec {sys.executable} -m bot ask hello >&-"
    ended = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DECKHAND_DATA": str(tmp_path / "data")},
        stderr=subprocess.PIPE,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (1, b"")
    assert not (tmp_path / "data").exists()
