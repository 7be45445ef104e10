"""The crowd: people who each send a file with a request within a minute, and what they get to see."""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fakes.botapi import BotApi, LiveChat

FIRST = 1_000
"""The id of the first person."""


@dataclass(frozen=True, slots=True)
class Wish:
    request: str
    file: tuple[str, bytes]
    answer: str
    """Words that the right answer holds."""


@dataclass(slots=True)
class Member:
    chat: LiveChat
    asked: float = 0.0
    """Monotonic seconds."""

    def acknowledged(self) -> float | None:
        """Seconds until the first message."""
        first = next(iter(self.chat.answers), None)
        return None if first is None else first.at - self.asked

    def answers(self, wish: Wish) -> int:
        """Messages that hold the answer."""
        return sum(wish.answer in post.text for post in self.chat.answers)

    def answered(self, wish: Wish) -> float | None:
        """Seconds until the answer could be read."""
        times = [
            version.at
            for post in self.chat.answers
            for version in post.versions
            if wish.answer in version.text
        ]
        return min(times) - self.asked if times else None


def crowd(server: BotApi, size: int) -> list[Member]:
    people = [server.person(FIRST + place, f"Person {place}", language_code="en") for place in range(size)]
    return [Member(server.private(person)) for person in people]


async def ask(members: Sequence[Member], wish: Wish, *, within: float, seed: int = 1) -> None:
    """Everybody asks once, at a moment of their own within so many seconds."""
    chance = random.Random(seed)  # noqa: S311  # moments, not secrets, and the same in each run
    moments = sorted(chance.uniform(0, within) for _ in members)
    began = time.monotonic()
    for member, moment in zip(members, moments, strict=True):
        await asyncio.sleep(max(0.0, began + moment - time.monotonic()))
        member.asked = time.monotonic()
        await member.chat.send([(*wish.file, "text/csv")], wish.request)
