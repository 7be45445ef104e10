"""The client for code that does not await."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from anyio.from_thread import start_blocking_portal

from sandbox.errors import NoSuchFile, SandboxUnavailable
from sandbox.session import ExitStatus
from sandbox.sync import SyncSandbox
from tests.fakes import FakeRun, FakeSandbox
from tests.serving import served


@pytest.fixture
def fake() -> FakeSandbox:
    return FakeSandbox(otherwise=lambda source: FakeRun(stdout=source, files={"a/b.txt": source.encode()}))


@pytest.fixture
def url(fake: FakeSandbox, tmp_path: Path) -> Iterator[str]:
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(served(fake, tmp_path)) as url,
    ):
        yield url


def test_code_runs_and_its_files_can_be_had(url: str, fake: FakeSandbox, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a,b")
    with SyncSandbox(url, inputs={"data.csv": tmp_path / "data"}) as sandbox:
        assert fake.sessions[0].workspace.inputs[0].source.read_text() == "a,b"
        first, second = sandbox.run("print(1)"), sandbox.run("print(2)", time_limit=3)
        assert (first.stdout, second.stdout) == ("print(1)", "print(2)")
        assert [(file.path, file.size) for file in sandbox.list_files()] == [("a/b.txt", 8)]
        assert sandbox.get_file("a/b.txt") == b"print(2)"
        for path in ("none", "a", "../code/script_1.py"):
            with pytest.raises(NoSuchFile):
                sandbox.get_file(path)
    assert fake.live == 0
    with pytest.raises(SandboxUnavailable, match="not open"):
        sandbox.run("print(3)")


def test_code_that_would_fail_for_certain_is_a_failed_run(url: str) -> None:
    with SyncSandbox(url) as sandbox:
        result = sandbox.run("print(")
    assert (result.status, result.exit_code) == (ExitStatus.ERROR, 1)
    assert result.stderr.startswith("line 1: SyntaxError")


def test_calls_of_several_threads_take_turns(url: str, fake: FakeSandbox) -> None:
    sources = [f"print({number})" for number in range(8)]
    together = Barrier(len(sources))
    with SyncSandbox(url) as sandbox, ThreadPoolExecutor(len(sources)) as threads:

        def run(source: str) -> str:
            together.wait()
            return sandbox.run(source).stdout

        assert [*threads.map(run, sources)] == sources
        names = [f"script_{number}.py" for number in range(1, len(sources) + 1)]
        assert [name for name, _ in fake.sessions[0].runs] == names
        assert fake.sessions[0].calls == [call for name in names for call in (("write", name), ("run", name))]


def test_no_service_is_told_at_the_beginning(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="cannot be reached"), SyncSandbox(f"unix://{tmp_path}/none"):
        pass
