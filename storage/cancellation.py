"""Cancellation that waits: a transaction of SQLite, once begun, is carried to its end."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def settled(work: Coroutine[Any, Any, T]) -> T:
    """Await `work`; when cancelled meanwhile, let it end first and be cancelled then.

    The driver works in a thread that cannot be interrupted. A connection that is thrown away in the middle of
    a statement keeps its lock until the garbage collector finds it, and every writer waits for that.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            # Whoever cancelled does not want the outcome; asyncio would log an error that nobody looked at.
            task.exception()
        raise
