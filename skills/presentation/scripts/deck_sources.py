"""Where figures come from: the sentences for a slide's notes and for the last slide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deck_text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deck_words import Words

INPUT = Path("/workspace/input")
BRAND = "brand.pptx"
_MOST = 3
"""Names of files in one sentence."""


def records() -> list[dict]:
    """What the scripts have stated so far; nothing where the library of facts is not there."""
    try:
        import facts
    except ImportError:
        return []
    return [dict(record) for record in facts.facts()]


def assumptions() -> list[str]:
    """As they were registered, each once."""
    try:
        import facts
    except ImportError:
        return []
    return list(dict.fromkeys(filter(None, (one_line(text) for text in facts.assumptions()))))


def value_of(number: object) -> object:
    """The number of a fact, which is a text with a value; anything else as it is."""
    return number.value if isinstance(number, str) and hasattr(number, "value") else number


def source_of(given: str, words: Words) -> str:
    """The source that was named, else the files of the facts, else those that were sent."""
    if given:
        return given
    names = [file.get("name", "") for record in records() for file in record.get("files", ())]
    if not names and INPUT.is_dir():
        names = sorted(path.name for path in INPUT.iterdir() if path.is_file() and path.name != BRAND)
    names = list(dict.fromkeys(filter(None, map(one_line, names))))
    if not names:
        return words.request
    return ", ".join(names[:_MOST]) + (" …" if len(names) > _MOST else "")


def source_sentence(source: str, rows: int | None, words: Words) -> str:
    """'Source: sales.csv, 1,200 rows'."""
    counted = f", {words.count(rows, words.of_rows)}" if rows else ""
    return f"{words.source}: {source}{counted}"


def calculations(shown: Iterable[tuple[object, str]], words: Words) -> list[str]:
    """For each (fact, label) how it was computed; what is no fact is not told."""
    facts = [(value, label) for value, label in shown if hasattr(value, "id")]
    known = {record.get("id"): record for record in records()} if facts else {}
    result = []
    for fact, label in facts:
        record = known.get(fact.id, {})
        how = one_line(record.get("expression", ""))
        if not how:
            continue
        files = ", ".join(one_line(file.get("name", "")) for file in record.get("files", ()))
        rows = words.size(int(record["rows"])) if record.get("rows") else ""
        told = "; ".join(filter(None, (how, rows, files)))
        result.append(f"{one_line(fact)} {one_line(label)}: {told}")
    return result
