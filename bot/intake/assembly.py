"""Assembly: messages that a person sends in one go make one request. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Self

from bot.chat import Incoming
from storage.mail import InboxId


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds that we wait for more, counted from an arrival, before any download."""

    files: float = 1.2
    """After a message with files: the parts of an album come one by one, and nothing marks the last."""
    text: float = 0.7
    """After one without."""
    most: float = 10.0
    """Over all, from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One message on its way to become a request, or a part of one."""

    id: InboxId
    said: Incoming
    at: float
    """When it arrived, in seconds on some clock."""
    reply: str | None = None
    """The message that acknowledges it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What one person has said in one conversation, in the order of arrival."""

    parts: tuple[Part, ...] = ()
    held: int = 0
    """So many of the first parts are files that have been asked about, and wait for words."""
    edits: tuple[InboxId, ...] = ()
    """What put parts of it in other words."""

    def add(self, part: Part) -> Self:
        return replace(self, parts=(*self.parts, part))

    def hold(self) -> Self:
        return replace(self, held=len(self.parts))

    def due(self, patience: Patience) -> float:
        """When no more is waited for; never, while nothing came since files are held."""
        fresh = self.parts[self.held :]
        if not fresh:
            return inf
        quiet = max(part.at + (patience.files if part.said.attachments else patience.text) for part in fresh)
        return min(quiet, fresh[0].at + patience.most)

    def reworded(self, message: str, text: str, *edit: InboxId) -> Self | None:
        """With the new text of one of its messages; None when it has no such message."""
        if not any(_id(part) == message for part in self.parts):
            return None
        parts = (
            replace(part, said=replace(part.said, text=text)) if _id(part) == message else part
            for part in self.parts
        )
        return replace(self, parts=tuple(parts), edits=(*self.edits, *edit))

    @property
    def ids(self) -> tuple[InboxId, ...]:
        """All of the inbox that goes into it."""
        return (*(part.id for part in self.parts), *self.edits)

    @property
    def reply(self) -> str | None:
        return next((part.reply for part in self.parts if part.reply), None)

    @property
    def batches(self) -> frozenset[str]:
        return frozenset(part.said.batch for part in self.parts if part.said.batch)

    @property
    def files(self) -> int:
        return sum(len(part.said.attachments) for part in self.parts)

    def request(self) -> Incoming:
        """All of it as one message, in the order of sending: each text once, led by the first with text."""
        said = [part.said for part in sorted(self.parts, key=_order)]
        texts = dict.fromkeys(text for item in said if (text := words(item.text)))
        lead = next((item for item in said if words(item.text)), said[0])
        return replace(
            lead,
            text="\n".join(texts),
            attachments=tuple(chain.from_iterable(item.attachments for item in said)),
            reply_to=next((item.reply_to for item in said if item.reply_to), None),
            batch="",
        )


def words(text: str) -> str:
    """The text; nothing where it has neither letter nor digit: a sign or a smile asks for nothing."""
    return text.strip() if any(map(str.isalnum, text)) else ""


def replay(parts: Iterable[Part], patience: Patience) -> tuple[Draft, ...]:
    """What the parts of one person, in the order of arrival, would have become by now.

    Those with one acknowledgement belong together, however the clock may have run.
    """
    drafts: list[Draft] = []
    draft = Draft()
    for part in parts:
        together = part.reply is not None and part.reply == draft.reply
        if draft.parts and part.at > draft.due(patience) and not together:
            if draft.request().text:
                drafts.append(draft)
                draft = Draft()
            else:
                draft = draft.hold()
        draft = draft.add(part)
    return (*drafts, draft) if draft.parts else tuple(drafts)


def _id(part: Part) -> str | None:
    return part.said.message.message if part.said.message else None


def _order(part: Part) -> tuple[int, str, int]:
    """By the platform's number where there is one: an album may arrive in any order."""
    number = _id(part) or ""
    return len(number), number, part.id
