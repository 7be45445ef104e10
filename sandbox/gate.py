"""A gate for scripts: a few at a time get the processors, the others wait a little.

A hundred sessions at once got a quarter fewer scripts done per second than eight did, before there was a gate
(`make bench-sandbox`, two processors). Yet one that sleeps must not keep others away for
long, so whoever has waited for `PATIENCE` goes in as well.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

PATIENCE = 10.0
"""Seconds."""
_PER_PROCESSOR = 4


class Gate:
    def __init__(self, places: int | None = None, *, patience: float = PATIENCE) -> None:
        """`places`: scripts at once; None for four per processor."""
        self._places = asyncio.Semaphore(places or _PER_PROCESSOR * (os.cpu_count() or 1))
        self._patience = patience

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """First come, first served."""
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError:
            yield
            return
        try:
            yield
        finally:
            self._places.release()
