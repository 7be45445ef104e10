"""`kill -9` at five points of a run: the next start finishes it, and no finished script runs twice."""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import web

from sandbox.policy import Policy
from tests.e2e.product import Product, until
from tests.endpoint import Body, completion, serve
from tests.replay.exchange import asker, said

QUICK = 'open("log.txt", "a").write("first\\n"); print("figure", 42)'
SLOW = 'import time; time.sleep(2.5); open("log.txt", "a").write("second\\n"); print("slow")'
TODOS = [{"id": "one", "title": "First"}, {"id": "two", "title": "Second", "depends_on": ["one"]}]

PLAYED = {
    "orchestrator": [
        completion(calls=[("create_todo_list", {"todos": TODOS}), ("start_next_todo", {"id": "one"})]),
        completion(calls=[("complete_todo", {"id": "one", "notes": "42"})]),
        completion(calls=[("start_next_todo", {"id": "two"})]),
        completion(calls=[("complete_todo", {"id": "two"})]),
        completion("The figure is 42."),
    ],
    "one": [
        completion(calls=[("write_and_run_python", {"name": "quick.py", "content": QUICK})]),
        completion("done: 42"),
    ],
    "two": [
        completion(calls=[("write_and_run_python", {"name": "slow.py", "content": SLOW})]),
        completion("done"),
    ],
}


@dataclass(slots=True)
class Model:
    """Plays the run; hangs for ever at the given answer, until it is told to go on."""

    hang_at: tuple[str, int] | None = None
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def respond(self, request: Body) -> web.StreamResponse:
        who, place = asker(request), len(said(request))
        if (who, place) == self.hang_at:
            self.reached.set()
            await asyncio.sleep(60)
        # Its figures have no source, so they come back to it once: it stays with its words.
        return web.json_response(PLAYED[who][min(place, len(PLAYED[who]) - 1)])


@pytest.mark.docker
@pytest.mark.usefixtures("docker_policy")
@pytest.mark.parametrize(
    "point",
    [
        pytest.param(("orchestrator", 0), id="planning"),
        pytest.param(("one", 0), id="in a model call"),
        pytest.param(("orchestrator", 2), id="between todos"),
        pytest.param(("orchestrator", 4), id="while answering"),
    ],
)
async def test_a_run_that_was_killed_is_finished_by_the_next_start(
    tmp_path: Path, point: tuple[str, int]
) -> None:
    model = Model(hang_at=point)
    async with serve(model.respond) as endpoint:
        product = Product(tmp_path, endpoint.url)
        process = await product.start("ask", "What is the figure?")
        await asyncio.wait_for(model.reached.wait(), 60)
        process.send_signal(signal.SIGKILL)
        await process.communicate()
        model.hang_at = None
        await check_the_next_start(product)


@pytest.mark.docker
async def test_a_run_that_was_killed_in_a_script_runs_that_script_again_and_no_other(
    tmp_path: Path, docker_policy: Policy
) -> None:
    model = Model()
    async with serve(model.respond) as endpoint:
        product = Product(tmp_path, endpoint.url)
        process = await product.start("ask", "What is the figure?")
        await until(
            lambda: any(e["kind"] == "ToolStarted" and e["todo_id"] == "two" for e in product.events())
        )
        await asyncio.sleep(1.5)  # the container is up and the script asleep
        process.send_signal(signal.SIGKILL)
        await process.communicate()
        assert of_todos(product) == ["quick.py"]
        await check_the_next_start(product)


@pytest.mark.docker
@pytest.mark.usefixtures("docker_policy")
async def test_an_answer_that_was_recorded_but_not_shown_is_shown_once_by_the_next_start(
    tmp_path: Path,
) -> None:
    async with serve(Model().respond) as endpoint:
        product = Product(tmp_path, endpoint.url)
        process = await product.start("ask", "What is the figure?")
        await block_stdout(process)
        await until(lambda: any(e["kind"] == "RunFinished" for e in product.events()))
        process.send_signal(signal.SIGKILL)
        shown, _ = await process.communicate()
        assert b"42" not in shown
        await check_the_next_start(product)
        code, printed = await product.finish("resume")
        assert (code, "42" in printed) == (0, False)


async def block_stdout(process: Process) -> None:
    """Fill the pipe, and our end's buffer behind it: whatever the process prints, it waits for ever."""
    pipe = os.open(f"/proc/{process.pid}/fd/1", os.O_WRONLY | os.O_NONBLOCK)
    refused = 0
    while refused < 3:
        try:
            os.write(pipe, b"." * 4096)
            refused = 0
        except BlockingIOError:
            refused += 1
            await asyncio.sleep(0.02)
    os.close(pipe)


async def check_the_next_start(product: Product) -> None:
    code, printed = await product.finish("resume")
    assert code == 0, printed
    assert "The figure is 42." in printed
    assert of_todos(product) == ["quick.py", "slow.py"]
    assert (product.run_folder() / "out" / "log.txt").read_text() == "first\nsecond\n"
    assert [event["kind"] for event in product.events()].count("RunFinished") == 1
    assert product.containers() == []
    assert list((product.data / "leases").iterdir()) == []


def of_todos(product: Product) -> list[str]:
    """The scripts that subagents ran: neither those of the checks, nor these once more from clean."""
    lines = [line for line in product.trace() if line["type"] == "script" and line["todo"]]
    return [line["name"] for line in lines if line["name"] != "check_results.py"]
