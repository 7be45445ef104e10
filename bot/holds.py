"""How long a platform wants to be left alone in a chat. What everybody who edits there has to know."""

import time
from collections.abc import Callable

from bot.chat import ChatRef


class Holds:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` is monotonic, in seconds."""
        self._clock = clock
        self._until: dict[tuple[str, str], float] = {}

    def hold(self, chat: ChatRef, seconds: float) -> None:
        """The platform asked to come again in so many seconds. All threads of a chat share that."""
        now = self._clock()
        self._until = {place: until for place, until in self._until.items() if until > now}
        place = (chat.platform, chat.chat)
        self._until[place] = max(now + seconds, self._until.get(place, 0.0))

    def left(self, chat: ChatRef) -> float:
        """Seconds; 0 for a chat that nobody held."""
        return max(0.0, self._until.get((chat.platform, chat.chat), 0.0) - self._clock())
