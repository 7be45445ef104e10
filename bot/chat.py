"""What a chat platform is to the rest of Deckhand: one small Protocol and the values that cross it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol, Self

from bot.texts import Language
from storage.records import utc_now


@dataclass(frozen=True, slots=True)
class ChatRef:
    """Where a conversation takes place. Two messages with equal refs belong to one conversation."""

    platform: str
    chat: str
    thread: str = ""
    """A topic or thread inside the chat; empty where there is none."""

    @property
    def key(self) -> str:
        """The conversation's name inside its platform. No platform has a slash in the id of a chat."""
        return f"{self.chat}/{self.thread}" if self.thread else self.chat

    @classmethod
    def of(cls, platform: str, key: str) -> Self:
        chat, _, thread = key.partition("/")
        return cls(platform=platform, chat=chat, thread=thread)


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message that we posted and may edit, or one of a person that we may reply to."""

    chat: ChatRef
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file that a person sent. Its name and size are claims; its bytes come through `fetch`."""

    name: str
    handle: str
    """What the adapter needs to fetch it: a file id, an address, a path."""
    size: int | None = None
    """Bytes as the platform states them; None when it does not."""
    media_type: str = ""
    """As the platform or the sender's client states it; empty when nobody does."""


class ChatKind(StrEnum):
    PRIVATE = "private"
    GROUP = "group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who did something, as the platform vouches for it."""

    id: str
    name: str = ""
    """A claim, for admins' eyes."""
    language: Language | None = None
    """Of their client: a hint for where nothing else tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One thing that a person said, with its files."""

    chat: ChatRef
    sender: Sender
    text: str
    attachments: tuple[Attachment, ...] = ()
    message: MessageRef | None = None
    language: Language | None = None
    """What the person has chosen; None lets the text tell."""
    event: str = ""
    """Unique among all events of the platform, for ever; empty where nothing is ever told twice."""
    at: datetime = field(default_factory=utc_now)
    kind: ChatKind = ChatKind.PRIVATE
    title: str = ""
    """Of a group: a claim, for admins' eyes."""
    addressed: bool = True
    """In a group: we were mentioned, replied to or commanded. The mention is not part of `text`."""
    reply_to: str | None = None
    """The id of the message in this chat that this one replies to."""
    reply_author: Sender | None = None
    """Who wrote that message, or the one that it passes on; None when the platform does not tell."""
    batch: str = ""
    """Equal for messages that the person sent as one, such as an album."""
    edited: bool = False
    """The new wording of `message`, which was said before."""
    forwarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """Someone pressed a button of ours. Anybody can send any `data`: it is a claim."""

    chat: ChatRef
    sender: Sender
    data: str
    handle: str
    """What the adapter needs to answer the press."""
    message: MessageRef | None = None
    """The message that had the button, if the platform still knows it."""
    event: str = ""
    at: datetime = field(default_factory=utc_now)
    kind: ChatKind = ChatKind.PRIVATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """We were added to a group."""

    chat: ChatRef
    sender: Sender
    title: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """We were removed from a group, or blocked by a person."""

    chat: ChatRef
    event: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The chat has another address from now on; all its threads move along."""

    chat: ChatRef
    to: ChatRef
    event: str = ""


Event = Incoming | Press | Joined | Left | Moved


class MessageKind(StrEnum):
    PROGRESS = "progress"
    """Plain text, edited in place while a run works; posted silently. An adapter may add a way to cancel."""
    SETTLED = "settled"
    """The last frame of a progress message: the run is over, and with it the way to cancel."""
    ANSWER = "answer"
    """Markdown written by a model: not trusted, and the message that should notify the person."""
    HEADLINE = "headline"
    """Plain text: says that the answer is there, and is then edited into it. It notifies the person."""
    QUESTION = "question"
    """Plain text with buttons. It notifies the person."""
    NOTICE = "notice"
    """Plain text: an acknowledgement, a refusal, the reply to a command."""
    FAILURE = "failure"
    """Plain text: why there is no answer. It notifies the person like an answer."""


@dataclass(frozen=True, slots=True)
class Button:
    text: str
    data: str
    """Comes back in a `Press`: at most 64 bytes of ASCII."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    text: str
    kind: MessageKind = MessageKind.NOTICE
    footer: str = ""
    """The part that changes with the clock alone (elapsed time, counts). It belongs below the text."""
    run_id: str | None = None
    buttons: tuple[tuple[Button, ...], ...] = ()
    """Rows of them. A message that is edited has those of its last edit."""
    page: int = 0
    """Which part of a text that takes several messages; see `ChatAdapter.pages`."""
    rich: bool = False
    """The chat has asked for the platform's richest form of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A file on its way to a person."""

    name: str
    """Safe to show and to save under; relative, with `/` between its parts."""
    path: Path
    """On the host. Only its bytes are moved."""
    size: int
    """Bytes."""
    as_file: bool = False
    """To be handed over as the file that it is, also where a chat could show it as a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often a progress message may change. Seconds."""

    gap: float
    """At least this long between two edits of one message."""
    heartbeat: float | None
    """At most this long without an edit while a run works; None for an adapter that shows changes only."""


