"""A rest: a time in which nothing is begun, as long as the longest that was asked for."""

import asyncio
from collections.abc import Callable


class Rest:
    def __init__(self, over: Callable[[], None]) -> None:
        """`over` is called when it has passed, not when it is ended before."""
        self._over = over
        self._timer: asyncio.TimerHandle | None = None

    def __bool__(self) -> bool:
        return self._timer is not None

    def take(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        if self._timer is not None:
            if self._timer.when() >= until:
                return
            self._timer.cancel()
        self._timer = loop.call_at(until, self._passed)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _passed(self) -> None:
        self._timer = None
        self._over()
