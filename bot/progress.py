"""One message that follows a run: newest frame wins, paced as the platform likes it, harmless to the run."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Protocol, Self

import structlog

from agent.events import RunEvent
from bot import render
from bot.chat import Button, ChatAdapter, ChatRef, Message, MessageKind, MessageRef, Pace
from bot.errors import ChatBusy, ChatError, ChatGone, MessageGone
from bot.holds import Holds
from bot.snapshot import Snapshot, apply
from bot.texts import Language, texts
from bot.timing import Timing
from storage.records import Run, RunId

LONGEST_LAST_WAIT = 5.0
"""Seconds that the last frame waits where the platform wants a rest. The delivery makes up for a lost one."""
LONGEST_GAP = 60.0
"""Seconds between two frames of a chat that does not answer."""

_log = structlog.stdlib.get_logger(__name__)


class Notes(Protocol):
    """What the next process has to know. `storage.runs.Runs` keeps it."""

    async def show_progress_in(self, run_id: RunId, message: str) -> None: ...

    async def progress_settled(self, run_id: RunId) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacer:
    """When the next frame may go out. All times are of one monotonic clock, in seconds."""

    pace: Pace
    last: float | None = None
    failures: int = 0
    """In a row."""

    def wait(self, now: float, *, changed: bool, held: float = 0.0) -> float | None:
        """Seconds until the next frame is due; None when only a change will make it due.

        `held`: seconds that the platform wants to be left alone.
        """
        pause = self.pace.gap if changed else self.pace.heartbeat
        if pause is None or (self.last is None and not changed):
            return None
        if self.failures:
            pause = max(pause, min(LONGEST_GAP, 2.0**self.failures))
        due = now if self.last is None else self.last + pause
        return max(0.0, due - now, held)

    def sent(self, now: float) -> Self:
        return replace(self, last=now, failures=0)

    def failed(self, now: float) -> Self:
        """The gap grows each time: nobody knows whether the frame arrived, or when the chat will be back."""
        return replace(self, last=now, failures=min(self.failures + 1, 10))


class Progress:
    """`async with Progress(…) as progress`, then `progress.update(event)` for each event.

    The first event posts the message, unless the run has one. A run that yields none leaves no trace.
    """

    def __init__(
        self,
        adapter: ChatAdapter,
        chat: ChatRef,
        run: Run,
        *,
        notes: Notes,
        holds: Holds,
        cancel: Button | None = None,
        elapsed: float = 0.0,
        timing: Timing | None = None,
    ) -> None:
        """`elapsed`: seconds since the first attempt of the run began."""
        self.snapshot = Snapshot()
        self._adapter = adapter
        self._chat = chat
        self._run = run
        self._t = texts(Language(run.language))
        self._notes = notes
        self._holds = holds
        self._cancel = cancel
        self._timing = timing or Timing()
        self._clock = self._timing.monotonic
        self._began = self._clock() - elapsed
        self._ref = _ref(chat, run.progress_message) if adapter.lasting else None
        # A message that is there already was posted or edited by others, perhaps a moment ago.
        self._pacer = Pacer(pace=adapter.pace(chat), last=None if self._ref is None else self._clock())
        self._shown: Message | None = None
        self._changed = False
        self._ended = False
        self._gone = False
        self._renewed = False
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
        self._writer = asyncio.create_task(self._write(), name=f"progress {self._run.id}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The last frame has priority: it goes out whatever the gap, after an edit that is under way."""
        self._ended = True
        self._wake.set()
        if self._writer is not None:
            await self._writer
        pause = self._holds.left(self._chat)
        if self._gone or pause > LONGEST_LAST_WAIT or (self._shown is None and not self._changed):
            return
        await self._timing.sleep(pause)
        await self._send()

    async def _write(self) -> None:
        while not (self._ended or self._gone):
            held = self._holds.left(self._chat)
            wait = self._pacer.wait(self._clock(), changed=self._changed, held=held)
            if wait == 0:
                await self._send()
                continue
            with suppress(TimeoutError):
                async with self._timing.timeout(wait):
                    await self._wake.wait()
            self._wake.clear()

    def _frame(self) -> Message:
        elapsed = self._clock() - self._began
        if self.snapshot.ended and self._adapter.lasting:
            line = render.settled(self.snapshot, elapsed, self._t)
            return Message(kind=MessageKind.SETTLED, text=line, run_id=self._run.id)
        brief = self._pacer.pace.heartbeat is None
        return render.progress(
            self.snapshot, elapsed, self._t, self._run.id, brief=brief, cancel=self._cancel
        )

    async def _send(self) -> None:
        self._changed = False
        frame = self._frame()
        if frame == self._shown:
            self._pacer = self._pacer.sent(self._clock())
            return
        try:
            await self._put(frame)
            self._pacer = self._pacer.sent(self._clock())
            self._shown = frame
            if self.snapshot.outcome is not None and self._adapter.lasting:
                await self._notes.progress_settled(self._run.id)
        except ChatBusy as busy:
            self._changed = True
            self._holds.hold(self._chat, busy.seconds)
        except ChatGone:
            self._gone = True
        except Exception as fault:
            # Whatever a platform does, the run goes on and its answer will tell the same.
            self._changed = True
            self._pacer = self._pacer.failed(self._clock())
            if isinstance(fault, ChatError):
                _log.warning("progress_not_shown", run_id=self._run.id, reason=repr(fault))
            else:
                _log.exception("progress_not_shown", run_id=self._run.id)

    async def _put(self, frame: Message) -> None:
        if self._ref is not None:
            try:
                await self._adapter.edit(self._ref, frame)
            except MessageGone:
                if self._renewed:  # somebody does not want to see it
                    self._gone = True
                    return
                self._renewed = True
            else:
                return
        request = _ref(self._chat, self._run.request_message)
        self._ref = await self._adapter.post(self._chat, frame, reply_to=request)
        if self._adapter.lasting:
            await self._notes.show_progress_in(self._run.id, self._ref.message)


def _ref(chat: ChatRef, message: str | None) -> MessageRef | None:
    return None if message is None else MessageRef(chat, message)
