"""A message of ours as the texts and marks that Telegram takes. Pure, and never at a loss."""

import html
import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from urllib.parse import urlsplit

import structlog
from aiogram.types import MessageEntity
from telegramify_markdown import MessageEntity as Mark
from telegramify_markdown import RenderConfig, convert, richify, split_entities

from bot.chat import Message, MessageKind
from bot.telegram.tables import without_wide_tables
from bot.telegram.tame import is_blank, joined, tamed, visible, weak_points

LONGEST = 4096
"""UTF-16 units of one message."""
ROOM = 4
"""Of those, for what a page needs besides the text that falls to it."""
LARGEST_RICH = 32_768
"""Bytes of a rich message."""
MOST_BLOCKS = 500
NOTHING = "…"
"""Telegram takes no empty message."""

STYLES = ("bold", "italic", "underline", "strikethrough", "spoiler", "blockquote", "expandable_blockquote")
"""Besides links and verbatim text. No mentions of people, no emoji by number, whatever a model writes."""
VERBATIM = ("code", "pre")
LINK = "text_link"
IN_THE_APP = ("t.me", "telegram.me", "telegram.dog")
"""Addresses that lead into chats, and can begin them."""
MOST_MARKS = 100
"""Of one message; Telegram drops those beyond."""
FOLLOWING = (MessageKind.PROGRESS, MessageKind.SETTLED)
"""Kinds that are one message, however long."""
OUR_OWN = (MessageKind.NOTICE, MessageKind.FAILURE)
"""Kinds that name commands for a person to tap on."""

_TAG = re.compile(r"<[^>]*>")
_LOADED = re.compile(r"</?(?:img|tg-emoji|video|audio)\b[^>]*>", re.IGNORECASE)
_ANCHOR = re.compile(r'<a href="([^">]*)">(.*?)</a>', re.DOTALL)
_BLOCK = re.compile(r"<(?:p|h[1-6]|li|tr|pre|blockquote|hr)\b")

_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    entities: tuple[MessageEntity, ...] = ()


def pages_of(message: Message) -> tuple[Page, ...]:
    """At least one."""
    if message.kind is MessageKind.ANSWER:
        return _answer(message.text)
    text = tamed(visible(message.text), commands=message.kind not in OUR_OWN)
    footer = tamed(visible(message.footer))
    below = f"\n\n{footer}" if footer else ""
    if message.kind in FOLLOWING:
        return (Page(_shortened(text, LONGEST - _units(below)) + below),)
    return _split(text + below, [], commands=message.kind not in OUR_OWN)


def rich_html(message: Message) -> str | None:
    """The answer in Telegram's richest form; None where it has none, or is too long for it."""
    if not message.rich or message.kind is not MessageKind.ANSWER:
        return None
    try:
        rich = richify(visible(message.text)).html or ""
    except Exception as fault:  # whatever a model writes, there is the other form
        _log.warning("answer_not_rich", reason=type(fault).__name__)
        return None
    rich = _ANCHOR.sub(_harmless, _LOADED.sub("", rich))
    fits = len(rich.encode()) <= LARGEST_RICH and len(_BLOCK.findall(rich)) <= MOST_BLOCKS
    return rich if fits and not is_blank(_TAG.sub("", rich)) else None


def _answer(markdown: str) -> tuple[Page, ...]:
    source = visible(markdown)
    try:
        text, marks = convert(without_wide_tables(source), config=_config())
    except Exception as fault:  # a message without its marks is better than none
        _log.warning("answer_without_marks", reason=type(fault).__name__)
        text, marks = source, []
    if is_blank(text):
        text, marks = source, []
    return _split(*_tame(text, [mark for mark in marks if _is_harmless(mark)], commands=True), commands=True)


def _config() -> RenderConfig:
    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    symbols.heading_level_1 = symbols.heading_level_2 = ""
    symbols.heading_level_3 = symbols.heading_level_4 = ""
    symbols.unordered_list_item = "•"
    symbols.task_completed, symbols.task_uncompleted = "☑", "☐"
    return config


def _is_harmless(mark: Mark) -> bool:
    return mark.type in (*STYLES, *VERBATIM) or (mark.type == LINK and _is_on_the_web(mark.url or ""))


def _is_on_the_web(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    inside = any(host == name or host.endswith(f".{name}") for name in IN_THE_APP)
    return parts.scheme in ("http", "https") and host != "" and not inside


def _harmless(anchor: re.Match[str]) -> str:
    return anchor[0] if _is_on_the_web(html.unescape(anchor[1])) else anchor[2]


def _tame(text: str, marks: list[Mark], *, commands: bool) -> tuple[str, list[Mark]]:
    """With joiners where needed, and the marks moved along. Verbatim text needs none, and is for copying."""
    before = _units_before(text)
    verbatim = [(mark.offset, mark.offset + mark.length) for mark in marks if mark.type in VERBATIM]
    points = [
        point
        for point in weak_points(text, commands=commands)
        if not any(start <= before[point] < end for start, end in verbatim)
    ]
    at = [before[point] for point in points]
    moved: list[Mark] = []
    for mark in marks:
        end = mark.offset + mark.length
        start = mark.offset + bisect_right(at, mark.offset)
        moved.append(replace(mark, offset=start, length=end + bisect_left(at, end) - start))
    return joined(text, points), moved


def _units_before(text: str) -> list[int]:
    """How many UTF-16 units stand before each character, and before the end."""
    return [0, *accumulate(2 if character > "\uffff" else 1 for character in text)]


def _split(text: str, marks: list[Mark], *, commands: bool) -> tuple[Page, ...]:
    """A cut through `and/or` makes a command of its rest, so that each page is looked at once more."""
    parts = [
        Page(part, tuple(_entity(mark) for mark in own[:MOST_MARKS]))
        for cut, clipped in split_entities(text, marks, LONGEST - ROOM)
        for part, own in [_tame(cut, clipped, commands=commands)]
        if not is_blank(part)
    ]
    return tuple(parts) or (Page(NOTHING),)


def _entity(mark: Mark) -> MessageEntity:
    return MessageEntity(
        type=mark.type, offset=mark.offset, length=mark.length, url=mark.url, language=mark.language
    )


def _shortened(text: str, limit: int) -> str:
    if is_blank(text):
        return NOTHING
    if _units(text) <= limit:
        return text
    kept = text.encode("utf-16-le")[: (limit - 1) * 2].decode("utf-16-le", "ignore")
    return f"{kept}…"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
