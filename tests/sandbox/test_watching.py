"""Alerts of real scripts, the usage that stands beside them, and a language beside Python."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.alerts import AlertCode
from sandbox.docker import DockerSandbox
from sandbox.errors import UnsafeName
from sandbox.policy import Interpreter, Policy
from sandbox.session import ExitStatus, RunResult, SandboxSession, Workspace
from tests.conftest import changed, fresh_workspace

pytestmark = [pytest.mark.docker, pytest.mark.asyncio(loop_scope="session")]

PYX = Interpreter(suffix=".pyx", command=("/opt/venv/bin/python3", "-I", "-u"))
"""Python as if it were another language: started anew, with nothing of PID 1's."""
MISSING = Interpreter(suffix=".none", command=("/usr/bin/none",))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return fresh_workspace(tmp_path, "watched-1")


@pytest_asyncio.fixture(loop_scope="session")
async def session(
    docker_policy: Policy, docker_install: str, workspace: Workspace, tmp_path: Path
) -> AsyncIterator[SandboxSession]:
    policy = changed(docker_policy, "container", interpreters=(PYX, MISSING))
    policy = changed(policy, "commands", deny=("curl",))
    async with (
        DockerSandbox(policy, root=tmp_path / "data", install=docker_install) as sandbox,
        sandbox.lease(workspace) as session,
    ):
        yield session


async def _run(session: SandboxSession, source: str, name: str = "a.py", seconds: float = 20) -> RunResult:
    await session.write(name, source)
    return await session.run(name, time_limit=seconds)


def _raised(result: RunResult) -> dict[AlertCode, str]:
    return {alert.code: alert.detail for alert in result.alerts}


async def test_what_a_script_reaches_for_is_told_once_a_session(session: SandboxSession) -> None:
    source = """
import os, socket, subprocess
for attempt in (lambda: socket.create_connection(('host.invalid', 80)), lambda: subprocess.run(['sh']), lambda: os.system('curl x')):
    try:
        attempt()
    except OSError:
        pass
"""  # noqa: E501  # a script for the guest
    assert _raised(await _run(session, source)) == {
        AlertCode.SOCKET: "host.invalid:80",
        AlertCode.FORBIDDEN_COMMAND: "curl",
        AlertCode.UNLISTED_PROGRAM: "sh",
    }
    again = await _run(session, f"{source}os.kill(os.getpid(), 31)")
    assert _raised(again) == {AlertCode.SECCOMP_KILL: "SIGSYS"}


async def test_limits_and_strange_files_are_told(session: SandboxSession) -> None:
    source = r"""
import os, time
os.symlink('/etc/passwd', 'data.csv')
for name in ('a\u202etxt.exe', 'CON.txt'):
    open(name, 'w').write('x')
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
except OSError:
    pass
"""
    assert set(_raised(await _run(session, source))) == {
        AlertCode.PROCESS_LIMIT,
        AlertCode.FORGED_NAME,
        AlertCode.SPECIAL_FILE,
    }
    codes = [tuple(_raised(await _run(session, "while True: pass", seconds=0.2))) for _ in range(4)]
    assert codes == [(AlertCode.TIME_LIMIT,), (), (AlertCode.REPEATED_TIMEOUTS,), ()]


async def test_usage_is_told_with_every_result(session: SandboxSession) -> None:
    source = """
import subprocess, sys
open('kept', 'wb').write(bytes(5000))
subprocess.run([sys.executable, '-c', ''])
"""
    result = await _run(session, source)
    assert (result.processes, result.out_bytes, result.alerts) == (2, 8192, ())
    assert 0 < result.cpu_seconds <= result.seconds + 0.5
    assert result.peak_memory > 1 << 20


async def test_a_script_of_another_language_runs_by_its_interpreter_under_the_same_limits(
    session: SandboxSession, workspace: Workspace
) -> None:
    source = """
import os, sys
print(sys.argv, sorted(os.environ))
print('numpy' in sys.modules, os.getcwd(), os.read(0, 1))
open('made', 'w').write('x')
for path in ('/workspace/code/x', '/proc/self/oom_score_adj'):
    try:
        open(path, 'w').write('0')
    except OSError as error:
        print(error.errno)
sys.exit(3)
"""
    assert await session.write("a.pyx", "no Python, so not checked (") == ()
    assert await session.write("a.pyx", source) == ()
    result = await session.run("a.pyx", arguments=["x y"])
    assert result.stdout.splitlines() == [
        "['/workspace/code/a.pyx', 'x y'] ['HOME', 'LANG', 'PATH', 'TMPDIR']",
        "False /workspace/out b''",
        "30",
        "13",
    ]
    assert (result.status, result.exit_code, result.processes) == (ExitStatus.ERROR, 3, 1)
    assert [file.path for file in result.files] == ["made"]
    assert (workspace.code / "a.pyx").read_text() == source
    assert (await _run(session, "while True: pass", "b.pyx", seconds=0.5)).status is ExitStatus.TIMEOUT
    oom = await _run(session, "b = []\nwhile True: b.append(bytearray(16 << 20))", "c.pyx")
    assert oom.status is ExitStatus.OUT_OF_MEMORY
    missing = await _run(session, "", "a.none")
    assert (missing.status, missing.exit_code) == (ExitStatus.ERROR, 125)
    assert "the script could not be started: FileNotFoundError" in missing.stderr


async def test_a_language_that_the_policy_lacks_is_named_with_those_it_has(session: SandboxSession) -> None:
    with pytest.raises(UnsafeName, match=r"'a\.js' .* ending in \.py or \.pyx or \.none"):
        await session.write("a.js", "1")
    assert (await session.write("b.pyx", "\udcff"))[0].fatal
