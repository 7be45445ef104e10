"""The counting of what a bot writes, on a clock of the test."""

import pytest

from tests.fakes.botapi import ApiError
from tests.fakes.botapi.pace import Pace


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    pace = Pace(clock)
    pace.enforce = True
    return pace


def write(pace: Pace, chat: int, message: int = 1, *, group: bool = False, edit: bool = False) -> None:
    pace.check(chat, group=group)
    pace.note(chat, message, group=group, edit=edit)


def seconds_to_wait(pace: Pace, chat: int, *, group: bool = False, count: int = 1) -> int:
    with pytest.raises(ApiError) as caught:
        pace.check(chat, group=group, count=count)
    assert caught.value.code == 429
    return caught.value.parameters["retry_after"]


def test_a_chat_takes_a_burst_and_then_one_a_second(pace: Pace, clock: Clock) -> None:
    for _ in range(5):
        write(pace, 7)
        clock.now += 0.2
    wait = seconds_to_wait(pace, 7)
    assert wait == 4
    write(pace, 8)
    clock.now += wait
    write(pace, 7)


def test_a_group_takes_20_a_minute(pace: Pace, clock: Clock) -> None:
    for _ in range(20):
        write(pace, -7, group=True)
        clock.now += 2
    assert seconds_to_wait(pace, -7, group=True) == 20
    assert seconds_to_wait(pace, -7, group=True, count=10) == 38
    clock.now += 20
    write(pace, -7, group=True)


def test_all_chats_together_take_30_a_second(pace: Pace, clock: Clock) -> None:
    for chat in range(30):
        write(pace, chat)
    assert seconds_to_wait(pace, 99) == 1
    clock.now += 1
    write(pace, 99)


def test_an_edit_too_soon_is_counted_per_message(pace: Pace, clock: Clock) -> None:
    write(pace, 7, 1)
    clock.now += 1
    write(pace, 7, 2)
    clock.now += 2
    write(pace, 7, 1, edit=True)
    write(pace, 7, 2, edit=True)
    assert pace.edits_within(2.5) == 1
    assert pace.edits_within(2.0) == 0
    assert pace.edits_within(2.5, chat=8) == 0
