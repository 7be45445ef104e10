"""Time, as those know it who wait for a platform. A test's may pass faster."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime

from storage.records import utc_now


@dataclass(frozen=True, slots=True)
class Timing:
    now: Callable[[], datetime] = utc_now
    monotonic: Callable[[], float] = time.monotonic
    """Seconds."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    timeout: Callable[[float | None], AbstractAsyncContextManager[object]] = asyncio.timeout
