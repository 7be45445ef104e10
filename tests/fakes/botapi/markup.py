"""Texts with their entities as Telegram sees them: units are UTF-16 code units."""

import html
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from aiogram.enums import MessageEntityType
from aiogram.types import MessageEntity
from teremok.validation import ApiRuleViolation, validate_html, validate_markdown

from tests.fakes.botapi.errors import ApiError, refuse

MAX_ENTITIES = 100
"""In one message. Telegram silently forgets those beyond; we refuse, because that is a loss."""
KINDS = {kind.value for kind in MessageEntityType}
TAGS = {
    **{"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline"},
    **{"s": "strikethrough", "strike": "strikethrough", "del": "strikethrough", "span": "spoiler"},
    **{"tg-spoiler": "spoiler", "code": "code", "pre": "pre", "a": "text_link", "blockquote": "blockquote"},
}

Entities = list[dict[str, Any]]


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def formatted(
    text: str, parse_mode: object, entities: Sequence[MessageEntity] | None
) -> tuple[str, Entities]:
    """The text that people see, and its entities. Given entities win over a parse mode, as they do there.

    Both modes of Markdown are checked, but their text stays as it is: nobody here reads it as such.

    Raises:
        ApiError: "can't parse entities" and its kind.
    """
    found: Entities = []
    if entities:
        found = [entity.model_dump(exclude_none=True) for entity in entities]
    elif isinstance(parse_mode, str):
        text, found = _parsed(text, parse_mode.lower())
    _check(text, found)
    trimmed = text.rstrip()
    end = units(trimmed)
    clipped = [entity | {"length": min(entity["length"], end - entity["offset"])} for entity in found]
    return trimmed, [entity for entity in clipped if entity["length"] > 0]


def _parsed(text: str, mode: str) -> tuple[str, Entities]:
    try:
        if mode == "html":
            validate_html(text)
            return _of_html(text)
        if mode in ("markdown", "markdownv2"):
            validate_markdown(text, 2 if mode == "markdownv2" else 1)
            return text, []
    except ApiRuleViolation as error:
        raise ApiError(400, error.description) from None
    return refuse("unsupported parse_mode")


def _of_html(text: str) -> tuple[str, Entities]:
    plain, found, open_tags = "", Entities(), list[tuple[str, int, str]]()
    for piece in re.split(r"(<[^>]*>)", text):
        if not piece.startswith("<"):
            plain += html.unescape(piece)
        elif piece.startswith("</"):
            name, start, tag = open_tags.pop()
            entity: dict[str, Any] = {"type": TAGS.get(name, name), "offset": start}
            entity["length"] = units(plain) - start
            link = re.search(r"href=[\"']([^\"']*)", tag)
            found += [entity | ({"url": html.unescape(link[1])} if link else {})]
        else:
            open_tags.append((re.split(r"[\s>]", piece[1:])[0].lower(), units(plain), piece))
    return plain, sorted(found, key=lambda entity: (entity["offset"], -entity["length"]))


def _check(text: str, entities: Entities) -> None:
    if len(entities) > MAX_ENTITIES:
        refuse(f"can't parse entities: {len(entities)} are more than a message keeps")
    halves = _halves(text)
    for entity in entities:
        _check_bounds(entity, units(text), halves)
        if entity["type"] not in KINDS:
            refuse(f"can't parse entities: unsupported type {entity['type']}")
        if entity["type"] == "text_link" and not entity.get("url"):
            refuse("can't parse entities: a text_link without a url")
    _check_nesting(entities)


def _halves(text: str) -> set[int]:
    """The places inside a letter that takes two units."""
    places = accumulate((units(letter) for letter in text), initial=0)
    return {place + 1 for place, letter in zip(places, text, strict=False) if ord(letter) > 0xFFFF}


def _check_bounds(entity: dict[str, Any], end: int, halves: set[int]) -> None:
    start, stop = entity["offset"], entity["offset"] + entity["length"]
    if start < 0 or entity["length"] < 0:
        refuse(f"receive an entity with incorrect offset {start}")
    if start > end:
        refuse(f"entity begins after the end of the text at UTF-16 offset {start}")
    if stop > end:
        words = f"entity beginning at UTF-16 offset {start} ends after the end of the text"
        refuse(f"{words} at UTF-16 offset {stop}")
    if start in halves:
        refuse("entity begins in a middle of a UTF-16 symbol")
    if stop in halves:
        refuse(f"entity beginning at UTF-16 offset {start} ends in a middle of a UTF-16 symbol")


def _check_nesting(entities: Entities) -> None:
    """One entity lies inside the other, or they do not touch. Telegram cuts crossing ones; we refuse them."""
    for place, one in enumerate(entities):
        for other in entities[place + 1 :]:
            first, second = sorted((one, other), key=lambda entity: (entity["offset"], -entity["length"]))
            edge = first["offset"] + first["length"]
            if second["offset"] < edge < second["offset"] + second["length"]:
                refuse("can't parse entities: entities cross each other")
