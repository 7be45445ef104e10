"""How fast the bot writes. Telegram bears 1 a second per chat, 20 a minute per group, 30 a second in all."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from tests.fakes.botapi.errors import too_many

BURST = 5
"""Messages that a chat takes at once before its second-by-second pace holds."""
PER_GROUP, PER_BOT = 20, 30


@dataclass(frozen=True, slots=True)
class Stroke:
    """One message sent or edited."""

    at: float
    chat: int
    group: bool
    message: int
    edit: bool


class Pace:
    """It counts always, and refuses only while `enforce` is set."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.enforce = False
        self.strokes: list[Stroke] = []
        self._clock = clock

    def check(self, chat: int, *, group: bool, count: int = 1) -> None:
        """Raises a 429 with the whole seconds after which `count` messages would pass, if it enforces."""
        if not self.enforce:
            return
        here = [stroke.at for stroke in self.strokes if stroke.chat == chat]
        waits = [
            self._wait([stroke.at for stroke in self.strokes], PER_BOT, 1.0, count),
            self._wait(here, PER_GROUP, 60.0, count) if group else 0,
            self._wait(here, BURST, float(BURST), count),
        ]
        if max(waits) > 0:
            raise too_many(math.ceil(max(waits)))

    def note(self, chat: int, message: int, *, group: bool, edit: bool) -> None:
        self.strokes.append(Stroke(self._clock(), chat, group, message, edit))

    def edits_within(self, gap: float, *, chat: int | None = None) -> int:
        """Edits that came less than `gap` seconds after the message was sent or last edited."""
        messages = {(stroke.chat, stroke.message) for stroke in self.strokes if chat in (None, stroke.chat)}
        return sum(
            later.edit and later.at - earlier.at < gap
            for name in messages
            for earlier, later in pairwise(s for s in self.strokes if (s.chat, s.message) == name)
        )

    def busiest(self, seconds: float, *, chat: int | None = None) -> int:
        """The most messages and edits in any window of so many seconds."""
        times = [stroke.at for stroke in self.strokes if chat in (None, stroke.chat)]
        return max((_inside(times, start, seconds) for start in times), default=0)

    def _wait(self, times: Iterable[float], most: int, seconds: float, count: int) -> float:
        now = self._clock()
        recent = sorted(at for at in times if now - at < seconds)
        surplus = min(len(recent) + count - most, len(recent))
        return recent[surplus - 1] + seconds - now if surplus > 0 else 0.0


def _inside(times: Iterable[float], start: float, seconds: float) -> int:
    return sum(start <= at < start + seconds for at in times)
