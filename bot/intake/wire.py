"""Events as JSON: what the inbox keeps of those that wait for an answer."""

from dataclasses import replace
from typing import Final

from pydantic import TypeAdapter, ValidationError

from bot.chat import ChatRef, Incoming, MessageRef, Press
from storage.mail import InboxEntry

Kept = Incoming | Press
"""The others are dealt with before the platform is told that we have them."""

_KINDS: Final = {kind.__name__: TypeAdapter[Kept](kind) for kind in (Incoming, Press)}


def to_record(event: Kept) -> tuple[str, dict[str, object]]:
    """The event's kind, and all of it as JSON."""
    kind = type(event).__name__
    payload: dict[str, object] = _KINDS[kind].dump_python(event, mode="json")
    return kind, payload


def said_key(message: MessageRef) -> str:
    """What a message goes by in the inbox, however the platform numbers its events."""
    return f"{message.chat.key}:{message.message}"


def from_entry(entry: InboxEntry) -> Kept | None:
    """What was put in, in its chat as that is called by now.

    None for what another version of the program wrote and we cannot read.
    """
    adapter = _KINDS.get(entry.kind)
    if adapter is None:
        return None
    try:
        event = adapter.validate_python(dict(entry.payload))
    except ValidationError:
        return None
    chat = ChatRef.of(entry.platform, entry.chat)
    message = event.message and MessageRef(chat, event.message.message)
    return replace(event, chat=chat, message=message)
