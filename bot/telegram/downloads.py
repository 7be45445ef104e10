"""Files of people, fetched from Telegram or from a Bot API server of one's own."""

import asyncio
import os
import stat
from collections.abc import AsyncGenerator
from contextlib import aclosing
from http import HTTPStatus
from math import ceil
from pathlib import Path
from typing import BinaryIO

import structlog
from aiogram import Bot
from aiogram.methods import GetFile
from aiogram.types import File
from aiohttp import ClientError, ClientResponseError

from bot.chat import Attachment
from bot.errors import ChatRefused, ChatUnreachable, FileRefused
from bot.telegram.calls import ask
from bot.telegram.faults import TooLarge

LARGEST = 20 * 1024 * 1024
"""Bytes of one file that Telegram's own server hands over; a local one knows no limit."""
CHUNK = 256 * 1024
SLOWEST = 50_000
"""Bytes a second, below which we give up."""

TOO_BIG = "telegram-download-too-big"
MISSING = "telegram-file-missing"
NOT_SHARED = "telegram-file-not-shared"

_log = structlog.stdlib.get_logger(__name__)


async def fetch(bot: Bot, attachment: Attachment, shared: Path | None) -> AsyncGenerator[bytes]:
    """`shared`: the folder of a local server; without it files come over HTTP.

    Everything but a definite no may be tried again, since reading changes nothing.
    """
    if shared is None and attachment.size is not None and attachment.size > LARGEST:
        raise FileRefused(attachment.name, TOO_BIG)
    try:
        found = await ask(bot, GetFile(file_id=attachment.handle))
    except TooLarge:
        raise FileRefused(attachment.name, TOO_BIG) from None
    except ChatRefused:
        raise FileRefused(attachment.name, MISSING) from None
    if not found.file_path:
        raise FileRefused(attachment.name, MISSING)
    if shared is None:
        chunks = _remote(bot, attachment.name, found)
    else:
        chunks = _local(attachment.name, Path(found.file_path), shared)
    async with aclosing(chunks):
        async for chunk in chunks:
            yield chunk


async def _remote(bot: Bot, name: str, found: File) -> AsyncGenerator[bytes]:
    address = bot.session.api.file_url(bot.token, found.file_path or "")
    limit = bot.session.timeout + (found.file_size or LARGEST) / SLOWEST
    try:
        async with aclosing(
            bot.session.stream_content(address, timeout=ceil(limit), chunk_size=CHUNK)
        ) as body:
            async for chunk in body:
                yield chunk
        return
    except (ClientError, TimeoutError) as error:
        gone = isinstance(error, ClientResponseError) and error.status == HTTPStatus.NOT_FOUND
        fault = FileRefused(name, MISSING) if gone else ChatUnreachable(type(error).__name__)
    raise fault  # out here: the original holds the address, and that the token


async def _local(name: str, path: Path, shared: Path) -> AsyncGenerator[bytes]:
    opened = await asyncio.to_thread(_open, path, shared)
    if opened is None:
        _log.error("telegram_file_not_shared", folder=str(shared))
        raise FileRefused(name, NOT_SHARED)
    try:
        while chunk := await asyncio.to_thread(opened.read, CHUNK):
            yield chunk
    finally:
        opened.close()


def _open(path: Path, shared: Path) -> BinaryIO | None:
    """None for all but a regular file below the folder that the server shares with us."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(shared.resolve(strict=True)):
            return None
        handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    return None
