"""Strays: parts of an album in a group that came before the one with the words to us."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.chat import ChatRef, Incoming

MOST = 200
"""Of all groups; a hundred albums at once are not what people do."""

_Batch = tuple[ChatRef, str, str]


@dataclass(slots=True)
class Strays:
    """In memory, and for moments only: what nobody has said to us is not ours to keep."""

    clock: Callable[[], float]
    seconds: float
    _kept: list[tuple[float, _Batch, Incoming]] = field(default_factory=list[tuple[float, _Batch, Incoming]])

    def keep(self, said: Incoming) -> None:
        self._expire()
        if said.batch and said.attachments and not said.edited and len(self._kept) < MOST:
            self._kept.append((self.clock() + self.seconds, _batch(said), said))

    def take(self, said: Incoming) -> tuple[Incoming, ...]:
        """Those that were sent together with a message that was meant for us."""
        self._expire()
        mine = tuple(other for _, batch, other in self._kept if said.batch and batch == _batch(said))
        self._kept = [kept for kept in self._kept if kept[2] not in mine]
        return mine

    def _expire(self) -> None:
        self._kept = [kept for kept in self._kept if kept[0] > self.clock()]


def _batch(said: Incoming) -> _Batch:
    return said.chat, said.sender.id, said.batch
