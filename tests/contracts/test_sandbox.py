"""What every sandbox promises, the fake one and the real one alike."""

import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.client import SandboxClient
from sandbox.errors import NoSuchFile, NoSuchScript, SandboxUnavailable, UnsafeName
from sandbox.session import ExitStatus, InputFile, Sandbox, Workspace
from tests.fakes import FakeRun, FakeSandbox
from tests.serving import served

pytestmark = pytest.mark.asyncio(loop_scope="session")

HELLO = """
import os
print('hello')
os.makedirs('sub', exist_ok=True)
with open('sub/a.txt', 'w') as file:
    file.write('one\\ntwo\\n')
"""
HELLO_RUN = FakeRun(stdout="hello\n", files={"sub/a.txt": b"one\ntwo\n"})
TIDY = "import os\nos.remove('sub/a.txt')\n"
TIDY_RUN = FakeRun(removes=("sub/a.txt",))
BROKEN = "import sys\nprint('half', file=sys.stderr)\nsys.exit(3)\n"
BROKEN_RUN = FakeRun(stderr="half\n", exit_code=3)


@dataclass
class Bench:
    """A sandbox, and what its scripts will do where that must be told beforehand."""

    sandbox: Sandbox
    workspace: Workspace


@pytest.fixture(
    params=[
        "fake",
        "e2b",
        pytest.param("docker", marks=pytest.mark.docker),
        pytest.param("gvisor", marks=[pytest.mark.docker, pytest.mark.gvisor]),
    ]
)
def local(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Sandbox, Path]:
    """A sandbox in this process, and the folder that a service over it has for its own."""
    if request.param != "fake":
        sandbox = request.getfixturevalue(f"{request.param}_sandbox")
        return sandbox, request.getfixturevalue(f"{request.param}_root")
    fake = FakeSandbox()
    fake.plan("hello.py", HELLO_RUN)
    fake.plan("broken.py", BROKEN_RUN)
    fake.plan("tidy.py", TIDY_RUN)
    return fake, tmp_path / "service"


@pytest_asyncio.fixture(loop_scope="session", params=["direct", "client"])
async def bench(
    request: pytest.FixtureRequest, local: tuple[Sandbox, Path], tmp_path: Path
) -> AsyncIterator[Bench]:
    """Each of the two, directly and behind a service."""
    source = tmp_path / "upload"
    source.write_bytes("name,value\nä,1\nb,2\n".encode())
    workspace = Workspace(
        owner=f"contract-{secrets.token_hex(4)}-1",
        inputs=(InputFile(name="data.csv", source=source),),
        code=tmp_path / "code",
        out=tmp_path / "out",
    )
    sandbox, root = local
    if request.param == "direct":
        yield Bench(sandbox, workspace)
        return
    async with served(sandbox, root) as url, SandboxClient(url) as client:
        yield Bench(client, workspace)
    assert left_behind(root, tmp_path) == []


def left_behind(root: Path, base: Path) -> list[Path]:
    return [*(root / "spool").glob("*"), *base.glob(".arriving*")]


async def test_a_script_is_written_run_and_its_files_come_back(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        assert await session.write("hello.py", HELLO) == ()
        result = await session.run("hello.py")
        outputs = await session.list_outputs()
    assert (result.status, result.exit_code, result.succeeded) == (ExitStatus.OK, 0, True)
    assert (result.stdout, result.stderr) == ("hello\n", "")
    assert [(file.path, file.size) for file in result.files] == [("sub/a.txt", 8)]
    assert outputs == result.files
    assert (bench.workspace.out / "sub/a.txt").read_bytes() == b"one\ntwo\n"
    assert len(result.script_sha256) == 64
    assert (result.processes, result.alerts) == (1, ())
    assert result.out_bytes >= 8


async def test_a_failing_script_is_a_result(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        await session.write("broken.py", BROKEN)
        result = await session.run("broken.py")
    assert (result.status, result.exit_code, result.stderr) == (ExitStatus.ERROR, 3, "half\n")
    assert not result.succeeded
    assert not result.timed_out


async def test_a_script_with_a_syntax_error_is_not_staged(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        findings = await session.write("bad.py", "x = 1\nprint(x\n")
        with pytest.raises(NoSuchScript):
            await session.run("bad.py")
    assert [(finding.line, finding.fatal) for finding in findings] == [(2, True)]
    assert "SyntaxError" in findings[0].message
    assert not (bench.workspace.code / "bad.py").exists()


@pytest.mark.parametrize(
    "name", ["../x.py", "a/b.py", "x.txt", ".py", "", "x.py\n", "/etc/x.py", "-.py", "x\x00.py"]
)
async def test_a_name_that_is_no_plain_script_is_refused(name: str, tmp_path: Path) -> None:
    workspace = Workspace(owner="names-1", code=tmp_path / "code", out=tmp_path / "out")
    async with FakeSandbox().lease(workspace) as session:
        with pytest.raises(UnsafeName):
            await session.write(name, "print(1)")
        with pytest.raises(NoSuchScript):
            await session.run(name)


async def test_unsafe_names_and_unknown_paths_are_errors_of_the_caller(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        with pytest.raises(UnsafeName):
            await session.write("../x.py", "print(1)")
        with pytest.raises(NoSuchScript):
            await session.run("never.py")
        for path in (
            "input/none.csv",
            "../etc/passwd",
            "input",
            "etc/passwd",
            "input/../input/data.csv",
            "/input/data.csv",
        ):
            with pytest.raises(NoSuchFile):
                await session.excerpt(path)


async def test_inputs_are_listed_and_excerpts_are_bounded(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        inputs = await session.list_inputs()
        whole = await session.excerpt("input/data.csv")
        part = await session.excerpt("input/data.csv", first_line=2, lines=1)
    assert [(file.path, file.size) for file in inputs] == [("data.csv", 20)]
    assert (whole.text, whole.encoding, whole.total_lines, whole.cut) == (
        "name,value\nä,1\nb,2",
        "utf-8",
        3,
        False,
    )
    assert (part.text, part.first_line, part.size) == ("ä,1", 2, 20)


async def test_a_later_lease_finds_the_code_and_the_outputs_of_an_earlier_one(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        await session.write("hello.py", HELLO)
        await session.run("hello.py")
    async with bench.sandbox.lease(replace(bench.workspace, owner="contract-later-2")) as session:
        assert [file.path for file in await session.list_outputs()] == ["sub/a.txt"]
        assert (await session.excerpt("out/sub/a.txt")).text == "one\ntwo"
        again = await session.run("hello.py")
    assert again.succeeded
    assert [file.path for file in again.files] == ["sub/a.txt"]


async def test_a_file_that_a_script_removes_is_gone_everywhere(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        await session.write("hello.py", HELLO)
        await session.run("hello.py")
        await session.write("tidy.py", TIDY)
        result = await session.run("tidy.py")
        assert await session.list_outputs() == ()
    assert (result.files, result.removed) == ((), ("sub/a.txt",))
    assert not (bench.workspace.out / "sub/a.txt").exists()
    async with bench.sandbox.lease(bench.workspace) as session:
        assert await session.list_outputs() == ()


async def test_a_session_is_useless_after_its_lease(bench: Bench) -> None:
    async with bench.sandbox.lease(bench.workspace) as session:
        pass
    with pytest.raises(SandboxUnavailable):
        await session.write("hello.py", HELLO)
    with pytest.raises(SandboxUnavailable):
        await session.list_outputs()
