"""The door: who comes in, how often, and what strangers and groups are told. Nothing is kept here."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import structlog

from bot.access import Knock, Verdict
from bot.buttons import Action
from bot.chat import ChatAdapter, ChatKind, ChatRef, Incoming, Joined, Message, Press, Sender
from bot.commands import parse
from bot.errors import ChatError
from bot.intake.flood import EVENTS_A_MINUTE, MINUTE, Flood, Seldom
from bot.tasks import Tasks
from bot.texts import Language, Texts, language_of, texts
from storage.members import Person

_log = structlog.stdlib.get_logger(__name__)


class Guard(Protocol):
    async def judge(self, event: Incoming | Press | Joined) -> Verdict: ...

    async def admin(self, platform: str, sender: str) -> bool: ...

    async def may_begin(self, chat: ChatRef, sender: str) -> None:
        """
        Raises:
            Refused: the person, or the chat, has had its share.
        """
        ...

    def beginning(self, chat: ChatRef, sender: str) -> AbstractAsyncContextManager[None]:
        """`may_begin` for a block that stores the run."""
        ...

    async def pair(self, incoming: Incoming) -> bool:
        """Whether a stranger's private words held the code that makes an admin."""
        ...

    async def knock(self, event: Incoming | Press) -> Knock | None:
        """What a stranger is told, and who else is; None for all but their first word."""
        ...

    async def joined(self, event: Joined) -> bool:
        """Whether to stay in a group that we were added to."""
        ...

    async def moved(self, platform: str, old: str, new: str) -> None:
        """A chat has another id: what was allowed there goes on being allowed."""
        ...


class Introduces(Protocol):
    async def introduce(self, stranger: Sender, admins: Sequence[Person]) -> None:
        """Ask the admins whether to let somebody in."""
        ...


class Door:
    def __init__(
        self,
        guard: Guard,
        greeter: Introduces,
        adapters: Mapping[str, ChatAdapter],
        tasks: Tasks,
        *,
        clock: Callable[[], float],
        fallback: Language = Language.ENGLISH,
        events_a_minute: int = EVENTS_A_MINUTE,
    ) -> None:
        """`clock` is monotonic, in seconds."""
        self._guard = guard
        self._greeter = greeter
        self._adapters = adapters
        self._tasks = tasks
        self._fallback = fallback
        self._flood = Flood(clock, events_a_minute)
        self._hushed = Seldom(clock, MINUTE)

    async def admits(self, event: Incoming | Press) -> bool:
        """Whether to go on with an event. Whoever is sent away hears of it once in a while.

        Raises:
            StorageError: it cannot be known.
        """
        who = (event.chat.platform, event.sender.id)
        verdict = await self._guard.judge(event)
        if verdict is Verdict.DENIED:
            return False
        room = self._flood.has_room(who)
        if verdict is Verdict.STRANGER:
            if room:
                await self._turn_away(event)
            return False
        if room or _stops_a_run(event):
            return True
        if self._hushed.passes(who):
            self._say(event, self._texts(event)("flood"))
        return False

    async def joined(self, event: Joined) -> None:
        """A group of somebody who is no admin is left again, with a word."""
        t = texts(event.sender.language or self._fallback)
        welcome = await self._guard.joined(event)
        adapter = self._adapters[event.chat.platform]
        try:
            await adapter.post(event.chat, Message(text=t("group-hello" if welcome else "group-goodbye")))
        except ChatError as fault:
            _log.info("group_not_told", reason=repr(fault))
        if not welcome:
            await adapter.leave(event.chat)

    async def _turn_away(self, event: Incoming | Press) -> None:
        t = self._texts(event)
        if isinstance(event, Incoming):
            if event.edited:
                return
            if event.kind is ChatKind.PRIVATE and await self._guard.pair(event):
                self._say(event, t("access-paired"))
                return
        if (knock := await self._guard.knock(event)) is not None:
            self._say(event, t(knock.line))
            if knock.admins:
                self._tasks.spawn(self._greeter.introduce(event.sender, knock.admins), "knock")

    def _say(self, event: Incoming | Press, text: str) -> None:
        self._tasks.spawn(self._tell(event, text), "door")

    async def _tell(self, event: Incoming | Press, text: str) -> None:
        adapter = self._adapters[event.chat.platform]
        try:
            if isinstance(event, Press):
                await adapter.toast(event, text)
            else:
                await adapter.post(event.chat, Message(text=text), reply_to=event.message)
        except ChatError as fault:
            _log.info("not_told", reason=repr(fault))

    def _texts(self, event: Incoming | Press) -> Texts:
        said = language_of(event.text) if isinstance(event, Incoming) else None
        return texts(said or event.sender.language or self._fallback)


def _stops_a_run(event: Incoming | Press) -> bool:
    """By the claim of it: whatever it is, it costs no more than a look."""
    if isinstance(event, Press):
        return event.data.startswith(f"{Action.CANCEL}.")
    return command_word(event.text) == "cancel" and not event.attachments


def command_word(text: str) -> str:
    """The command's name that a text begins with, or nothing."""
    command = parse(text)
    return "" if command is None else command.name
