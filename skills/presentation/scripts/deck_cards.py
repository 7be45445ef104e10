"""KPI cards: one to eight figures, each with its label, in one or two rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import deck_theme as theme
import numpy as np
from deck_shapes import PADDING, Line, points, put_card
from deck_text import fit, one_line, shorten
from deck_theme import Box

if TYPE_CHECKING:
    from deck_words import Words

_SIZES = (48, 44, 40, 36, 32, 28, 24, 20)
_LABEL_SIZES = (16, 14)
"""In one row of cards, in two."""
_TALLEST = 2.5
_MOST = 8


@dataclass(frozen=True)
class Card:
    """A figure and what it counts."""

    value: str
    label: str


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
    return [Card(_figure(value, words), one_line(label)) for value, label in pairs]


def put_cards(slide, cards: list[Card], box: Box) -> Box:
    """Cards of one width, their figures in one size, so that none shouts; returns the room taken."""
    across = len(cards) if len(cards) <= 4 else -(-len(cards) // 2)
    down = -(-len(cards) // across)
    width = (box.width - theme.GAP * (across - 1)) / across
    height = min(_TALLEST, (box.height - theme.GAP * (down - 1)) / down)
    limit = points(width - 2 * PADDING)
    label_size = _LABEL_SIZES[down - 1]
    sizes = tuple(size for size in _SIZES if down == 1 or size <= 36)
    size = min(fit(card.value, sizes, limit, 62, bold=True) or sizes[-1] for card in cards)
    room = (height - 2 * PADDING) * 72 - size * theme.LINE_HEIGHT - 6
    lines = max(1, int(room / (label_size * theme.LINE_HEIGHT)))
    for place, card in enumerate(cards):
        left = box.left + place % across * (width + theme.GAP)
        top = box.top + place // across * (height + theme.GAP)
        text = [Line(shorten(card.value, size, limit, bold=True), size, theme.ACCENT, bold=True, after=6)]
        if card.label:
            text.append(Line(shorten(card.label, label_size, limit, lines=lines), label_size, theme.TEXT))
        put_card(slide, Box(left, top, width, height), text, name=f"Card {place + 1}")
    return Box(box.left, box.top, box.width, down * height + (down - 1) * theme.GAP)


def _is_pair(pair: object) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2


def _figure(value: object, words: Words) -> str:
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return words.number(value)
    return one_line(value) or "–"
