"""A parcel of files as the call that carries it."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, BinaryIO

from aiogram import Bot
from aiogram.methods import SendDocument, SendMediaGroup, SendPhoto, TelegramMethod
from aiogram.types import InputFile, InputMediaDocument, InputMediaPhoto

from bot import disarm
from bot.chat import Delivered
from bot.errors import FileRefused
from bot.telegram.forms import Place
from bot.telegram.tame import tamed, visible

LONGEST_CAPTION = 1024
"""UTF-16 units; half as many characters always fit."""
CHUNK = 64 * 1024
TOO_BIG = "telegram-file-too-big"
TOO_BIG_LOCAL = "telegram-file-too-big-local"
SLOWEST = 100_000
"""Bytes a second, below which an upload is given up."""


class _Stream(InputFile):
    """aiogram's own leaves a file open when its upload is cut."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        super().__init__(filename=name)
        self._file = file

    async def read(self, bot: Bot) -> AsyncGenerator[bytes]:
        self._file.seek(0)
        while chunk := await asyncio.to_thread(self._file.read, CHUNK):
            yield chunk


@contextmanager
def opened(parcel: Sequence[Delivered], largest: int, *, local: bool) -> Generator[list[InputFile]]:
    """Raises: FileRefused: Telegram would not take one of them, so that we need not even begin."""
    with ExitStack() as stack:
        streams: list[InputFile] = []
        for file, name in zip(parcel, _names(parcel), strict=True):
            if file.size > largest:
                raise FileRefused(file.name, TOO_BIG_LOCAL if local else TOO_BIG)
            if not file.size:
                raise FileRefused(file.name, "telegram-file-empty")
            try:
                streams.append(_Stream(stack.enter_context(file.path.open("rb")), name))
            except OSError as fault:
                raise FileRefused(file.name, "telegram-file-unreadable") from fault
        yield streams


def time_needed(parcel: Sequence[Delivered]) -> float:
    """Seconds that the bytes alone may take."""
    return sum(file.size for file in parcel) / SLOWEST


def uploading(files: Sequence[InputFile], place: Place, *, photos: bool) -> TelegramMethod[Any]:
    """Silent: the headline has told that there is something."""
    if len(files) > 1:
        return SendMediaGroup(
            chat_id=place.chat,
            message_thread_id=place.thread,
            reply_parameters=place.reply,
            disable_notification=True,
            media=[_photo(file) if photos else _document(file) for file in files],
        )
    [file] = files
    if photos:
        return SendPhoto(
            chat_id=place.chat,
            message_thread_id=place.thread,
            reply_parameters=place.reply,
            disable_notification=True,
            photo=file,
            caption=_caption(file),
        )
    return SendDocument(
        chat_id=place.chat,
        message_thread_id=place.thread,
        reply_parameters=place.reply,
        disable_notification=True,
        document=file,
        disable_content_type_detection=True,
    )


def _photo(file: InputFile) -> InputMediaPhoto:
    return InputMediaPhoto(media=file, caption=_caption(file))


def _document(file: InputFile) -> InputMediaDocument:
    return InputMediaDocument(media=file, disable_content_type_detection=True)


def _names(parcel: Sequence[Delivered]) -> list[str]:
    """The last part of each, or the whole where two would be the same."""
    short = [file.name.rpartition("/")[2] for file in parcel]
    often = Counter(short)
    return [
        visible(name if often[name] == 1 else file.name.replace("/", " - "))
        for name, file in zip(short, parcel, strict=True)
    ]


def _caption(file: InputFile) -> str:
    """A photo does not show its name by itself."""
    return tamed(disarm.file_name(file.filename or ""))[: LONGEST_CAPTION // 2]
