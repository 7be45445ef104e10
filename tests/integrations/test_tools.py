"""The tools of other frameworks: each is used as its docstring shows, over a real service."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from langchain_core.messages import ToolCall
from llama_index.core.tools.types import ToolOutput

from sandbox.errors import SandboxUnavailable
from sandbox.integrations import langchain, llamaindex
from sandbox.integrations.report import report
from sandbox.session import ExitStatus, FileEntry, RunResult, SkippedFile
from sandbox.sync import SyncSandbox
from tests.fakes import FakeRun, FakeSandbox
from tests.serving import served

ANSWER = "status: ok (exit code 0)\nstdout:\n42\n\nmade: a.txt (2 bytes)"


@pytest.fixture
def fake() -> FakeSandbox:
    return FakeSandbox(otherwise=lambda source: FakeRun(stdout="42\n", files={"a.txt": b"42"}))


@pytest.fixture
def sandbox(fake: FakeSandbox, tmp_path: Path) -> Iterator[SyncSandbox]:
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(served(fake, tmp_path)) as url,
        SyncSandbox(url) as sandbox,
    ):
        yield sandbox


def test_langchain_can_run_python(sandbox: SyncSandbox) -> None:
    tool = langchain.python_tool(sandbox)
    assert tool.name == "run_python"
    assert [*tool.args] == ["source"]
    call = ToolCall(name=tool.name, args={"source": "print(6 * 7)"}, id="1", type="tool_call")
    assert tool.invoke(call).content == ANSWER


async def test_langchain_can_await_it(sandbox: SyncSandbox) -> None:
    assert await langchain.python_tool(sandbox).ainvoke({"source": "print(6 * 7)"}) == ANSWER


def test_llamaindex_can_run_python(sandbox: SyncSandbox) -> None:
    tool = llamaindex.python_tool(sandbox)
    assert tool.metadata.name == "run_python"
    assert [*tool.metadata.get_parameters_dict()["properties"]] == ["source"]
    output = tool.call(source="print(6 * 7)")
    assert isinstance(output, ToolOutput)
    assert output.content == ANSWER


async def test_llamaindex_can_await_it(sandbox: SyncSandbox) -> None:
    assert (await llamaindex.python_tool(sandbox).acall(source="print(6 * 7)")).content == ANSWER


def test_a_sandbox_that_is_gone_is_no_answer_for_the_model(sandbox: SyncSandbox, fake: FakeSandbox) -> None:
    fake.unavailable = "no engine answers"
    with pytest.raises(SandboxUnavailable, match="no engine answers"):
        langchain.python_tool(sandbox).invoke({"source": "print(6 * 7)"})
    with pytest.raises(SandboxUnavailable, match="gone since a call failed"):
        llamaindex.python_tool(sandbox).call(source="print(6 * 7)")


def test_a_report_tells_everything_that_happened() -> None:
    told = report(
        RunResult(
            status=ExitStatus.TIMEOUT,
            exit_code=137,
            stdout="",
            stderr="late\n",
            files=(FileEntry(path="a", size=1),),
            removed=("b",),
            skipped=(SkippedFile(path="c", reason="too large"),),
        )
    )
    assert told.splitlines() == [
        "status: timeout (exit code 137)",
        "stderr:",
        "late",
        "",
        "made: a (1 bytes)",
        "removed: b",
        "not kept: c (too large)",
    ]