class OnEvent(Protocol):
    """What an adapter calls for each event, one at a time and in their order.

    It returns when the event is stored, not when it is answered.
    """

    async def __call__(self, event: Event, /) -> None:
        """Raises: StorageError: it could not be stored. The platform must not be told that we have it."""
        ...


class ChatAdapter(Protocol):
    """One chat platform. Its calls raise `ChatError`, whose kinds say whether a call may be repeated.

    No call waits for the platform's pace or repeats itself: its caller knows what is worth waiting for.
    """

    @property
    def platform(self) -> str:
        """A short constant name; it is stored with conversations."""
        ...

    @property
    def lasting(self) -> bool:
        """Whether messages stay where they are: a later process can edit them, and a doubled one would stay.

        Not so on a terminal: what may not have been seen is written again, and tables need no file.
        """
        ...

    def pace(self, chat: ChatRef) -> Pace:
        """How often a message in this chat may be edited. Pure."""
        ...

    async def serve(self, on_event: OnEvent) -> None:
        """Receive until the source ends or the task is cancelled.

        A platform is told that an event was received only after `on_event` returned.
        """
        ...

    async def post(
        self, chat: ChatRef, message: Message, *, reply_to: MessageRef | None = None
    ) -> MessageRef:
        """A new message. One that it should reply to and that is gone is no reason to fail."""
        ...

    async def edit(self, ref: MessageRef, message: Message) -> None:
        """Replace a message of ours. An edit that changes nothing is a success.

        Raises: MessageGone: there is nothing left to edit.
        """
        ...

    def pages(self, message: Message) -> int:
        """How many messages the text takes, at least 1: the first is `page` 0. Pure."""
        ...

    def parcels(self, files: Sequence[Delivered]) -> tuple[tuple[Delivered, ...], ...]:
        """How the files are best handed over: what goes together, in the order of sending. Pure."""
        ...

    async def attach(
        self, chat: ChatRef, parcel: Sequence[Delivered], *, reply_to: MessageRef | None = None
    ) -> None:
        """Hand one parcel over: all of it, or nothing.

        Raises: FileRefused: the platform does not take one of them.
        """
        ...

    async def react(self, ref: MessageRef) -> None:
        """Mark a person's message as seen."""
        ...

    async def toast(self, press: Press, text: str) -> None:
        """Answer a press, for the eyes of who pressed only. At most 200 characters."""
        ...

    async def leave(self, chat: ChatRef) -> None:
        """Leave a group."""
        ...

    def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """The file's bytes in chunks of at most 1 MiB.

        Raises: FileRefused: the platform does not hand it over; the reason is a `locales` key.
        """
        ...
