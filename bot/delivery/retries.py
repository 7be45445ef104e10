"""What follows when a chat did not take a part of a delivery. Pure: who waits and writes is in `sending`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.delivery.parts import PartKind, headline_of
from bot.errors import (
    ChatBusy,
    ChatError,
    ChatGone,
    ChatRefused,
    ChatUnreachable,
    FileRefused,
    MessageGone,
)
from storage.mail import OutboxEntry, OutboxState

GIVEN_UP_AFTER: Final = 24 * 3600.0
"""Seconds that a chat may be out of reach before a part is given up. The result is kept all the same."""
LONGEST_GAP: Final = 60.0
"""Seconds between two tries of what has not happened for certain."""
LONGEST_DOUBT: Final = 3600.0
"""Seconds between two tries of what may have happened: each may leave one more message in the chat."""


@dataclass(frozen=True, slots=True)
class Again:
    seconds: float


@dataclass(frozen=True, slots=True)
class Doubted:
    """It may have arrived, and must not arrive twice."""


@dataclass(frozen=True, slots=True)
class Plainly:
    """Once more, as plain text."""

    reason: str


@dataclass(frozen=True, slots=True)
class Renewed:
    """The message to edit has to be posted anew first."""


@dataclass(frozen=True, slots=True)
class Without:
    """The parcel can be handed over without this file."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Dead:
    reason: str


@dataclass(frozen=True, slots=True)
class Over:
    """Nobody is left to tell: this holds for all parts."""

    reason: str


Step = Again | Doubted | Plainly | Renewed | Without | Dead | Over


def repeatable(entry: OutboxEntry, entries: Sequence[OutboxEntry], *, lasting: bool) -> bool:
    """Whether a part that may have arrived may be sent once more.

    An edit may, since nothing doubles. A headline or a failure may double after a crash: better twice than
    never. Where messages do not last, what may not have been seen is written again.
    """
    match PartKind(entry.kind):
        case PartKind.SETTLE | PartKind.HEADLINE | PartKind.FAILURE:
            return True
        case PartKind.ANSWER:
            return not lasting or headline_of(entries, entry) is not None
        case PartKind.PARCEL | PartKind.NOTE:
            return not lasting


def after(
    fault: Exception,
    entry: OutboxEntry,
    *,
    edits: bool,
    may_repeat: bool,
    silent_for: float,
    chance: float = 0.0,
) -> Step:
    """`edits`: the call was an edit. `silent_for`: seconds since the chat could be reached last.

    `chance`, from 0 to 1, spreads tries of many chats over time. What the platform named is kept exactly.
    """
    tries, name = entry.attempts + 1, type(fault).__name__
    gave_up = silent_for >= GIVEN_UP_AFTER
    match fault:
        case ChatBusy(seconds=seconds):
            return Again(seconds)
        case ChatUnreachable():
            return Dead(str(fault)) if gave_up else Again(backoff(tries, chance))
        case ChatGone():
            return Over(str(fault))
        case MessageGone():
            return Renewed() if entry.kind == PartKind.ANSWER else Dead("gone")
        case FileRefused(name=file, reason=reason) if entry.kind == PartKind.PARCEL:
            return Without(file, reason)
        case ChatRefused(reason=reason):
            return Plainly(reason) if entry.kind == PartKind.ANSWER else Dead(reason)
        case _ if not may_repeat:
            return Doubted()
        case ChatError():
            longest = LONGEST_GAP if edits else LONGEST_DOUBT
            return Dead(str(fault)) if gave_up else Again(backoff(tries, chance, longest=longest))
        case _:  # a fault of the adapter's own, which the same words would meet again
            return Plainly(name) if entry.kind == PartKind.ANSWER else Dead(name)


def is_contact(fault: Exception) -> bool:
    """Whether the platform answered, be it with a no."""
    return isinstance(fault, ChatBusy | ChatRefused | ChatGone | MessageGone)


def backoff(tries: int, chance: float = 0.0, *, longest: float = LONGEST_GAP) -> float:
    """1, 2, 4, … seconds after the first, second, third try, and up to half of it more."""
    return min(longest, 2.0 ** min(tries - 1, 30)) * (1 + chance / 2)


def next_due(entries: Sequence[OutboxEntry]) -> OutboxEntry | None:
    """The part whose turn it is; None when all are final.

    Parts keep their order, except that the last frame of a progress message holds up no answer.
    """
    open_ones = [entry for entry in entries if not entry.state.is_final]
    held_up = [entry for entry in open_ones if not (entry.kind == PartKind.SETTLE and is_put_off(entry))]
    return next(iter(held_up or open_ones), None)


def is_put_off(entry: OutboxEntry) -> bool:
    return entry.state is OutboxState.NEW and entry.next_at is not None
