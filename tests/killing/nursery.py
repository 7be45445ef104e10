"""A process that has loaded the product, from which tests fork it: loading takes seconds.

What is forked is the product as `python -m bot run` starts it, in a process of its own that can be killed.
"""

import asyncio
import json
import os
import select
import signal
import sys
import threading
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADED = (
    "bot.serve",
    "bot.workshop",
    "bot.telegram.adapter",
    "bot.telegram.check",
    "agent.runner",
    "agent.models",
)


@dataclass(slots=True)
class Child:
    """What `asyncio.subprocess.Process` is to its parent, as far as tests need it."""

    pid: int
    ended: asyncio.Future[int]

    @property
    def returncode(self) -> int | None:
        return self.ended.result() if self.ended.done() else None

    async def wait(self) -> int:
        return await asyncio.shield(self.ended)

    def send_signal(self, number: int) -> None:
        if not self.ended.done():
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass(slots=True)
class Nursery:
    orders: asyncio.StreamWriter
    reports: asyncio.StreamReader
    _born: asyncio.Queue[int] = field(default_factory=asyncio.Queue[int])
    _children: dict[int, Child] = field(default_factory=dict[int, Child])

    async def start(self, module: str, environment: Mapping[str, str], *, folder: Path, log: Path) -> Child:
        """`python -m module run` in that folder and environment, and no other; it prints into `log`."""
        order = {"module": module, "environment": dict(environment), "folder": str(folder), "log": str(log)}
        self.orders.write(json.dumps(order).encode() + b"\n")
        return self._children[await self._born.get()]

    async def listen(self) -> None:
        async for line in self.reports:
            report = json.loads(line)
            if "code" in report:
                self._children[report["pid"]].ended.set_result(report["code"])
            else:
                ended = asyncio.get_running_loop().create_future()
                self._children[report["pid"]] = Child(report["pid"], ended)
                self._born.put_nowait(report["pid"])


@asynccontextmanager
async def open_nursery() -> AsyncGenerator[Nursery]:
    """Children that are left are killed with it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.killing.nursery", cwd=ROOT, stdin=PIPE, stdout=PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    nursery = Nursery(process.stdin, process.stdout)
    listening = asyncio.create_task(nursery.listen())
    try:
        yield nursery
    finally:
        process.stdin.close()
        await process.wait()
        listening.cancel()


def main() -> None:
    for name in LOADED:
        __import__(name)
    assert threading.active_count() == 1, "a fork would lose threads"
    waiting = b""
    children: set[int] = set()
    while True:
        readable, _, _ = select.select([0], [], [], 0.02)
        if readable:
            read = os.read(0, 65_536)
            if not read:
                break
            *orders, waiting = (waiting + read).split(b"\n")
            for order in orders:
                children.add(pid := _fork(json.loads(order)))
                _report(pid=pid)
        for pid, status in _ended(children):
            children.discard(pid)
            _report(pid=pid, code=os.waitstatus_to_exitcode(status))
    for pid in children:
        os.kill(pid, signal.SIGKILL)


def _ended(children: set[int]) -> list[tuple[int, int]]:
    return [(pid, status) for child in children for pid, status in [os.waitpid(child, os.WNOHANG)] if pid]


def _fork(order: Mapping[str, object]) -> int:
    if pid := os.fork():
        return pid
    code = 1
    try:
        _become(order)
        module = __import__(f"{order['module']}.__main__", fromlist=["main"])
        sys.argv = ["deckhand", "run"]
        module.main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _become(order: Mapping[str, object]) -> None:
    os.chdir(str(order["folder"]))
    environment = order["environment"]
    assert isinstance(environment, dict)
    os.environ.clear()
    os.environ.update(environment)
    log = os.open(str(order["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for here, there in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(here, there)


def _report(**facts: int) -> None:
    os.write(1, json.dumps(facts).encode() + b"\n")


if __name__ == "__main__":
    main()
