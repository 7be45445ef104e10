"""The files of a Telegram message, with names that a person would give them. Pure."""

import mimetypes
from collections.abc import Iterator

from aiogram.types import Message

from bot.chat import Attachment

STICKERS = {"tgs": "is_animated", "webm": "is_video"}


def attachments(message: Message) -> tuple[Attachment, ...]:
    return tuple(_found(message))


def _found(message: Message) -> Iterator[Attachment]:
    """A file id comes from nowhere but the message in hand: it opens any file that the bot ever saw."""
    if document := message.document:  # an animation is told as a document, too
        name = document.file_name or _name(message, "file", document.mime_type)
        yield Attachment(name=name, handle=document.file_id, size=document.file_size)
    elif animation := message.animation:
        name = animation.file_name or _name(message, "animation", animation.mime_type)
        yield Attachment(name=name, handle=animation.file_id, size=animation.file_size)
    if message.photo:
        largest = message.photo[-1]
        yield Attachment(
            name=_name(message, "photo", "image/jpeg"), handle=largest.file_id, size=largest.file_size
        )
    for kind, sound in (("video", message.video), ("audio", message.audio)):
        if sound:
            name = sound.file_name or _name(message, kind, sound.mime_type)
            yield Attachment(name=name, handle=sound.file_id, size=sound.file_size)
    if voice := message.voice:
        name = _name(message, "voice", voice.mime_type or "audio/ogg")
        yield Attachment(name=name, handle=voice.file_id, size=voice.file_size)
    if note := message.video_note:
        name = _name(message, "video", "video/mp4")
        yield Attachment(name=name, handle=note.file_id, size=note.file_size)
    if sticker := message.sticker:
        suffix = next((end for end, flag in STICKERS.items() if getattr(sticker, flag)), "webp")
        name = f"{_name(message, 'sticker', None)}.{suffix}"
        yield Attachment(name=name, handle=sticker.file_id, size=sticker.file_size)


def _name(message: Message, kind: str, mime_type: str | None) -> str:
    """The message's number keeps the pictures of one album apart."""
    suffix = (mimetypes.guess_extension(mime_type) if mime_type else None) or ""
    return f"{kind}-{message.date:%Y-%m-%d}-{message.message_id}{suffix}"
