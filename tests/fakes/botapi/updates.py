"""The queue of updates: each is handed out again and again until the bot confirms it."""

import asyncio
import time
from typing import TYPE_CHECKING, Any

from tests.fakes.botapi.errors import contradict

if TYPE_CHECKING:
    from collections.abc import Sequence

OPTIONAL = {"chat_member", "message_reaction", "message_reaction_count"}
"""Kinds that only come to those who ask for them by name."""

Update = dict[str, Any]


class Signal:
    """Wakes everyone who waits for something to have changed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def fire(self) -> None:
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Returns at the next change, or when the time is over."""
        event = self._event
        try:
            async with asyncio.timeout(max(seconds, 0)):
                await event.wait()
        except TimeoutError:
            return


class Updates:
    def __init__(self, changed: Signal) -> None:
        self.pending: list[Update] = []
        """Not confirmed yet, oldest first."""
        self.confirmed: list[Update] = []
        self.allowed: Sequence[str] | None = None
        """As the last getUpdates or setWebhook asked; None and nothing mean all but the optional kinds."""
        self._next_id = 730_000_001
        self._poll = 0
        self._changed = changed

    def put(self, kind: str, content: dict[str, Any]) -> Update | None:
        if kind not in self.allowed if self.allowed else kind in OPTIONAL:
            return None
        update = {"update_id": self._next_id, kind: content}
        self._next_id += 1
        self.pending.append(update)
        self._changed.fire()
        return update

    def confirm(self, offset: int) -> None:
        """All before `offset` are done; a negative one forgets all but the last -offset."""
        if offset < 0:
            offset = self.pending[offset]["update_id"] if len(self.pending) >= -offset else 0
        self.confirmed += [update for update in self.pending if update["update_id"] < offset]
        self.pending = [update for update in self.pending if update["update_id"] >= offset]
        self._changed.fire()

    async def poll(self, offset: int, limit: int, seconds: float) -> list[Update]:
        """
        Raises:
            ApiError: a 409: somebody else began to poll with this token. The older poll loses.
        """
        self._poll += 1
        mine = self._poll
        self.confirm(offset)
        end = time.monotonic() + seconds
        while not self.pending and time.monotonic() < end:
            await self._changed.wait(end - time.monotonic())
            if self._poll != mine:
                words = (
                    "terminated by other getUpdates request; make sure that only one bot instance is running"
                )
                contradict(words)
        return self.pending[:limit]
