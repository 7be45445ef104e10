"""Value labels of a chart: whether there is room to write them, and how large."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from deck_plan import MAX_LABELS, Drawing, Kind
from deck_text import width, words_of
from deck_theme import AXIS_SIZE

if TYPE_CHECKING:
    from deck_theme import Box

FLAT = (Kind.BAR, Kind.STACKED_BAR)
STACKS = (Kind.STACKED, Kind.STACKED_BAR)
SIZES = (16, 14, 12)
SILENT = 2
"""From here on the crowding of a chart means that its values are not written."""
_MOST = 48
"""Values on one chart; more are a table."""
_AXIS = 50
"""Points of the box that the title of an axis and the margins take."""
_LEGEND = 26
_BELOW_TOP = 0.78
"""The longest bar's part of the axis, which ends at a round number."""
_APART = 3
"""Points between two labels."""
_ROOM_ABOVE = 1.15
"""Height of a label in sizes of its type."""


def gap(drawing: Drawing) -> int:
    """Space between groups of bars, in percent of a bar."""
    count = len(drawing.table.labels)
    if len(drawing.table.series) > 1 and drawing.kind not in STACKS:
        return 60 if count <= 3 else 45
    return 130 if count <= 3 else 70 if count <= 8 else 45


def label_size(drawing: Drawing, box: Box) -> int | None:
    """The largest size in which the values do not run into each other, or None: then an axis is better."""
    count, several = len(drawing.table.labels), len(drawing.table.series) > 1
    if count * len(drawing.table.series) > _MOST or (drawing.kind is Kind.LINE and several):
        return None
    if count > MAX_LABELS and drawing.kind is Kind.LINE:
        return None
    texts = [written(value, drawing.number_format) for value in drawing.table.numbers]
    if drawing.kind in STACKS:
        # a narrow part of a bar goes without its value, so the usual one decides, not the longest
        texts = sorted(texts, key=len)[: max(1, len(texts) * 9 // 10)]
    for size in SIZES[0 if count <= 8 and not several else 1 :]:
        taken = size * _ROOM_ABOVE if drawing.kind in FLAT else max(width(text, size) for text in texts)
        bold = 1.06 if not several or drawing.kind in STACKS else 1.0
        if taken * (1.0 if drawing.kind in FLAT else bold) <= _room(drawing, box):
            return size
    return None


def label_step(drawing: Drawing, box: Box) -> int:
    """1 when every label fits under its column, 2 when every other one does, and so on."""
    if drawing.kind in FLAT or drawing.kind is Kind.PIE:
        return 1
    labels = drawing.table.labels
    longest = max(width(word, AXIS_SIZE) for label in labels for word in (words_of(label) or [""]))
    return math.ceil(len(labels) * (longest + 8) / ((box.width - 0.9) * 72))


def crowding(drawing: Drawing, box: Box) -> int:
    """0 when values and labels can all be written; values count more."""
    lines = drawing.kind is Kind.LINE and len(drawing.table.series) > 1
    silent = drawing.kind is not Kind.PIE and not lines and label_size(drawing, box) is None
    return SILENT * silent + (label_step(drawing, box) > 1)


def hidden(drawing: Drawing, box: Box, size: int) -> list[list[int]]:
    """For each series of a stack the places whose part of the bar is too small for its value."""
    table = drawing.table
    tallest = max(sum(abs(s.values[i] or 0) for s in table.series) for i in range(len(table.labels)))
    length = _length(drawing, box) * (1.0 if tallest <= 1 else _BELOW_TOP)
    result = []
    for series in table.series:
        places = []
        for place, value in enumerate(series.values):
            text = written(value or 0, drawing.number_format)
            needed = width(text, size, bold=True) if drawing.kind in FLAT else size * _ROOM_ABOVE
            if abs(value or 0) / (tallest or 1) * length < needed + _APART:
                places.append(place)
        result.append(places)
    return result


def written(value: float, number_format: str) -> str:
    """About what Excel's format makes of the value."""
    plain = number_format.split(";")[0]
    decimals = len(plain.split(".")[1].rstrip('%"').split("E")[0]) if "." in plain else 0
    if "%" in plain:
        return f"{value * 100:.{decimals}f}%"
    if "E" in plain:
        return f"{value:.{decimals}E}"
    return f"{value:,.{decimals}f}" if "," in plain else f"{value:.{decimals}f}"


def _room(drawing: Drawing, box: Box) -> float:
    """Points across the bars that one label has."""
    series = 1 if drawing.kind in STACKS else len(drawing.table.series)
    across = (box.height if drawing.kind in FLAT else box.width) * 72 - _AXIS
    if drawing.kind in FLAT and len(drawing.table.series) > 1:
        across -= _LEGEND
    slot = across / len(drawing.table.labels)
    if drawing.kind is Kind.LINE:
        return slot - _APART
    bar = slot / (series + 0.05 * (series - 1) + gap(drawing) / 100)
    if drawing.kind in STACKS:
        return bar - _APART
    return slot - _APART if series == 1 else bar * 1.05 - (0 if drawing.kind in FLAT else _APART)


def _length(drawing: Drawing, box: Box) -> float:
    """Points of the longest bar."""
    if drawing.kind in FLAT:
        longest = max(width(part, AXIS_SIZE) for label in drawing.table.labels for part in label.split("\n"))
        return box.width * 72 - _AXIS - longest
    return box.height * 72 - 2 * _AXIS - _LEGEND
