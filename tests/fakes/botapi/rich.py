"""Rich messages: their limits, the files in them, and their text as one string.

Telegram's words for these refusals are not public: the sentences are ours, the limits are its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aiogram.types import InputRichMessage

from tests.fakes.botapi.errors import refuse
from tests.fakes.botapi.files import StoredFile
from tests.fakes.botapi.limits import DATA
from tests.fakes.botapi.wire import Upload

LETTERS, BLOCKS, DEPTH, MEDIA, COLUMNS, BUTTONS_IN_ROW = 32_768, 500, 16, 50, 20, 8
WORDS = ("text", "summary", "caption", "credit", "label", "cells", "items", "blocks", "texts")
"""The fields of a block whose strings people read, in no order of importance."""

Keep = Callable[[Upload, str], StoredFile]


@dataclass(frozen=True, slots=True)
class Rich:
    text: str
    """All its words, a line per block; the source where it came as markdown or HTML."""
    content: dict[str, Any]
    files: tuple[StoredFile, ...]


def rich_of(message: InputRichMessage, keep: Keep) -> Rich:
    source = [text for text in (message.html, message.markdown) if text is not None]
    if len(source) + (message.blocks is not None) != 1:
        refuse("rich message must have exactly one of html, markdown and blocks")
    raw = message.model_dump(exclude_none=True)
    blocks = raw.get("blocks", [])
    text = source[0] if source else "\n".join(filter(None, (words(block) for block in blocks)))
    if not text.strip() and not blocks:
        refuse("message text is empty")
    if len(text.encode()) > LETTERS:
        refuse("rich message is too long")
    if _count(blocks) > BLOCKS or _depth(blocks) > DEPTH:
        refuse("rich message has too many blocks")
    _check(blocks)
    files: list[StoredFile] = []
    content = _kept(raw, keep, files)
    if len(files) > MEDIA:
        refuse("rich message has too many media")
    return Rich(text, content, tuple(files))


def words(value: Any) -> str:
    """What people read of a block or a piece of text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(filter(None, map(words, value)))
    if isinstance(value, dict):
        return " ".join(filter(None, (words(value[name]) for name in WORDS if name in value)))
    return ""


def _count(value: Any) -> int:
    """Blocks at any depth; rows of tables and items of lists count too."""
    if isinstance(value, list):
        return sum(map(_count, value))
    if not isinstance(value, dict):
        return 0
    inner = sum(_count(value[name]) for name in ("blocks", "items") if name in value)
    return 1 + inner + len(value.get("cells", ()))


def _depth(value: Any) -> int:
    if isinstance(value, list):
        return max(map(_depth, value), default=0)
    if not isinstance(value, dict):
        return 0
    return 1 + max((_depth(value[name]) for name in ("blocks", "items") if name in value), default=0)


def _check(blocks: Any) -> None:
    if isinstance(blocks, list):
        for block in blocks:
            _check(block)
    elif isinstance(blocks, dict):
        if any(len(row) > COLUMNS for row in blocks.get("cells", ())):
            refuse("a table of a rich message has too many columns")
        if len(blocks.get("buttons", ())) > BUTTONS_IN_ROW:
            refuse("a row of a rich message has too many buttons")
        data = blocks.get("callback_data")
        if data is not None and not 1 <= len(data.encode()) <= DATA:
            refuse("BUTTON_DATA_INVALID")
        for value in blocks.values():
            _check(value)


def _kept(value: Any, keep: Keep, files: list[StoredFile], kind: str = "document") -> Any:
    """With each upload replaced by the id of its stored file."""
    if isinstance(value, Upload):
        files.append(keep(value, kind))
        return files[-1].id
    if isinstance(value, list):
        return [_kept(item, keep, files, kind) for item in value]
    if isinstance(value, dict):
        named = str(value.get("type", kind))
        return {key: _kept(item, keep, files, named) for key, item in value.items()}
    return value
