"""How much one person may say in a minute, and to whom a thing is said only now and then."""

from collections import deque
from collections.abc import Callable, Hashable

EVENTS_A_MINUTE = 60
MINUTE = 60.0
_MOST_KEPT = 10_000
"""Persons; beyond that the longest silent are forgotten."""


class Flood:
    """Counts the events of each person over the last minute. `clock` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float], limit: int = EVENTS_A_MINUTE) -> None:
        self._clock = clock
        self._limit = limit
        self._seen: dict[Hashable, deque[float]] = {}

    def has_room(self, who: Hashable) -> bool:
        """Whether this event is still within the limit. Those beyond it do not count."""
        now = self._clock()
        seen = self._seen.pop(who, None) or deque[float]()
        self._seen[who] = seen  # at the end: the longest silent stand first
        while seen and seen[0] <= now - MINUTE:
            seen.popleft()
        if len(seen) >= self._limit:
            return False
        seen.append(now)
        if len(self._seen) > _MOST_KEPT:
            del self._seen[next(iter(self._seen))]
        return True


class Seldom:
    """Lets a thing pass once in so many seconds."""

    def __init__(self, clock: Callable[[], float], seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._last: dict[Hashable, float] = {}

    def passes(self, what: Hashable) -> bool:
        now = self._clock()
        last = self._last.get(what)
        if last is not None and now < last + self._seconds:
            return False
        self._last.pop(what, None)
        self._last[what] = now
        if len(self._last) > _MOST_KEPT:
            del self._last[next(iter(self._last))]
        return True
