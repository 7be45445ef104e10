"""Tasks that end in order: work that a cancellation must not cut short, and work that nobody awaits."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """Finish `work` even when the caller is cancelled meanwhile; the cancellation then goes on afterwards."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    failure = task.exception()
    if cancelled is not None:
        raise cancelled
    if failure is not None:
        raise failure


async def stop(task: asyncio.Task[None]) -> None:
    """Cancel it and wait until it has ended. A cancellation of the caller's own goes through."""
    task.cancel()
    await asyncio.wait([task])


class Background:
    """Keeps tasks until they are over, so that none is forgotten at the end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def over(self) -> None:
        """Returns when all have ended, also those that begin meanwhile."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self.over()
