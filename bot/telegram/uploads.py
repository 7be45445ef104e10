"""A parcel of files as the call that carries it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from aiogram.methods import SendDocument, SendMediaGroup, SendPhoto, TelegramMethod
from aiogram.types import FSInputFile, InputMediaDocument, InputMediaPhoto

from bot.chat import Delivered
from bot.errors import FileRefused
from bot.telegram.forms import Place
from bot.telegram.session import PATIENCE
from bot.telegram.tame import tamed, visible

LONGEST_CAPTION = 1024
"""UTF-16 units; half as many characters always fit."""
SLOWEST = 100_000
"""Bytes a second, below which an upload is given up."""


def check(parcel: Sequence[Delivered], largest: int, *, local: bool) -> None:
    """Raises: FileRefused: Telegram would not take it, so that we need not even begin."""
    for file in parcel:
        if file.size > largest:
            raise FileRefused(file.name, "telegram-file-too-big-local" if local else "telegram-file-too-big")
        if not file.size:
            raise FileRefused(file.name, "telegram-file-empty")
        if not file.path.is_file():
            raise FileRefused(file.name, "telegram-file-unreadable")


def time_limit(parcel: Sequence[Delivered]) -> float:
    """Seconds."""
    return PATIENCE + sum(file.size for file in parcel) / SLOWEST


def upload(parcel: Sequence[Delivered], place: Place, *, photos: bool) -> TelegramMethod[Any]:
    """Silent: the headline has told that there is something."""
    files = list(zip(_names(parcel), parcel, strict=True))
    if len(files) > 1:
        return SendMediaGroup(
            chat_id=place.chat,
            message_thread_id=place.thread,
            reply_parameters=place.reply,
            disable_notification=True,
            media=[_photo(name, file) if photos else _document(name, file) for name, file in files],
        )
    [(name, file)] = files
    if photos:
        return SendPhoto(
            chat_id=place.chat,
            message_thread_id=place.thread,
            reply_parameters=place.reply,
            disable_notification=True,
            photo=_input(name, file),
            caption=_caption(name),
        )
    return SendDocument(
        chat_id=place.chat,
        message_thread_id=place.thread,
        reply_parameters=place.reply,
        disable_notification=True,
        document=_input(name, file),
        disable_content_type_detection=True,
    )


def _photo(name: str, file: Delivered) -> InputMediaPhoto:
    return InputMediaPhoto(media=_input(name, file), caption=_caption(name))


def _document(name: str, file: Delivered) -> InputMediaDocument:
    return InputMediaDocument(media=_input(name, file), disable_content_type_detection=True)


def _names(parcel: Sequence[Delivered]) -> list[str]:
    """The last part of each, or the whole where two would be the same."""
    short = [file.name.rpartition("/")[2] for file in parcel]
    often = Counter(short)
    return [
        visible(name if often[name] == 1 else file.name.replace("/", " - "))
        for name, file in zip(short, parcel, strict=True)
    ]


def _input(name: str, file: Delivered) -> FSInputFile:
    return FSInputFile(file.path, filename=name)


def _caption(name: str) -> str:
    """A photo does not show its name by itself."""
    return tamed(name)[: LONGEST_CAPTION // 2]
