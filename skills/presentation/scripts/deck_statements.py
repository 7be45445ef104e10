"""Statements: three or four short bullets as cards side by side, so that slides do not all look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import deck_theme as theme
from deck_shapes import PADDING, Line, points, put_card
from deck_text import height, width, words_of
from deck_theme import Box

if TYPE_CHECKING:
    from deck_flow import Bullet

_SIZES = (24, 22, 20, 18, 16)
_LEAST, _MOST = 3, 4
_SHORT = 160
"""Characters of a statement."""
_TALLEST = 3.4
_NARROWEST = 2.2
_AFTER_HEAD = 6
"""Points between the head of a statement and its text."""


def statement_size(bullets: list[Bullet], box: Box) -> int | None:
    """The size of their text, or None where they are no statements or do not fit."""
    if not _LEAST <= len(bullets) <= _MOST:
        return None
    if any(len(bullet.head) + len(bullet.text) > _SHORT for bullet in bullets):
        return None
    across = _across(len(bullets), box)
    room = (min(_TALLEST, box.height) - 2 * PADDING) * 72
    limit = points(across - 2 * PADDING)
    if across < _NARROWEST:
        return None
    return next((s for s in _SIZES if all(_height(b, s, limit) <= room for b in bullets)), None)


def put_statements(slide, bullets: list[Bullet], box: Box, size: int) -> None:
    """Cards of one size at the top of the box."""
    across = _across(len(bullets), box)
    limit = points(across - 2 * PADDING)
    tallest = max(_height(bullet, size, limit) for bullet in bullets) / 72 + 2 * PADDING + 0.1
    high = min(max(tallest, box.height * 0.45), _TALLEST, box.height)
    for place, bullet in enumerate(bullets):
        lines = [Line(bullet.text, size, theme.INK)] if bullet.text else []
        if bullet.head:
            lines.insert(0, Line(bullet.head, size, theme.ACCENT, bold=True, after=_AFTER_HEAD))
        left = box.left + place * (across + theme.GAP)
        put_card(slide, Box(left, box.top, across, high), lines, name=f"Card {place + 1}", lead=PADDING)


def _across(count: int, box: Box) -> float:
    return (box.width - theme.GAP * (count - 1)) / count


def _height(bullet: Bullet, size: int, limit: float) -> float:
    """Points; endless where a word is wider than the card."""
    words = [(word, False) for word in words_of(bullet.text)] + [(w, True) for w in words_of(bullet.head)]
    if any(width(word, size, bold=bold) > limit for word, bold in words):
        return float("inf")
    head = height(bullet.head, size, limit, bold=True) + _AFTER_HEAD if bullet.head else 0
    return head + height(bullet.text, size, limit)
