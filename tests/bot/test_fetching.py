from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from bot.chat import Attachment
from bot.errors import ChatBusy, ChatUncertain, ChatUnreachable, Refused
from bot.intake.fetching import Fetcher
from bot.settings import Settings
from tests.bot.conftest import Store
from tests.bot.fakes import FakeChat


@dataclass
class Time:
    now: float = 0.0
    pauses: list[float] = field(default_factory=list[float])
    told: int = 0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    async def late(self) -> None:
        self.told += 1


def fetcher(store: Store, time: Time) -> Fetcher:
    return Fetcher(artifacts=store.artifacts, limit=100, clock=time.clock, sleep=time.sleep)


async def test_a_platform_that_fails_is_asked_again_and_the_person_hears_of_it_once(store: Store) -> None:
    chat, time = FakeChat(), Time()
    chat.fetch_trouble = [ChatUnreachable(), ChatUncertain(), ChatBusy(20.0), ChatUnreachable()]
    (kept,) = await fetcher(store, time).fetch(chat, [chat.send("a.csv", b"1")], late=time.late)
    assert (kept.name, time.pauses, time.told) == ("a.csv", [1.0, 2.0, 20.0, 8.0], 1)


async def test_after_some_minutes_it_is_given_up_and_what_came_before_is_not_kept(
    store: Store, settings: Settings
) -> None:
    chat, time = FakeChat(), Time()
    files = [chat.send("a.csv", b"1"), chat.send("b.csv", b"2")]
    fetching = fetcher(store, time)

    async def fetch(attachment: Attachment) -> AsyncIterator[bytes]:
        if attachment.name == "b.csv":
            raise ChatUnreachable
        yield b"1"

    chat.fetch = fetch
    with pytest.raises(Refused, match="file-unfetched"):
        await fetching.fetch(chat, files)
    assert 250 < time.now <= 300
    assert [path for path in (settings.data / "artifacts").rglob("*") if path.is_file()] == []


async def test_a_platform_that_asks_for_an_hour_is_not_waited_for(store: Store) -> None:
    chat, time = FakeChat(), Time()
    chat.fetch_trouble = [ChatBusy(3600.0)]
    with pytest.raises(Refused, match="file-unfetched"):
        await fetcher(store, time).fetch(chat, [chat.send("a.csv", b"1")])
    assert time.pauses == []


async def test_a_size_that_is_stated_is_believed_when_it_is_too_big(store: Store) -> None:
    with pytest.raises(Refused, match="file-too-big"):
        fetcher(store, Time()).check([Attachment(name="a.csv", handle="a", size=101)])
    fetcher(store, Time()).check(
        [Attachment(name="a.csv", handle="a"), Attachment(name="b", handle="b", size=9)]
    )
