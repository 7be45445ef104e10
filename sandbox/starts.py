"""The turns in which containers start: few at once over all pools, a lease in need before a refill."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol

from sandbox.tasks import Background


class Startable(Protocol):
    """A pool, as seen by who gives out the turns."""

    @property
    def needed_since(self) -> float | None:
        """When the first lease came that no start under way will serve; None if there is none, or no room."""
        ...

    @property
    def wants_refill(self) -> bool: ...

    def begin_start(self) -> Coroutine[Any, Any, None]:
        """Counts the start at once and returns its work, which never raises."""
        ...


class Starts:
    """No start stands in line: each is chosen when there is a turn, so none is begun that is not needed any
    more."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._under_way = 0
        self._pools: list[Startable] = []
        self._tasks = Background()
        self._closed = False

    def add(self, pool: Startable) -> None:
        self._pools.append(pool)
        self.turn()

    def turn(self) -> None:
        """Begin what is due. Pools call it whenever something has changed."""
        while not self._closed and self._under_way < self._limit and (pool := self._next()) is not None:
            self._under_way += 1
            self._tasks.begin(self._run(pool.begin_start()))

    async def close(self) -> None:
        """Cancels the starts under way, which take back what they have begun."""
        self._closed = True
        await asyncio.sleep(0)  # what has just been begun takes its first step, so that it can be undone
        await self._tasks.stop()

    def _next(self) -> Startable | None:
        in_need = [(since, pool) for pool in self._pools if (since := pool.needed_since) is not None]
        if in_need:
            return min(in_need, key=lambda needed: needed[0])[1]
        return next((pool for pool in self._pools if pool.wants_refill), None)

    async def _run(self, start: Coroutine[Any, Any, None]) -> None:
        try:
            await start
        finally:
            self._under_way -= 1
            self.turn()
