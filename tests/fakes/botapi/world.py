"""Everything that Telegram knows in a test: people, chats, files, updates, and what the bot asked for."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.fakes.botapi.acting import LiveChat, Press
from tests.fakes.botapi.errors import refuse
from tests.fakes.botapi.faults import Fault
from tests.fakes.botapi.files import Files
from tests.fakes.botapi.messages import Post
from tests.fakes.botapi.pace import Pace
from tests.fakes.botapi.people import Person
from tests.fakes.botapi.updates import Signal, Updates

T = TypeVar("T")


@dataclass(slots=True)
class Call:
    """One request of the bot."""

    method: str
    params: dict[str, Any]
    """As they came, JSON decoded; an upload is its `wire.Upload`."""
    at: float
    """On the clock of `time.monotonic`."""
    code: int = 0
    """Of the answer; 0 while there is none, and for ever where a fault kept it."""
    description: str = ""
    """Why it was refused."""
    result: Any = None
    took_effect: bool = False
    broke_rule: bool = False
    """It was refused by a rule, not by a fault."""
    fault: Fault | None = None

    @property
    def chat(self) -> int | None:
        chat = self.params.get("chat_id")
        return chat if isinstance(chat, int) else None


@dataclass(frozen=True, slots=True)
class Reaction:
    post: Post
    emoji: str
    """Empty: taken back."""
    at: float


@dataclass(slots=True)
class Profile:
    """What the bot tells about itself, by language ("" for all others)."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    descriptions: dict[str, str] = field(default_factory=dict[str, str])
    short_descriptions: dict[str, str] = field(default_factory=dict[str, str])


class World:
    def __init__(self, *, token: str, username: str, local: Path | None = None) -> None:
        self.token = token
        self.bot = Person(id=int(token.partition(":")[0]), name="Deckhand", username=username, is_bot=True)
        self.changed = Signal()
        self.updates = Updates(self.changed)
        self.files = Files(local)
        self.pace = Pace()
        self.local = local is not None
        self.privacy = False
        """In groups the bot is told only what is meant for it: Telegram's default for a new bot."""
        self.topics_in_private = False
        self.chats: dict[int, LiveChat] = {}
        self.calls: list[Call] = []
        self.presses: dict[str, Press] = {}
        self.reactions: list[Reaction] = []
        self.actions: list[tuple[int, str]] = []
        """Chat and action of every sendChatAction."""
        self.commands: dict[tuple[str, str], list[dict[str, Any]]] = {}
        """By scope ("default", "chat:5", "chat_member:5:7", …) and language."""
        self.profile = Profile()
        self.last_id = 100
        self._last_number = 0

    # People and chats

    def person(self, id: int, name: str = "Ann", *, language_code: str = "en", username: str = "") -> Person:
        return Person(id=id, name=name, username=username or f"user{id}", language_code=language_code)

    def private(self, person: Person, *, forum: bool = False, started: bool = True) -> LiveChat:
        """The person's chat with the bot. `started=False`: they never wrote to it, so it may not write."""
        chat = self.chats[person.id] = LiveChat(self, person.id, "private", forum=forum)
        chat.members[person.id] = person
        chat.bot_status = "member" if started else "left"
        self.topics_in_private |= forum
        return chat

    def group(
        self,
        title: str,
        members: Sequence[Person],
        *,
        forum: bool = False,
        basic: bool = False,
        bot: str = "member",
    ) -> LiveChat:
        """A supergroup, or a basic group, with the bot as "member", "administrator" or "left"."""
        chat = self.add_chat("group" if basic else "supergroup", title, members, forum=forum)
        chat.bot_status = bot
        return chat

    def channel(self, title: str, members: Sequence[Person] = ()) -> LiveChat:
        """With the bot as an administrator, as it must be there."""
        chat = self.add_chat("channel", title, members)
        chat.bot_status = "administrator"
        return chat

    def add_chat(self, kind: str, title: str, members: Sequence[Person], *, forum: bool = False) -> LiveChat:
        chat_id = (-4_000_000 if kind == "group" else -1_002_000_000_000) - self.number()
        chat = self.chats[chat_id] = LiveChat(self, chat_id, kind, title=title, forum=forum)
        chat.members |= {person.id: person for person in members}
        return chat

    def chat(self, chat_id: int | str) -> LiveChat:
        if not isinstance(chat_id, int) or chat_id not in self.chats:
            refuse("chat not found")
        return self.chats[chat_id]

    def number(self) -> int:
        """One that nothing else here has."""
        self._last_number += 1
        return self._last_number

    # What a test reads

    def called(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]

    def refused(self) -> list[Call]:
        """Requests that broke a rule: a flawless bot has none that the test did not provoke."""
        return [call for call in self.calls if call.broke_rule]

    def over_pace(self, gap: float) -> int:
        """Edits that came less than `gap` seconds after their message was sent or last edited."""
        return self.pace.edits_within(gap)

    async def until(
        self, holds: Callable[[], T], seconds: float = 60, tell: Callable[[], str] = lambda: ""
    ) -> T:
        """What `holds` returned once it was true; it is asked at every change."""
        end = time.monotonic() + seconds
        while not (found := holds()):
            left = end - time.monotonic()
            assert left > 0, f"not within {seconds:g} s:\n{tell()}"
            await self.changed.wait(left)
        return found
