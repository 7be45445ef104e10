"""What the rest of the program sees of storage: frozen values, ids of their own types, aware UTC times."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NewType

ConversationId = NewType("ConversationId", str)
RunId = NewType("RunId", str)
ArtifactId = NewType("ArtifactId", str)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS = 9
"""Milliseconds since 1970 in base 32, enough until the year 3084."""
_RANDOM_DIGITS = 6

UNKNOWN_TYPE: Final = "application/octet-stream"
"""The media type of bytes that nobody has described."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_id(prefix: str, at: datetime) -> str:
    """Sixteen characters of [a-z0-9], safe in names of files and containers, sorted by time to the ms."""
    milliseconds = (at - _EPOCH) // timedelta(milliseconds=1)  # a float would round two of them to one
    time = "".join(_ALPHABET[milliseconds >> 5 * digit & 31] for digit in reversed(range(_TIME_DIGITS)))
    return prefix + time + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_DIGITS))


def new_conversation_id(at: datetime | None = None) -> ConversationId:
    return ConversationId(new_id("c", at or utc_now()))


def new_run_id(at: datetime | None = None) -> RunId:
    return RunId(new_id("r", at or utc_now()))


def new_artifact_id(at: datetime | None = None) -> ArtifactId:
    return ArtifactId(new_id("a", at or utc_now()))


class RunStatus(StrEnum):
    """Where a run stands. The last three are final: a run in one of them never changes its status again."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in (RunStatus.FINISHED, RunStatus.FAILED, RunStatus.CANCELLED)


class ArtifactKind(StrEnum):
    INPUT = "input"
    """A person sent it."""
    OUTPUT = "output"
    """A run made it."""
    PREVIEW = "preview"
    """A picture of a page of an output."""
    RECORD = "record"
    """What a run leaves for questions about it: its facts, its scripts."""
    BRAND = "brand"
    """A chat's template for decks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a run has consumed, over all its attempts."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Those of the input tokens that the provider had in its prompt cache."""
    model_seconds: float = 0.0
    sandbox_runs: int = 0
    sandbox_seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(Usage)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What the people of a conversation have chosen."""

    rich: bool = False
    """The platform's richest form of an answer, which not every client shows."""
    previews: bool = True
    """Pictures before the files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brand:
    """A template for decks."""

    artifact_id: ArtifactId
    original: str
    """What the person called it."""
    size: int
    """Bytes."""
    layouts: int
    """Layouts that decks can choose from."""
    sender: str
    """Who sent it, by the platform's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One chat, thread or terminal: what a person means by "here"."""

    id: ConversationId
    platform: str
    key: str
    """The platform's own address of the conversation; unique within the platform."""
    created_at: datetime
    language: str | None = None
    """A chosen language, such as `ru`; None while nobody has chosen."""
    preferences: Preferences = Preferences()
    brand: Brand | None = None
    begun_after: RunId | None = None
    """The newest run when the conversation was begun anew: files up to it are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRef:
    """A file that a run works on."""

    name: str
    """The safe name that the guest sees."""
    original: str
    """What the person called it: shown, never used as a path."""
    artifact_id: ArtifactId
    size: int
    """Bytes."""
    made: bool = False
    """An earlier run of this conversation made it."""
    earlier: bool = False
    """It did not come with this request, but with an earlier one, or was made for that."""
    brand: bool = False
    """The chat's template for decks: laid out for scripts, but nothing to analyse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One request and what became of it."""

    id: RunId
    conversation_id: ConversationId
    request: str
    language: str
    inputs: tuple[InputRef, ...]
    status: RunStatus
    created_at: datetime
    started_at: datetime | None
    """When the first attempt began."""
    finished_at: datetime | None
    answer: str | None
    failure: str | None
    """A code, such as `budget`; the sentence is the bot's."""
    failure_detail: str | None
    usage: Usage
    attempt: int
    """How many times a process has begun or resumed it; 0 while it has never left the queue."""
    owner: str | None
    """The process that put it into its queue, claimed it last, or has its outcome to deliver."""
    delivered_at: datetime | None
    """When the chat had the outcome; None until then."""
    sender: str = ""
    """Who asked, by the platform's id; empty where a platform has only one person."""
    request_message: str | None = None
    """The id of the message that asked, in the conversation's chat."""
    progress_message: str | None = None
    """The id of the one message that shows how the run goes."""
    progress_settled: bool = False
    """That message shows the run's end."""
    repeats: RunId | None = None
    """The failed run that this one tries again; a run is tried again once."""
    redoes: RunId | None = None
    """The run whose scripts this one has for its own files: the same work on a new file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """Something that happened in a run."""

    run_id: RunId
    seq: int
    """From 1, without gaps, in the order of happening."""
    at: datetime
    kind: str
    payload: Mapping[str, object]
    """Only what JSON can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file that is kept. Two artifacts with the same bytes share their storage."""

    id: ArtifactId
    run_id: RunId | None
    """The run that made it; None for what a person sent, since several runs may refer to it."""
    name: str
    """As it was given: data, never a path."""
    size: int
    """Bytes."""
    sha256: str
    media_type: str
    created_at: datetime
    kind: ArtifactKind
