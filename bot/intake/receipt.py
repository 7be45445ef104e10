"""The receipt of a request: the one message that says how it stands until its run works."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

import structlog

from bot.chat import ChatAdapter, ChatRef, Message, MessageRef
from bot.errors import ChatBusy, ChatError, ChatGone, ChatUncertain, ChatUnreachable, MessageGone

Sleep = Callable[[float], Awaitable[None]]

PAUSES: Final = (1.0, 3.0, 10.0, 30.0, 60.0, 120.0)
"""Seconds between the tries of what a person should hear."""

_log = structlog.stdlib.get_logger(__name__)


class Receipt:
    """Posted once, then edited: an edit can be repeated after a crash, a post would be there twice."""

    def __init__(
        self,
        adapter: ChatAdapter,
        chat: ChatRef,
        *,
        to: MessageRef | None,
        posted: str | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`to` is the message of the person; `posted` the id of a receipt that an earlier process posted."""
        self.chat = chat
        self.ref = None if posted is None else MessageRef(chat, posted)
        self._adapter = adapter
        self._to = to
        self._sleep = sleep

    async def open(self, message: Message) -> None:
        """Post it, if the platform lets us: the request goes on without."""
        try:
            self.ref = await self._adapter.post(self.chat, message, reply_to=self._to)
        except ChatError as fault:
            _log.warning("receipt_not_posted", reason=repr(fault))

    async def hint(self, message: Message) -> None:
        """`say` what soon does not matter any more: once, and only where it replaces something."""
        if self.ref is not None:
            try:
                await self._adapter.edit(self.ref, message)
            except ChatError as fault:
                _log.info("receipt_hint_lost", reason=repr(fault))

    async def say(self, message: Message) -> bool:
        """Whether the person has it now, or nobody is left to have it. False: it may be tried again later."""
        pauses = iter(PAUSES)
        while True:
            try:
                await self._say(message)
            except ChatGone:
                return True
            except MessageGone:
                self.ref = None
            except ChatError as fault:
                pause = self._pause(fault, pauses)
                if pause is None:
                    _log.warning("receipt_not_said", reason=repr(fault))
                    return False
                await self._sleep(pause)
            else:
                return True

    async def _say(self, message: Message) -> None:
        if self.ref is None:
            self.ref = await self._adapter.post(self.chat, message, reply_to=self._to)
        else:
            await self._adapter.edit(self.ref, message)

    def _pause(self, fault: ChatError, pauses: Iterator[float]) -> float | None:
        """Seconds until the next try; None when there is to be none."""
        repeatable = isinstance(fault, ChatBusy | ChatUnreachable) or (
            isinstance(fault, ChatUncertain) and self.ref is not None
        )
        pause = next(pauses, None) if repeatable else None
        if pause is None or not isinstance(fault, ChatBusy):
            return pause
        return fault.seconds if fault.seconds <= PAUSES[-1] else None
