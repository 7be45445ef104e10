"""Access: who may use the bot. Nobody, until an admin says so; people are known by their ids alone."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, TypeVar, assert_never

from bot.chat import ChatKind, ChatRef, Event, Incoming, Joined, Left, Moved, Press, Sender
from bot.errors import Refused
from bot.quotas import DAY, Used, merged, refusal
from bot.render import shown
from storage.members import Allowance, AllowedChat, Person, Role
from storage.people import People
from storage.records import utc_now
from storage.spending import Spending

TRUSTED: Final = "terminal"
"""The platform whose person sits at our machine."""
GUESSES: Final = 3
"""Of a pairing code, by one person since the start."""
KNOCKS: Final = 20
"""Of strangers that admins hear of within an hour."""
_REMEMBERED: Final = 10_000
"""People and groups whose rights are in memory; strangers must not fill it."""
_CODE = re.compile(r"\s*(?:/(?:start|pair)(?:@\w+)?\s+)?([a-hjkmnp-z2-9]{8})\s*", re.IGNORECASE)

T = TypeVar("T")


class Verdict(StrEnum):
    ALLOWED = "allowed"
    ADMIN = "admin"
    STRANGER = "stranger"
    """Gets one polite line, and nothing of theirs is stored."""
    DENIED = "denied"
    """Gets no answer."""


@dataclass(frozen=True, slots=True)
class Knock:
    """The first word of a stranger."""

    line: str
    """The polite line: a key of `locales`."""
    admins: tuple[Person, ...] = ()
    """Whom to ask about them: nobody where it was in a group, or when many knock."""


@dataclass(slots=True)
class _Memory:
    """What the database said. An answer that was under way when a right changed is not kept."""

    known: dict[tuple[str, str, str], object] = field(default_factory=dict[tuple[str, str, str], object])
    changes: int = 0

    async def get(self, key: tuple[str, str, str], ask: Callable[[], Awaitable[T]]) -> T:
        if key in self.known:
            return self.known[key]  # pyright: ignore[reportReturnType]  # each kind of key has one type
        before = self.changes
        found = await ask()
        if before == self.changes:
            if len(self.known) >= _REMEMBERED:
                self.known.clear()
            self.known[key] = found
        return found

    def clear(self) -> None:
        self.changes += 1
        self.known.clear()


class Access:
    def __init__(
        self,
        people: People,
        spending: Spending,
        *,
        usual: Allowance,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """`usual` is what a person may use."""
        self.usual = usual
        self._people = people
        self._spending = spending
        self._clock = clock
        self._memory = _Memory()
        self._turn = asyncio.Lock()
        self._guesses: dict[tuple[str, str], int] = {}
        self._knocked: set[tuple[str, str]] = set()
        self._told: list[datetime] = []

    async def judge(self, event: Event) -> Verdict:
        """Raises:
        StorageError: it is not known now who may what, so nobody may anything.
        """
        platform = event.chat.platform
        if platform == TRUSTED:
            return Verdict.ADMIN
        match event:
            case Incoming() | Press():
                await self._learn_name(platform, event.sender)
                return await self._of_person(event.chat, event.sender.id, event.kind)
            case Joined():
                return await self._of_person(event.chat, event.sender.id, ChatKind.GROUP)
            case Left() | Moved():
                known = await self._chat(event.chat) or await self._person(platform, event.chat.chat)
                return Verdict.ALLOWED if known else Verdict.STRANGER
            case _:
                assert_never(event)

    async def admin(self, platform: str, sender: str) -> bool:
        if platform == TRUSTED:
            return True
        person = await self._person(platform, sender)
        return person is not None and person.role is Role.ADMIN

    async def admins(self, platform: str) -> tuple[Person, ...]:
        return tuple(person for person in await self._people.list(platform) if person.role is Role.ADMIN)

    async def pairing_code(self, platform: str) -> str | None:
        """A code that makes the first one who sends it an admin; None when there is an admin."""
        return None if await self.admins(platform) else await self._people.new_code(platform)

    async def pair(self, incoming: Incoming) -> bool:
        """Whether this was the pairing code, and its sender therefore is an admin now.

        Only in private: in a group everybody would read the code. A few wrong guesses are the last ones of
        that person, many are the last ones of anybody.
        """
        platform, sender = incoming.chat.platform, incoming.sender
        code = _CODE.fullmatch(incoming.text)
        if (
            code is None
            or incoming.kind is not ChatKind.PRIVATE
            or incoming.edited
            or incoming.forwarded
            or not sender.id
        ):
            return False
        person = await self._person(platform, sender.id)
        guesses = self._guesses.get((platform, sender.id), 0)
        if guesses >= GUESSES or (person is not None and person.role in (Role.ADMIN, Role.DENIED)):
            return False
        if len(self._guesses) >= _REMEMBERED:
            self._guesses.clear()
        self._guesses[platform, sender.id] = guesses + 1
        if not await self._people.redeem(platform, code[1], sender.id, name=_name(sender.name)):
            return False
        self._memory.clear()
        return True

    async def knock(self, event: Incoming | Press) -> Knock | None:
        """What the first word of a stranger, or in a strange group, gives cause for; None for later ones."""
        private = event.kind is ChatKind.PRIVATE
        who = (event.chat.platform, event.sender.id if private else event.chat.chat)
        if who in self._knocked:
            return None
        if len(self._knocked) >= _REMEMBERED:
            self._knocked.clear()
        self._knocked.add(who)
        now = self._clock()
        self._told = [at for at in self._told if now - at < timedelta(hours=1)]
        if not private:
            return Knock("access-group")
        admins = await self.admins(event.chat.platform)
        if not admins:
            return Knock("access-unpaired")
        if len(self._told) >= KNOCKS:
            return Knock("access-stranger")
        self._told.append(now)
        return Knock("access-stranger", admins)

    async def allow(
        self, platform: str, person: str, *, by: str, name: str = "", role: Role = Role.MEMBER
    ) -> None:
        await self._people.put(platform, person, role, name=_name(name), by=by)
        self._memory.clear()

    async def deny(self, platform: str, person: str, *, by: str) -> None:
        await self.allow(platform, person, by=by, role=Role.DENIED)

    async def allow_chat(self, chat: ChatRef, *, by: str, title: str = "") -> None:
        await self._people.allow_chat(chat.platform, chat.chat, title=_name(title), by=by)
        self._memory.clear()

    async def forbid_chat(self, chat: ChatRef) -> None:
        await self._people.forbid_chat(chat.platform, chat.chat)
        self._memory.clear()

    async def limit(self, platform: str, whose: str, allowance: Allowance) -> bool:
        """Of a person or a group; False when neither is known."""
        known = await self._people.limit(platform, whose, allowance)
        known = await self._people.limit_chat(platform, whose, allowance) or known
        self._memory.clear()
        return known

    async def joined(self, event: Joined) -> bool:
        """Whether to stay in a group that we were added to: an admin's adding allows it."""
        verdict = await self.judge(event)
        if verdict is Verdict.ADMIN:
            await self.allow_chat(event.chat, by=event.sender.id, title=event.title)
        return verdict in (Verdict.ADMIN, Verdict.ALLOWED)

    async def moved(self, platform: str, old: str, new: str) -> None:
        """The group has another id: its permission goes along."""
        await self._people.move_chat(platform, old, new)
        self._memory.clear()

    def forget(self) -> None:
        """Somebody else has changed rights."""
        self._memory.clear()

    async def may_begin(self, chat: ChatRef, sender: str) -> None:
        """Raises:
        Refused: they have used up what they may.
        """
        if await self.admin(chat.platform, sender):
            return
        person = await self._person(chat.platform, sender)
        if person is not None and person.role is Role.DENIED:  # since they said it
            key = "quota-denied"
            raise Refused(key)
        now = self._clock()
        own = person.allowance if person else Allowance()
        used = Used(
            spent=await self._spending.since(chat.platform, now - DAY, person=sender),
            unfinished=await self._spending.unfinished(chat.platform, person=sender),
        )
        refused = refusal(used, merged(own, self.usual), now, whose="person")
        group = await self._chat(chat)
        if refused is None and group is not None and group.allowance != Allowance():
            used = Used(
                spent=await self._spending.since(chat.platform, now - DAY, chat=chat.chat),
                unfinished=await self._spending.unfinished(chat.platform, chat=chat.chat),
            )
            refused = refusal(used, group.allowance, now, whose="chat")
        if refused is not None:
            raise Refused(refused.key, **refused.facts, ask=await self._whom_to_ask(chat.platform))

    @asynccontextmanager
    async def beginning(self, chat: ChatRef, sender: str) -> AsyncGenerator[None]:
        """`may_begin` for a block that stores the run: of many requests at once none slips through.

        Raises:
            Refused: as `may_begin` does.
        """
        async with self._turn:
            await self.may_begin(chat, sender)
            yield

    async def _of_person(self, chat: ChatRef, sender: str, kind: ChatKind) -> Verdict:
        person = await self._person(chat.platform, sender) if sender else None
        if not sender or (person is not None and person.role is Role.DENIED):
            return Verdict.DENIED
        if person is not None and person.role is Role.ADMIN:
            return Verdict.ADMIN
        known = person if kind is ChatKind.PRIVATE else await self._chat(chat)
        return Verdict.ALLOWED if known is not None else Verdict.STRANGER

    async def _learn_name(self, platform: str, sender: Sender) -> None:
        """Admins know people by what they call themselves now, and some were let in by a bare id."""
        person = await self._person(platform, sender.id) if sender.name else None
        if person is not None and person.name != (name := _name(sender.name)):
            await self._people.rename(platform, sender.id, name)
            self._memory.clear()

    async def _person(self, platform: str, person: str) -> Person | None:
        return await self._memory.get(
            ("person", platform, person), lambda: self._people.get(platform, person)
        )

    async def _chat(self, chat: ChatRef) -> AllowedChat | None:
        key = ("chat", chat.platform, chat.chat)
        return await self._memory.get(key, lambda: self._people.chat(chat.platform, chat.chat))

    async def _whom_to_ask(self, platform: str) -> str:
        admins = await self.admins(platform)
        return ", ".join(admin.name or admin.id for admin in admins[:3])


def _name(name: str) -> str:
    """A claim, short and harmless enough to be shown."""
    return shown(name, 64)
