"""What is different under gVisor, where the sandbox's own kernel answers the script."""

from pathlib import Path

import pytest

from sandbox.docker import DockerSandbox
from sandbox.session import ExitStatus, RunResult
from tests.conftest import fresh_workspace

pytestmark = [pytest.mark.docker, pytest.mark.gvisor, pytest.mark.asyncio(loop_scope="session")]


async def run(sandbox: DockerSandbox, folder: Path, source: str, time_limit: float = 30) -> RunResult:
    async with sandbox.lease(fresh_workspace(folder, "gvisor-1")) as session:
        await session.write("a.py", source)
        return await session.run("a.py", time_limit=time_limit)


async def test_a_script_meets_another_kernel_than_the_hosts(
    gvisor_sandbox: DockerSandbox, tmp_path: Path
) -> None:
    result = await run(gvisor_sandbox, tmp_path, "print(open('/proc/cmdline').read())")
    assert "gvisor" in result.stdout


async def test_charts_threads_and_processes_work(gvisor_sandbox: DockerSandbox, tmp_path: Path) -> None:
    source = """
import multiprocessing, threading
import matplotlib.pyplot as plt, pandas as pd
if __name__ == "__main__":
    pd.DataFrame({"a": [1, 2]}).plot()
    plt.savefig("a.png")
    thread = threading.Thread(target=print, args=("thread",))
    thread.start()
    thread.join()
    with multiprocessing.Pool(2) as pool:
        print(pool.map(abs, [-1, -2]))
"""
    result = await run(gvisor_sandbox, tmp_path, source)
    assert (result.status, result.stdout) == (ExitStatus.OK, "thread\n[1, 2]\n"), result.stderr
    assert [file.path for file in result.files] == ["a.png"]


async def test_the_network_and_other_folders_are_out_of_reach(
    gvisor_sandbox: DockerSandbox, tmp_path: Path
) -> None:
    source = """
import os, socket
for path in ("/x", "/workspace/code/x", "/workspace/input/x", "/opt/x"):
    try:
        open(path, "w")
    except OSError:
        print("refused")
try:
    socket.create_connection(("192.0.2.1", 80), 2)
except OSError as error:
    print(error.errno)
"""
    result = await run(gvisor_sandbox, tmp_path, source)
    assert result.stdout == "refused\n" * 4 + "101\n"


async def test_a_timeout_is_a_timeout(gvisor_sandbox: DockerSandbox, tmp_path: Path) -> None:
    assert (await run(gvisor_sandbox, tmp_path, "while True: pass", 1)).status is ExitStatus.TIMEOUT


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("b = []\nwhile True: b.append(bytearray(16 << 20))", id="memory"),
        pytest.param("import os\nos.kill(1, 9)\nprint('alive')", id="kill"),
    ],
)
async def test_a_script_that_kills_its_sandbox_hurts_nobody_else(
    gvisor_sandbox: DockerSandbox, tmp_path: Path, source: str
) -> None:
    """Under runc neither ends the session; here the whole sandbox goes, and that is the script's result."""
    result = await run(gvisor_sandbox, tmp_path, source)
    assert (result.status, result.exit_code) == (ExitStatus.OUT_OF_MEMORY, 137)
    assert (await run(gvisor_sandbox, tmp_path, "print(1)")).stdout == "1\n"
