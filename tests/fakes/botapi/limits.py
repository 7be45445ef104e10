"""The Bot API's limits of size and shape, with the words that Telegram refuses in."""

import re
import struct
from collections.abc import Sequence
from typing import Any

from aiogram.types import (
    BotCommand,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    MessageEntity,
)
from pydantic import BaseModel

from tests.fakes.botapi.errors import refuse, too_large
from tests.fakes.botapi.markup import Entities, formatted, units
from tests.fakes.botapi.wire import Upload

MIB = 1024 * 1024
TEXT, CAPTION, ANSWER = 4096, 1024, 200
"""UTF-16 units."""
DATA = 64
"""Bytes of a button."""
UPLOAD, LOCAL_UPLOAD, PHOTO, DOWNLOAD = 50 * MIB, 2000 * MIB, 10 * MIB, 20 * MIB
"""Bytes of a file."""
PHOTO_SIDES, PHOTO_RATIO = 10_000, 20
"""Pixels of width and height together; the longer side over the shorter one."""
ALBUM = range(2, 11)
"""Telegram takes an "album" of one, against its own documentation; we do not."""
BUTTONS, ROW = 100, 8
"""In a message, in a row."""
KINDS_OF_BUTTON = {
    "url",
    "callback_data",
    "web_app",
    "login_url",
    "switch_inline_query",
    "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat",
    "copy_text",
    "callback_game",
    "pay",
    "disabled",
}


def text_of(
    text: str | None, mode: object, entities: Sequence[MessageEntity] | None, *, edit: bool = False
) -> tuple[str, Entities]:
    """A message's text after parsing: 1-4096 units."""
    if not text:
        refuse("message text is empty")
    plain, found = formatted(text, mode, entities)
    if not plain:
        refuse("text must be non-empty")
    if units(plain) > TEXT:
        refuse("MESSAGE_TOO_LONG" if edit else "message is too long")
    return plain, found


def caption_of(
    caption: str | None, mode: object, entities: Sequence[MessageEntity] | None
) -> tuple[str, Entities]:
    plain, found = formatted(caption or "", mode, entities)
    if units(plain) > CAPTION:
        refuse("message caption is too long")
    return plain, found


def markup_of(markup: BaseModel | None) -> dict[str, Any] | None:
    if isinstance(markup, InlineKeyboardMarkup):
        rows = markup.inline_keyboard
        if sum(map(len, rows)) > BUTTONS or any(len(row) > ROW for row in rows):
            refuse("reply markup is too long")
        for button in (button for row in rows for button in row):
            _check_button(button)
        if not any(rows):
            return None
    return markup.model_dump(exclude_none=True) if markup else None


def _check_button(button: InlineKeyboardButton) -> None:
    if not button.text or len(KINDS_OF_BUTTON - _empty(button)) != 1:
        refuse("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    if button.callback_data is not None and not 1 <= len(button.callback_data.encode()) <= DATA:
        refuse("BUTTON_DATA_INVALID")


def _empty(model: BaseModel) -> set[str]:
    return {name for name in type(model).model_fields if getattr(model, name) is None}


def check_upload(upload: Upload, *, local: bool) -> None:
    if not upload.data:
        refuse("file must be non-empty")
    if len(upload.data) > (LOCAL_UPLOAD if local else UPLOAD):
        raise too_large()


def check_photo(upload: Upload) -> tuple[int, int]:
    """Its width and height, if Telegram would take it as a photo."""
    size = len(upload.data)
    if size > PHOTO:
        refuse(f"file of size {size} bytes is too big for a photo; the maximum size is {PHOTO} bytes")
    width, height = dimensions(upload.data)
    if not width or not height:
        refuse("IMAGE_PROCESS_FAILED")
    if width + height > PHOTO_SIDES or max(width, height) > PHOTO_RATIO * min(width, height):
        refuse("PHOTO_INVALID_DIMENSIONS")
    return width, height


def dimensions(data: bytes) -> tuple[int, int]:
    """Width and height as a PNG's or a JPEG's own header states them; zeros for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    place = 2 if data.startswith(b"\xff\xd8") else len(data)
    while place + 9 <= len(data):
        marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        place += 2 + length
    return 0, 0


def check_album(media: Sequence[Any]) -> None:
    if not media:
        refuse("there are no messages to send")
    if len(media) > ALBUM[-1]:
        refuse("too many messages to send as an album")
    if len(media) < ALBUM[0]:
        refuse("there are too few messages to send as an album")
    for kind in ("document", "audio"):
        if len({item.type == kind for item in media}) > 1:
            refuse(f"{kind} can't be mixed with other media types")


def check_commands(commands: Sequence[BotCommand]) -> None:
    if len(commands) > 100:
        refuse("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        if not re.fullmatch(r"[a-z0-9_]{1,32}", command.command):
            refuse("BOT_COMMAND_INVALID")
        if not 1 <= len(command.description) <= 256:
            refuse("BOT_COMMAND_DESCRIPTION_INVALID")
