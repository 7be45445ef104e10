from dataclasses import dataclass

from bot.intake.flood import Flood, Seldom


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_minute_holds_so_many_events_and_the_next_one_as_many() -> None:
    clock = Clock()
    flood = Flood(clock, limit=3)
    assert [flood.has_room("ann") for _ in range(5)] == [True, True, True, False, False]
    assert flood.has_room("ben")
    clock.now = 60.0
    assert flood.has_room("ann")


def test_what_is_said_seldom_is_said_once_in_a_while() -> None:
    clock = Clock()
    seldom = Seldom(clock, 10.0)
    assert [seldom.passes("ann"), seldom.passes("ann"), seldom.passes("ben")] == [True, False, True]
    clock.now = 10.0
    assert seldom.passes("ann")


def test_a_crowd_of_strangers_takes_no_more_memory_than_a_big_one() -> None:
    clock = Clock()
    flood, seldom = Flood(clock), Seldom(clock, 10.0)
    for person in range(10_100):
        flood.has_room(person)
        seldom.passes(person)
    assert len(flood._seen) == len(seldom._last) == 10_000
