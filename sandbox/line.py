"""A line of those who wait for something: first come, first served."""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Place(Generic[T]):
    served: asyncio.Future[T]
    since: float
    """On the event loop's clock."""


class Line(Generic[T]):
    def __init__(self) -> None:
        self._places: deque[Place[T]] = deque()

    def __len__(self) -> int:
        return len(self._places)

    def join(self, *, first: bool = False) -> Place[T]:
        loop = asyncio.get_running_loop()
        served: asyncio.Future[T] = loop.create_future()
        place = Place(served, loop.time())
        if first:
            self._places.appendleft(place)
        else:
            self._places.append(place)
        return place

    def leave(self, place: Place[T]) -> T | None:
        """What the place was served in the very moment in which its owner was cancelled, if so."""
        if place in self._places:
            self._places.remove(place)
        elif not place.served.cancelled() and place.served.exception() is None:
            return place.served.result()
        return None

    def since(self, position: int) -> float:
        return self._places[position].since

    def serve(self, thing: T) -> bool:
        """False when nobody waits."""
        while self._places:
            if not (served := self._places.popleft().served).done():
                served.set_result(thing)
                return True
        return False

    def fail(self, count: int, error: Exception) -> None:
        """Raise `error` in the first `count` of them."""
        for _ in range(count):
            if not (served := self._places.popleft().served).done():
                served.set_exception(error)
