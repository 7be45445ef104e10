"""Typography of running text: minus signs, and hyphens and spaces at which no line may break."""

from __future__ import annotations

import re

from deck_text import clean, one_line

_MINUS, _HYPHEN, _SPACE = "\u2212", "\u2011", "\u00a0"
_UNITS = (
    "%|‰|°[CF]?|[$€£¥₽₸₴]|USD|EUR|GBP|RUB|млрд|млн|тыс|руб|коп|р|шт|чел|раза?|лет|года?|г|км|см|мм|м|кг|т|л|ч|мин|сек|сут|дн"
    "|million|billion|thousand|km|cm|mm|m|kg|g|lb|h|min|ms|s|[KMGT]i?B|kWh|pp|п\\.\u00a0?п"
)
_NAMED = re.compile(r"[/\\@]|\.[A-Za-z]\w{0,4}$")
"""Addresses and names of files are left as they are, so that they can be copied."""
_NEGATIVE = re.compile(r"(?<![\w.,\-\u2011\u2212])-(?=[$€£₽]?\.?\d)")
_JOINED = re.compile(r"(?<=\d)-(?=\d|[^\W\d_]{1,4}(?!\w))")
"""Inside a date (2019-03-31), a range (10-20), an ordinal (1-й)."""
_SPACES = (
    re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d])"),
    re.compile(rf"\d (?=(?:{_UNITS})(?!\w))"),
    re.compile(r"[$€£¥₽№] (?=\d)"),
    re.compile(r"(?<!\w)[nN] = (?=\d)"),
)


def prose(text: object) -> str:
    """Cleaned text in which no number, date or ordinal is broken at the end of a line."""
    return unbroken(clean(text))


def prose_line(text: object) -> str:
    """`prose` without line ends."""
    return unbroken(one_line(text))


def unbroken(text: str) -> str:
    """'(-22.8 %)' gets a minus and a no-break space, '2019-03-31' hyphens that hold."""
    text = re.sub(r"\S+", lambda found: _token(found[0]), text)
    for pattern in _SPACES:
        text = pattern.sub(lambda found: found[0].replace(" ", _SPACE), text)
    return text


def _token(text: str) -> str:
    if "-" not in text or _NAMED.search(text.rstrip(".,;:!?)»\"'")):
        return text
    return _JOINED.sub(_HYPHEN, _NEGATIVE.sub(_MINUS, text))
