"""What a chat platform is to the rest of Deckhand: one small Protocol and the values that cross it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, Self

from bot.texts import Language


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """One thing that a person said, with its files."""

    chat: ChatRef
    sender: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    message: MessageRef | None = None
    language: Language | None = None
    """What the person has chosen; None lets the text tell."""


class MessageKind(StrEnum):
    PROGRESS = "progress"
    """Plain text, edited in place while a run works; posted silently. An adapter may add a way to cancel."""
    SETTLED = "settled"
    """The last frame of a progress message: the run is over, and with it the way to cancel."""
    ANSWER = "answer"
    """Markdown written by a model: not trusted, and the message that should notify the person."""
    NOTICE = "notice"
    """Plain text: an acknowledgement, a refusal, the reply to a command."""
    FAILURE = "failure"
    """Plain text: why there is no answer. It notifies the person like an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    text: str
    kind: MessageKind = MessageKind.NOTICE
    footer: str = ""
    """The part that changes with the clock alone (elapsed time, counts). It belongs below the text."""
    run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A file on its way to a person."""

    name: str
    """Safe to show and to save under; relative, with `/` between its parts."""
    path: Path
    """On the host. Only its bytes are moved."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often a progress message may change. Seconds."""

    gap: float
    """At least this long between two edits of one message."""
    heartbeat: float | None
    """At most this long without an edit while a run works; None for an adapter that shows changes only."""


class OnIncoming(Protocol):
    """What an adapter calls for each message. It returns when the message is stored, not when answered."""

    async def __call__(self, incoming: Incoming) -> None: ...


class ChatAdapter(Protocol):
    """One chat platform. Every method but `serve` may raise `ChatError`; `ChatBusy` tells when to retry."""

    @property
    def platform(self) -> str:
        """A short constant name; it is stored with conversations."""
        ...

    @property
    def pace(self) -> Pace: ...

    async def serve(self, on_incoming: OnIncoming) -> None:
        """Receive until the source ends or the task is cancelled.

        A platform is told that a message was received only after `on_incoming` returned.
        """
        ...

    async def post(
        self, chat: ChatRef, message: Message, *, reply_to: MessageRef | None = None
    ) -> MessageRef:
        """A new message."""
        ...

    async def edit(self, ref: MessageRef, message: Message) -> None:
        """Replace a message of ours. An edit that changes nothing is a success."""
        ...

    async def attach(self, chat: ChatRef, files: Sequence[Delivered]) -> None:
        """Hand the files over, in this order.

        Raises:
            FileRefused: the platform does not take one of them; the others were sent.
        """
        ...

    def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """The file's bytes in chunks of at most 1 MiB."""
        ...
