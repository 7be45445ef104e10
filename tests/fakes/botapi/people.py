"""Who takes part: people, and the bot itself."""

import re
from dataclasses import dataclass
from typing import Any

from tests.fakes.botapi.markup import Entities, units


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    id: int
    name: str
    username: str = ""
    language_code: str = ""
    is_bot: bool = False

    def shown(self) -> dict[str, Any]:
        facts = {"username": self.username, "language_code": self.language_code}
        known = {name: fact for name, fact in facts.items() if fact}
        return {"id": self.id, "is_bot": self.is_bot, "first_name": self.name} | known


ANONYMOUS = Person(id=1087968824, name="Group", username="GroupAnonymousBot", is_bot=True)
"""Whom Telegram names as the sender when an admin writes as the group itself."""

MARKS = (
    ("bot_command", re.compile(r"(?<![\w/])/[a-zA-Z0-9_]{1,64}(@\w+)?")),
    ("mention", re.compile(r"(?<!\w)@\w{3,32}")),
    ("url", re.compile(r"https?://\S+")),
)


def marks(text: str) -> Entities:
    """The entities that Telegram finds by itself in what a person types."""
    return [
        {"type": kind, "offset": units(text[: found.start()]), "length": units(found[0])}
        for kind, pattern in MARKS
        for found in pattern.finditer(text)
    ]
