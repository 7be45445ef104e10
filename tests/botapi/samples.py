"""Small things that the tests of the server send."""

import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

from aiogram import Bot
from aiogram.types import (
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaDocument,
    InputRichBlockTable,
    InputRichMessage,
    MessageEntity,
    RichBlockTableCell,
)

Act = Callable[[Bot], Awaitable[Any]]
ANN = 7


def png(width: int, height: int) -> bytes:
    """The smallest file that says it has this size."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


def jpeg(width: int, height: int) -> bytes:
    return (
        b"\xff\xd8\xff\xe0\x00\x04\x00\x00\xff\xc0\x00\x0b\x08" + struct.pack(">HH", height, width) + bytes(9)
    )


def file(data: bytes = b"1", name: str = "a.csv") -> BufferedInputFile:
    return BufferedInputFile(data, name)


def photo(width: int, height: int) -> BufferedInputFile:
    return BufferedInputFile(png(width, height), "a.png")


def documents(count: int) -> list[Any]:
    return [InputMediaDocument(media=file()) for _ in range(count)]


def button(data: str) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup(inline_keyboard=[[InlineKeyboardButton(text="Go", callback_data=data)]])


def entity(offset: int, length: int, kind: str = "bold") -> MessageEntity:
    return MessageEntity(type=kind, offset=offset, length=length)


def table(columns: int) -> InputRichMessage:
    row = [RichBlockTableCell(align="left", valign="top", text="x") for _ in range(columns)]
    return InputRichMessage(blocks=[InputRichBlockTable(cells=[row])])
