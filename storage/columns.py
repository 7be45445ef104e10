"""Column types: whatever text, time or JSON the world sends, the database can hold it and give it back."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from sqlalchemy import ColumnElement, DateTime, Dialect, Text, or_
from sqlalchemy.orm import Mapped
from sqlalchemy.types import TypeDecorator

Json = Mapping[str, object] | Sequence[object]

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def clean(text: str) -> str:
    """`text` that UTF-8, SQLite and Postgres can all hold; clean text is returned as it is.

    Halves of a surrogate pair that stand together become their character, lone ones and NUL become U+FFFD.
    Other control characters stay: tabs and line ends are content; whoever shows a text disarms the rest.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", REPLACEMENT)


def _clean_json(value: object) -> object:
    match value:
        case str():
            return clean(value)
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return {clean(str(key)): _clean_json(item) for key, item in pairs}
        case list() | tuple():
            return [_clean_json(item) for item in cast("Sequence[object]", value)]
        case _:
            return value


class CleanText(TypeDecorator[str]):
    """Text scrubbed on its way in, so that no caller can forget it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else clean(value)


class CleanJson(TypeDecorator[Json]):
    """JSON as text, its strings scrubbed; tuples come back as lists."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Json | None, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(_clean_json(value), ensure_ascii=False)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Json | None:
        return None if value is None else json.loads(value)


class UtcTime(TypeDecorator[datetime]):
    """An aware time, kept and returned in UTC; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            message = f"{value} has no time zone"
            raise ValueError(message)
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        # SQLite has no time zones: what we stored in UTC comes back naive.
        return None if value is None else value.replace(tzinfo=UTC)


def in_chat(key: Mapped[str], chat: str) -> ColumnElement[bool]:
    """Whether a conversation's key is that of the chat or of one of its threads."""
    return or_(key == chat, key.startswith(f"{chat}/", autoescape=True))
