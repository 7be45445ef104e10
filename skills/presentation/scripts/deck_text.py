"""Text on a slide: cleaned, measured with the font of the theme, wrapped, fitted and split."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import deck_theme as theme
from deck_fonts import MEASURED_AT, WIDE, font_of
from deck_metrics import BOLD, REGULAR
from deck_theme import OURS

_LONGEST = 20_000
"""Characters of one text; more cannot be a slide, and measuring it would take seconds."""
_UNPRINTABLE = re.compile(
    # XML 1.0 has no place for the controls and surrogates; direction overrides would reorder what is read
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\ufeff\u202a-\u202e\u2066-\u2069]"
)
_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_COMMON = 0x530
"""Latin, Greek and Cyrillic, which any text font has."""
_TOKENS = re.compile(
    rf"[{_WIDE}]|[^\S\u00a0\u202f]+|(?:[^\s{_WIDE}]|[\u00a0\u202f])+"
)  # no-break spaces join


def clean(text: object) -> str:
    """The text without what XML forbids; line ends are \\n, tabs are spaces."""
    raw = "" if text is None else str(text)
    raw = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\t", " ")
    return _UNPRINTABLE.sub("", raw)[:_LONGEST].strip()


def one_line(text: object) -> str:
    """Cleaned text with every run of white space made one space; no-break spaces stay."""
    return re.sub(r"[^\S\u00a0\u202f]+", " ", clean(text))


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Points that the text takes in one line; kerning, which only narrows, is left out. Bold text may be of
    either font of the theme."""
    families = {theme.FONT, theme.HEADING_FONT} if bold else {theme.FONT}
    return max(sum(_advance(char, bold, family) for char in text) for family in families) * size


def words_of(text: str) -> list[str]:
    """What a line break may come between; no-break spaces join."""
    return [token for token in _TOKENS.findall(text) if not token.isspace()]


def wrap(text: str, size: float, limit: float, *, bold: bool = False) -> list[str]:
    """The lines that the text takes in a box `limit` points wide; an upper bound, as `width` is."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_wrap_paragraph(paragraph, size, limit, bold))
    return lines


def height(text: str, size: float, limit: float, *, bold: bool = False) -> float:
    """Points from top to bottom when wrapped at `limit` points."""
    return len(wrap(text, size, limit, bold=bold)) * size * theme.LINE_HEIGHT


def fit(text: str, sizes: tuple[int, ...], limit: float, room: float, *, bold: bool = False) -> int | None:
    """The first of `sizes` at which the text fits `limit` x `room` points, or None."""
    for size in sizes:
        if height(text, size, limit, bold=bold) <= room:
            return size
    return None


def shorten(text: str, size: float, limit: float, *, lines: int = 1, bold: bool = False) -> str:
    """The text, cut at a word with an ellipsis where it would take more than `lines` lines."""
    text = one_line(text)
    wrapped = wrap(text, size, limit, bold=bold)
    if len(wrapped) <= lines:
        return text
    kept = "".join(f"{line} " for line in wrapped[: lines - 1])
    last = wrapped[lines - 1] + " " + wrapped[lines]
    while last and width(last + "…", size, bold=bold) > limit:
        last = last[:-1]
    word = last.rsplit(" ", 1)[0] if " " in last[len(last) // 2 :] else last
    return (kept + word.rstrip(" ,;:.-–")).strip() + "…"


def _wrap_paragraph(text: str, size: float, limit: float, bold: bool) -> list[str]:
    lines, line, used = [], "", 0.0
    for token in _TOKENS.findall(text):
        taken = width(token, size, bold=bold)
        if used + taken <= limit or (token.isspace() and line):
            line, used = line + token, used + taken
            continue
        if line.strip():
            lines.append(line.strip())
        line, used = "", 0.0
        for char in token.lstrip():
            step = width(char, size, bold=bold)
            if line and used + step > limit:
                lines.append(line)
                line, used = "", 0.0
            line, used = line + char, used + step
    return [*lines, line.strip()] if line.strip() or not lines else lines


@lru_cache(maxsize=16_384)
def _advance(char: str, bold: bool, family: str) -> float:
    """Advance of one character in font sizes: the family's own, an upper bound for what it lacks."""
    if family == OURS.font:
        known = (BOLD if bold else REGULAR).get(char)
        if known is not None:
            return known
    point, kind = ord(char), unicodedata.category(char)
    if kind in ("Mn", "Me", "Cf") or char == "\n":
        return 0.0
    if point >= 0x1F000:
        return 1.4  # emoji fonts draw wider than the em
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    # what text fonts lack is drawn in another one
    font = font_of(family if point < _COMMON and family != OURS.font else WIDE, bold=bold)
    drawn = font.getlength(char) / MEASURED_AT if font else 0.8
    if point >= 0x2000 and kind[0] == "S":
        return max(drawn, 1.0)
    return drawn
