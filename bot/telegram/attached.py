"""The files of a Telegram message, with names that a person would give them. Pure."""

import mimetypes
from collections.abc import Iterator
from typing import Protocol

from aiogram.types import Message

from bot.chat import Attachment

STICKER = "application/x-tgsticker"
SUFFIXES = {
    "image/webp": ".webp",
    "audio/ogg": ".ogg",
    "audio/mpeg": ".mp3",
}
"""Those that Python does not know, or knows otherwise."""


def attachments(message: Message) -> tuple[Attachment, ...]:
    return tuple(_found(message))


def _found(message: Message) -> Iterator[Attachment]:
    """A file id comes from nowhere but the message in hand: it opens any file that the bot ever saw."""
    if document := message.document:
        yield _named(message, "file", document, document.file_name)
    elif animation := message.animation:  # told as a document, too
        yield _named(message, "animation", animation, animation.file_name, usual="video/mp4")
    if message.photo:
        yield _attachment(_name(message, "photo", "image/jpeg"), message.photo[-1], "image/jpeg")
    if video := message.video:
        yield _named(message, "video", video, video.file_name, usual="video/mp4")
    if audio := message.audio:
        yield _named(message, "audio", audio, audio.file_name, usual="audio/mpeg")
    if voice := message.voice:
        yield _named(message, "voice", voice, None, usual="audio/ogg")
    if note := message.video_note:
        yield _attachment(_name(message, "video", "video/mp4"), note, "video/mp4")
    if sticker := message.sticker:  # a picture, but never one to work with
        yield _attachment(_name(message, "sticker", STICKER), sticker, STICKER)


class _Kept(Protocol):
    """A file as Telegram keeps it."""

    @property
    def file_id(self) -> str: ...
    @property
    def file_size(self) -> int | None: ...


class _Typed(_Kept, Protocol):
    @property
    def mime_type(self) -> str | None: ...


def _named(message: Message, kind: str, file: _Typed, name: str | None, usual: str = "") -> Attachment:
    """`usual`: the media type of such files, which Telegram need not tell."""
    media_type = file.mime_type or usual
    return _attachment(name or _name(message, kind, media_type), file, media_type)


def _attachment(name: str, file: _Kept, media_type: str) -> Attachment:
    return Attachment(name=name, handle=file.file_id, size=file.file_size, media_type=media_type)


def _name(message: Message, kind: str, media_type: str | None) -> str:
    """The message's number keeps the pictures of one album apart."""
    suffix = SUFFIXES.get(media_type or "") or mimetypes.guess_extension(media_type or "") or ""
    return f"{kind}-{message.date:%Y-%m-%d}-{message.message_id}{suffix}"
