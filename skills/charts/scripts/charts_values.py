"""Numbers written on bars, segments and cells: where there is room for them, measured."""

from __future__ import annotations

import itertools

from charts_layout import MUTED, box_of

SIZES = (9, 8, 7)
PAD = 3
NO_ROOM = "the values are not written on the bars: fewer bars or series make room"


def beside_bars(axes, values, *, flat):
    """Values, as (text, bar), at the ends of bars: over no other value and no other bar, or none at all."""
    values = [(text, bar) for text, bar in values if text.get_text()]
    for size in SIZES:
        for text, _ in values:
            text.set_fontsize(size)
        _widen(axes, [text for text, _ in values], flat=flat)
        if not _clash(values):
            return []
    for text, _ in values:
        text.remove()
    return [NO_ROOM]


def inside_segments(axes, values, *, flat):
    """Values in their segments; one too thin has its value at the bar's side, or none without room there."""
    boxes = [box_of(bar) for _, bar in values]
    for size in SIZES:
        for text, _ in values:
            text.set_fontsize(size)
        if flat or all(box_of(text).width <= box.width for (text, _), box in zip(values, boxes, strict=True)):
            break
    placed = []
    for (text, _), box in zip(values, boxes, strict=True):
        label = box_of(text)
        if not text.get_text() or (label.width + PAD <= box.width and label.height + PAD <= box.height):
            continue
        if not flat:
            # the text is anchored in the middle of the segment
            text.set(ha="left", color=MUTED, x=(box.width / 2 + PAD) * 72 / axes.figure.dpi)
        beside, room = box_of(text), axes.get_window_extent()
        others = [*placed, *(other for other in boxes if other is not box)]
        if flat or beside.x1 > room.x1 or beside.y0 < room.y0 or any(beside.overlaps(o) for o in others):
            text.remove()
        else:
            placed.append(beside)
    return []


def in_cells(axes, texts, *, columns, rows, scale):
    """Numbers in the cells of a heatmap; without room, a scale of the colours instead."""
    room = axes.get_window_extent()
    for size in SIZES:
        for text in texts:
            text.set_fontsize(size)
        boxes = [box_of(text) for text in texts]
        if all(
            box.width + PAD <= room.width / columns and box.height + PAD <= room.height / rows
            for box in boxes
        ):
            return []
    for text in texts:
        text.remove()
    scale()
    return []


def around_pie(axes, texts, *, listed):
    """Names around a pie; where two would touch, they stand in a legend instead."""
    boxes, frame = [box_of(text) for text in texts], axes.figure.bbox
    apart = not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    if apart and all(box.x0 >= 0 and box.x1 <= frame.x1 for box in boxes):
        return []
    for text in texts:
        text.remove()
    listed()
    return []


def _widen(axes, texts, *, flat):
    """Moves the ends of the value axis until every value stands inside of the plot."""
    for _ in range(3):
        axes.figure.draw_without_rendering()
        room, boxes = axes.get_window_extent(), [box_of(text) for text in texts]
        start, end, size = (room.x0, room.x1, room.width) if flat else (room.y0, room.y1, room.height)
        over = max(((box.x1 if flat else box.y1) for box in boxes), default=end) - end + PAD
        under = start - min(((box.x0 if flat else box.y0) for box in boxes), default=start) + PAD
        low, high = axes.get_xlim() if flat else axes.get_ylim()
        if low >= 0:
            under = 0  # the axis begins with the bars
        if over <= PAD and under <= PAD:
            return
        unit = (high - low) / size
        low, high = low - unit * max(0, under), high + unit * max(0, over) * 1.15
        (axes.set_xlim if flat else axes.set_ylim)(low, high)


def _clash(values):
    labels = [(box_of(text), bar) for text, bar in values]
    bars = [(box_of(bar), bar) for _, bar in values]
    return any(
        label.overlaps(box) for label, own in labels for box, bar in (*labels, *bars) if bar is not own
    )
