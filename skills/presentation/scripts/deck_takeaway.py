"""The takeaway: one sentence or a few short lines on a card that is as high as its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import deck_theme as theme
from deck_shapes import PADDING, Line, bullet_indent, points, put_card, put_stroke
from deck_text import shorten, wrap
from deck_theme import Box
from deck_type import prose

_STROKE = 0.06
"""Inches of the coloured stroke at its left."""
STRIP = 1.6
"""The most height of the card under something, in inches."""
_SIZES = ((60, 22), (120, 20), (200, 18), (300, 16))
"""So many characters are set in this size at most; more of them in 14."""
_CHOICE = (22, 20, 18, 16, 14)
_ORPHAN = 0.35
"""A last line shorter than this share of the first is avoided where the next size does without it."""
_BETWEEN = 0.4
"""Space between lines of a list, in font sizes."""


@dataclass(frozen=True)
class Card:
    """The lines as they are set, the inches that they need, and whether words had to go."""

    lines: tuple[Line, ...]
    height: float
    cut: bool


@dataclass(frozen=True)
class Takeaway:
    """Several texts are a list of bullets."""

    texts: tuple[str, ...]

    @classmethod
    def of(cls, value: object) -> Takeaway:
        """From a string, or a list of short strings."""
        if value is None or isinstance(value, str) or not isinstance(value, Iterable):
            items = prose(value).split("\n")
        else:
            items = [" ".join(prose(item).split("\n")) for item in value]
        bare = (item.strip() for item in items)
        found = [item.lstrip("•*").strip() if len(items) > 1 else item for item in bare]
        return cls(tuple(item for item in found if item))

    def __bool__(self) -> bool:
        return bool(self.texts)

    def card(self, width: float, most: float, *, largest: int = 22) -> Card:
        """Set in `width` inches, `most` inches high at most: the less text, the larger."""
        amount = sum(len(text) for text in self.texts)
        wanted = next((size for least, size in _SIZES if amount <= least), _CHOICE[-1])
        fitting = [s for s in _CHOICE if s <= min(wanted, largest) and self._height(s, width) <= most]
        if fitting:
            size = fitting[0]
            if len(fitting) > 1 and self._orphans(size, width) > self._orphans(fitting[1], width):
                size = fitting[1]
            return Card(tuple(self._lines(self.texts, size)), self._height(size, width), cut=False)
        texts = self._cut(_CHOICE[-1], width, most)
        return Card(tuple(self._lines(texts, _CHOICE[-1])), most, cut=True)

    def _height(self, size: int, width: float) -> float:
        lines = sum(len(wrap(text, size, self._limit(size, width))) for text in self.texts)
        between = (len(self.texts) - 1) * size * _BETWEEN
        return (lines * size * theme.LINE_HEIGHT + between) / 72 + 2 * PADDING + 0.06

    def _orphans(self, size: int, width: float) -> int:
        """Texts whose last line holds next to nothing."""
        limit = self._limit(size, width)
        wrapped = [wrap(text, size, limit) for text in self.texts]
        return sum(len(lines) > 1 and len(lines[-1]) < _ORPHAN * len(lines[0]) for lines in wrapped)

    def _limit(self, size: int, width: float) -> float:
        return points(width - _STROKE - 2 * PADDING) - (bullet_indent(size) if len(self.texts) > 1 else 0)

    def _cut(self, size: int, width: float, most: float) -> tuple[str, ...]:
        """As many texts as there is room for, the last of them shortened."""
        room, kept = (most - 2 * PADDING - 0.06) * 72 + 0.01, []
        for text in self.texts:
            fits = int(room / (size * theme.LINE_HEIGHT))
            if fits < 1:
                break
            kept.append(shorten(text, size, self._limit(size, width), lines=fits))
            used = len(wrap(kept[-1], size, self._limit(size, width)))
            room -= size * (used * theme.LINE_HEIGHT + _BETWEEN)
        return tuple(kept or [shorten(self.texts[0], size, self._limit(size, width))])

    def _lines(self, texts: tuple[str, ...], size: int) -> list[Line]:
        several = len(self.texts) > 1
        last = len(texts) - 1
        return [
            Line(text, size, theme.INK, bullet=several, after=size * _BETWEEN if place < last else 0.0)
            for place, text in enumerate(texts)
        ]


def put_takeaway(slide, card: Card, box: Box) -> None:
    """At the top of the box, no higher than it needs."""
    put_stroke(slide, Box(box.left, box.top, _STROKE, card.height))
    place = Box(box.left + _STROKE, box.top, box.width - _STROKE, card.height)
    put_card(slide, place, card.lines, name="Takeaway")
