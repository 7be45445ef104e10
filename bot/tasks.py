"""Tasks that nobody awaits, kept until they end, and work that a cancellation does not cut short at once."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from bot.telemetry import note_fault


class Tasks:
    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self.closed = False
        """Nobody waits any more for what is spawned now."""

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guarded(work), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def close(self, grace: float) -> None:
        """Let them end for `grace` seconds, then cancel them."""
        if self._running:
            await asyncio.wait(self._running, timeout=grace)
        self.closed = True
        left = tuple(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def idle(self) -> None:
        """Wait until none is left, those included that others start."""
        while self._running:
            await asyncio.wait(self._running)
            await asyncio.sleep(0)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as fault:
            note_fault(fault)


async def to_its_end(work: Coroutine[Any, Any, None], seconds: float) -> None:
    """Await `work`; when cancelled meanwhile, give it so many seconds to end first."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=seconds)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
