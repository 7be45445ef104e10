"""One message that follows a run: newest frame wins, paced as the platform likes it, harmless to the run."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import structlog

from agent.events import RunEvent
from bot import render
from bot.chat import ChatAdapter, ChatRef, Message, MessageRef, Pace
from bot.errors import ChatBusy, ChatGone
from bot.snapshot import Snapshot, apply
from bot.texts import Texts

LONGEST_LAST_WAIT = 60.0
"""Seconds that the last frame waits for a platform that asked us to come again; after that it is given up."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacer:
    """When the next frame may go out. All times are of one monotonic clock, in seconds."""

    pace: Pace
    last: float | None = None
    not_before: float = 0.0

    def wait(self, now: float, *, changed: bool) -> float | None:
        """Seconds until the next frame is due; None when only a change will make it due."""
        pause = self.pace.gap if changed else self.pace.heartbeat
        if pause is None or (self.last is None and not changed):
            return None
        due = now if self.last is None else self.last + pause
        return max(0.0, due - now, self.not_before - now)

    def sent(self, now: float) -> Self:
        return replace(self, last=now)

    def paused(self, now: float, seconds: float) -> Self:
        return replace(self, not_before=now + seconds)


class Progress:
    """`async with Progress(…) as progress`, then `progress.update(event)` for each event.

    The first event posts the message, so a run that yields none leaves no trace in the chat.
    """

    def __init__(
        self,
        adapter: ChatAdapter,
        chat: ChatRef,
        t: Texts,
        *,
        run_id: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.snapshot = Snapshot()
        self._adapter = adapter
        self._chat = chat
        self._t = t
        self._run_id = run_id
        self._clock = clock
        self._began = clock()
        self._pacer = Pacer(pace=adapter.pace(chat))
        self._ref: MessageRef | None = None
        self._shown: Message | None = None
        self._changed = False
        self._ended = False
        self._gone = False
        self._wake = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None

    def update(self, event: RunEvent) -> None:
        self.snapshot = apply(self.snapshot, event)
        self._changed = True
        self._wake.set()

    def pause(self) -> None:
        """The last frame will say that the run goes on later."""
        self.snapshot = replace(self.snapshot, paused=True)

    async def __aenter__(self) -> Self:
        self._writer = asyncio.create_task(self._write(), name=f"progress {self._run_id}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The last frame has priority: it goes out whatever the gap, after an edit that is under way."""
        self._ended = True
        self._wake.set()
        if self._writer is not None:
            await self._writer
        pause = max(0.0, self._pacer.not_before - self._clock())
        if self._gone or pause > LONGEST_LAST_WAIT or (self._ref is None and not self._changed):
            return
        await asyncio.sleep(pause)
        await self._send()

    async def _write(self) -> None:
        while not (self._ended or self._gone):
            wait = self._pacer.wait(self._clock(), changed=self._changed)
            if wait == 0:
                await self._send()
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wake.wait()
            self._wake.clear()

    async def _send(self) -> None:
        self._changed = False
        elapsed = self._clock() - self._began
        brief = self._pacer.pace.heartbeat is None
        frame = render.progress(self.snapshot, elapsed, self._t, self._run_id, brief=brief)
        self._pacer = self._pacer.sent(self._clock())
        if frame == self._shown:
            return
        try:
            if self._ref is None:
                self._ref = await self._adapter.post(self._chat, frame)
            else:
                await self._adapter.edit(self._ref, frame)
            self._shown = frame
        except ChatBusy as busy:
            self._changed = True
            self._pacer = self._pacer.paused(self._clock(), busy.seconds)
        except ChatGone:
            self._gone = True
        except Exception:
            # Whatever a platform does, the run goes on and its answer will tell the same.
            _log.exception("progress_not_shown", run_id=self._run_id)
