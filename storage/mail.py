"""Records of what comes in and goes out: inbox, outbox, questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from storage.records import RunId

InboxId = NewType("InboxId", int)


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxEntry:
    """An event that a platform was told we have."""

    id: InboxId
    """Grows with the order of arrival."""
    platform: str
    chat: str
    """Key of the conversation that it happened in."""
    kind: str
    payload: Mapping[str, object]
    received_at: datetime
    reply: str | None = None
    """The id of the message that acknowledges it."""


class OutboxState(StrEnum):
    NEW = "new"
    """To be sent; also after a definite no that said when to come again."""
    SENDING = "sending"
    """On its way. Found after a crash, it may have arrived or not."""
    SENT = "sent"
    UNKNOWN = "unknown"
    """It may have arrived or not, and must not be sent twice."""
    DEAD = "dead"
    """It will not arrive; `note` says why."""

    @property
    def is_final(self) -> bool:
        return self in (OutboxState.SENT, OutboxState.UNKNOWN, OutboxState.DEAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxPart:
    """One call of the delivery of a run's outcome, before it is tried."""

    kind: str
    payload: Mapping[str, object]
    """Only what JSON can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEntry:
    run_id: RunId
    seq: int
    """From 0, in the order of sending."""
    kind: str
    payload: Mapping[str, object]
    digest: str
    """SHA-256 of kind and payload."""
    state: OutboxState
    message_id: str | None
    attempts: int
    next_at: datetime | None
    """Not before then; None for at once."""
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a run asked its person; a run asks once."""

    run_id: RunId
    text: str
    options: tuple[str, ...]
    assumption: str
    """What the run goes on with when there is no answer."""
    asked_at: datetime
    message_id: str | None = None
    answer: str | None = None
    """None while there is none; the assumption once the time is over."""
