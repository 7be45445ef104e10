"""KPI cards: one to eight figures, each with its label, in one or two rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import deck_theme as theme
import numpy as np
from deck_shapes import PADDING, Line, points, put_card
from deck_text import shorten, width, wrap
from deck_theme import Box
from deck_type import prose_line

if TYPE_CHECKING:
    from deck_words import Words

_SIZES = (66, 60, 54, 48, 44, 40, 36, 32, 28, 24, 20)
_LABEL_SIZES = (22, 20, 18, 16, 14)
_LABEL_LINES = 3
"""A smaller label is chosen before it takes more lines."""
_BETWEEN = 6
"""Points between a figure and its label."""
_TALLEST = 3.0
_MOST = 8


@dataclass(frozen=True)
class Card:
    """A figure and what it counts."""

    value: str
    label: str
    given: object = None
    """The value as it was given."""


def cards_of(items: object, words: Words) -> list[Card]:
    """Raises ValueError for what is not one to eight (value, label) pairs."""
    pairs = list(
        items.items() if isinstance(items, Mapping) else items if isinstance(items, Iterable) else ()
    )
    if isinstance(items, str) or not 1 <= len(pairs) <= _MOST or not all(_is_pair(pair) for pair in pairs):
        raise ValueError(
            "kpis takes 1 to 8 (value, label) pairs, for example [('38.4%', 'survived'), (891, 'rows')]."
        )
    if isinstance(items, Mapping):
        pairs = [(value, label) for label, value in pairs]
    return [Card(_figure(value, words), prose_line(label), value) for value, label in pairs]


def put_cards(slide, cards: list[Card], box: Box) -> tuple[Box, bool]:
    """Cards of one size, figures and labels grown with them; the room taken, and whether text was cut."""
    across = len(cards) if len(cards) <= 4 else -(-len(cards) // 2)
    down = -(-len(cards) // across)
    each = (box.width - theme.GAP * (across - 1)) / across
    height = min(_TALLEST, (box.height - theme.GAP * (down - 1)) / down)
    limit = points(each - 2 * PADDING)
    size, label_size, lines = _sizes(cards, limit, (height - 2 * PADDING) * 72)
    # figures of one row stand at one height, however long their labels are
    labels = max(len(wrap(card.label, label_size, limit)) if card.label else 0 for card in cards)
    tallest = (size + min(labels, lines) * label_size) * theme.LINE_HEIGHT + _BETWEEN
    lead = max(PADDING, (height - tallest / 72) / 2)
    cut = False
    for place, card in enumerate(cards):
        left = box.left + place % across * (each + theme.GAP)
        top = box.top + place // across * (height + theme.GAP)
        value, label = (
            shorten(card.value, size, limit, bold=True),
            shorten(card.label, label_size, limit, lines=lines),
        )
        cut = cut or value != card.value or label != card.label
        text = [Line(value, size, theme.ACCENT, bold=True, after=_BETWEEN)]
        if label:
            text.append(Line(label, label_size, theme.TEXT))
        put_card(slide, Box(left, top, each, height), text, name=f"Card {place + 1}", lead=lead)
    return Box(box.left, box.top, box.width, down * height + (down - 1) * theme.GAP), cut


def _sizes(cards: list[Card], limit: float, room: float) -> tuple[int, int, int]:
    """Of the figures, of the labels, and the lines that a label may take: the same for all cards."""
    for size in (size for size in _SIZES if size * theme.LINE_HEIGHT <= room * 0.48 or size == _SIZES[-1]):
        if any(width(card.value, size, bold=True) > limit for card in cards):
            continue
        for label_size in (small for small in _LABEL_SIZES if small <= max(14, size * 0.45)):
            lines = int((room - size * theme.LINE_HEIGHT - _BETWEEN) / (label_size * theme.LINE_HEIGHT))
            needed = max(len(wrap(card.label, label_size, limit)) for card in cards)
            if needed <= min(lines, _LABEL_LINES):
                return size, label_size, max(1, lines)
    size = next((s for s in _SIZES if all(width(c.value, s, bold=True) <= limit for c in cards)), _SIZES[-1])
    size = min(size, 36)
    lines = int((room - size * theme.LINE_HEIGHT - _BETWEEN) / (_LABEL_SIZES[-1] * theme.LINE_HEIGHT))
    return size, _LABEL_SIZES[-1], max(1, lines)


def _is_pair(pair: object) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2


def _figure(value: object, words: Words) -> str:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return words.number(value)
    return prose_line(value) or "–"
