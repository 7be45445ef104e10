"""Text that shows all that it says and does nothing: no hidden characters, and nothing to tap on by accident.

Telegram makes mentions, commands and links of plain text by itself; entities do not switch that off. A word
joiner inside of one does, and cannot be seen. (A zero-width joiner would not: it may be part of an address.)
"""

import re
from collections.abc import Iterator

JOINER = "\N{WORD JOINER}"

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters
    "\u061c\u180e\u200e\u200f\u202a-\u202e\u2066-\u206f"  # directions: they turn names and numbers round
    "\U000e0000-\U000e0fff]"  # tags and further variation selectors: whole texts can be hidden in them
)
_LONE = re.compile("[\ud800-\udfff]")
_BLANK = re.compile(
    "[\\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u200b-\u200d\u2060-\u2064\u2800\u3164\ufeff\uffa0]*"
)
"""What shows as nothing: Telegram refuses a message of nothing else."""
_MENTION = re.compile(r"@(?=\w)")
_PHONE = re.compile(r"\+(?=\d[\d\s().-]{6})")
_CHAT_LINK = re.compile(r"\b(?:t|telegram)\.(?=(?:me|dog)\b)|\b(?:tg|ton|tonsite):(?=//)", re.IGNORECASE)
_COMMAND = re.compile(r"(?<![\w/<>])/(?=[A-Za-z0-9_])")


def visible(text: str) -> str:
    """Without what nobody sees, and with nothing that cannot be sent."""
    return _LONE.sub("\N{REPLACEMENT CHARACTER}", _HIDDEN.sub("", text.replace("\r\n", "\n")))


def is_blank(text: str) -> bool:
    return _BLANK.fullmatch(text) is not None


def weak_points(text: str, *, commands: bool) -> list[int]:
    """Where a joiner has to go. `commands`: also so that none can be tapped."""
    patterns = (_MENTION, _PHONE, _CHAT_LINK, _COMMAND) if commands else (_MENTION, _PHONE, _CHAT_LINK)
    return sorted({match.end() for pattern in patterns for match in pattern.finditer(text)})


def tamed(text: str, *, commands: bool = True) -> str:
    return joined(text, weak_points(text, commands=commands))


def joined(text: str, points: list[int]) -> str:
    """The text with a joiner at each of the points."""
    return JOINER.join(_pieces(text, points))


def _pieces(text: str, points: list[int]) -> Iterator[str]:
    start = 0
    for point in points:
        yield text[start:point]
        start = point
    yield text[start:]
