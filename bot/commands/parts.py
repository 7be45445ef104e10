"""What commands work with: the question, the reply, and what they need of the rest of the bot."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from bot.access import Access
from bot.buttons import Action
from bot.chat import Button, ChatKind, ChatRef, Incoming, MessageKind
from bot.commands.menu import Command
from bot.dispatch import Standing
from bot.ops.check import Check
from bot.settings import Prices
from bot.snapshot import Outcome, Snapshot
from bot.texts import Texts
from storage.conversations import Conversations
from storage.events import Events
from storage.outbox import Outbox
from storage.people import People
from storage.records import Brand, Conversation, ConversationId, Run, RunId, utc_now
from storage.runs import Runs
from storage.spending import Spending

if TYPE_CHECKING:
    from agent.factbook import Fact

Rows = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    buttons: Rows = ()
    kind: MessageKind = MessageKind.NOTICE


@dataclass(frozen=True, slots=True)
class Erased:
    runs: int
    left: int = 0
    """Runs that did not stop in time, so that they are still there."""


class File(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...


class Made(Protocol):
    async def of(self, run_id: RunId, /) -> tuple[Sequence[File], Sequence[str]]:
        """The deliverables of a run, and the names of those that are lost."""
        ...


class Dispatches(Protocol):
    def standings(self, conversation_id: ConversationId | None = None) -> tuple[Standing, ...]: ...

    def cancel(self, run_id: RunId) -> bool: ...


class Looks(Protocol):
    def snapshot(self, run_id: RunId) -> Snapshot | None: ...


class Signs(Protocol):
    def button(self, chat: ChatRef, text: str, action: Action, subject: str, choice: str = "") -> Button: ...


class Resends(Protocol):
    async def resend(self, run: Run, outcome: Outcome, *, everything: bool = False) -> int:
        """Begin to send what has not arrived, or all files again. How many parts that takes."""
        ...


class Adopts(Protocol):
    async def adopt(self, conversation: Conversation, incoming: Incoming) -> Brand:
        """Make the message's file the template of the conversation.

        Raises:
            Refused: it is none.
        """
        ...

    async def drop(self, conversation: Conversation) -> None: ...


class SendsBundles(Protocol):
    async def send(self, run: Run) -> bool:
        """Begin to send what a run's results can be computed from elsewhere. False where there is nothing."""
        ...


class Welcomes(Protocol):
    async def welcome(self, platform: str, person: str) -> None:
        """Tell somebody that they are in. Never raises for a chat that cannot be reached."""
        ...


class Erases(Protocol):
    async def erase_person(self, platform: str, person: str, *, rights: bool = False) -> Erased: ...

    async def erase_chat(self, platform: str, chat: str) -> Erased: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    access: Access
    people: People
    spending: Spending
    conversations: Conversations
    runs: Runs
    events: Events
    outbox: Outbox
    dispatcher: Dispatches
    worker: Looks
    made: Made
    buttons: Signs
    resends: Resends
    erases: Erases
    welcomes: Welcomes
    brands: Adopts
    bundles: SendsBundles
    facts: "Callable[[RunId], Awaitable[Sequence[Fact]]]"
    """What a run stated with a source."""
    examine: Callable[[], Awaitable[Sequence[Check]]]
    """What `deckhand doctor` looks at."""
    prices: Prices | None = None
    clock: Callable[[], datetime] = utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A command, by whom and where."""

    command: Command
    incoming: Incoming
    conversation: Conversation
    admin: bool
    t: Texts

    @property
    def platform(self) -> str:
        return self.incoming.chat.platform

    @property
    def sender(self) -> str:
        return self.incoming.sender.id

    @property
    def private(self) -> bool:
        return self.incoming.kind is ChatKind.PRIVATE

    @property
    def words(self) -> list[str]:
        return self.command.arguments.split()


Handler = Callable[[Asked, Parts], Awaitable[Reply]]


async def history(conversation: Conversation, runs: Runs, limit: int = 50) -> tuple[Run, ...]:
    """The conversation's runs that are not forgotten, newest first."""
    known = await runs.list(limit, conversation_id=conversation.id)
    last = conversation.begun_after
    return tuple(run for run in known if run.request and (last is None or run.id > last))


async def replied_to(asked: Asked, parts: Parts) -> RunId | None:
    """The run of the message that the command replies to. It is one of this conversation."""
    if asked.incoming.reply_to is None:
        return None
    return await parts.outbox.run_of(asked.platform, asked.incoming.chat.key, asked.incoming.reply_to)
