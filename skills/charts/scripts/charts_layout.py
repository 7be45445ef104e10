"""Where things stand: title, subtitle and legend above the plot, the source below, none over another."""

from __future__ import annotations

import itertools
import math
import re

WIDTH, HEIGHT, TALLEST = 9, 5.2, 14
"""Inches. The height grows for long headings and for many rows, so that the plot keeps its room."""
LEAST_PLOT = 3.9
BARE = 0.82
"""The share of these heights that a chart has whose title stands in a report's text."""
MARGIN, GAP = 0.17, 0.11
TITLE_SIZES, TITLE_LINES, SUBTITLE_LINES, NOTE_LINES = (14, 12), 3, 2, 2
MAX_NAME = 60
MUTED = "#5B6778"


def arrange(figure, axes, *, title, subtitle="", note=""):
    """Places all but the plot, gives the plot the rest; returns what could not be placed, as sentences."""
    told, above = [], []
    share = 1 if title else BARE * (figure.get_figwidth() / WIDTH) ** 0.75
    for size in TITLE_SIZES:
        heading = _text(figure, title, "title", fontsize=size, fontweight="bold")
        if _wrap(heading, TITLE_LINES) or size == TITLE_SIZES[-1]:
            break
        heading.remove()
    above.append(heading)
    if subtitle:
        above.append(_text(figure, subtitle, "subtitle", color=MUTED))
        _wrap(above[-1], SUBTITLE_LINES)
    told += [f"the {text.get_gid()} is cut: shorten it" for text in above if _is_cut(text)]
    legend = _legend(figure, axes, told)
    if legend:
        above.append(legend)
    below = _text(figure, note, "note", va="bottom", fontsize=8, color=MUTED) if note else None
    if below and not _wrap(below, NOTE_LINES):
        told.append("the source is cut: shorten it")
    _stand(figure, above, below, LEAST_PLOT * share, HEIGHT * share)
    _part_rows(figure, axes, above, below, told)
    _part_columns(figure, axes, told)
    return told


def renderer_of(figure):
    return figure.canvas.get_renderer()


def box_of(artist):
    return artist.get_window_extent(renderer_of(artist.get_figure(root=True)))


def _text(figure, words, gid, *, va="top", **style):
    return figure.text(
        MARGIN / figure.get_figwidth(), 0.5, words, gid=gid, ha="left", va=va, linespacing=1.25, **style
    )


def _wrap(text, most):
    """Breaks a text to the width of the figure, lines of about one length; False when it had to be cut."""
    figure = text.get_figure(root=True)
    room = (figure.get_figwidth() - 2 * MARGIN) * figure.dpi
    words, known = _words(text, room), {}

    def measure(line):
        if line not in known:
            text.set_text(line)
            known[line] = box_of(text).width
        return known[line]

    def lines(width):
        result = [""]
        for gap, word in words:
            longer = f"{result[-1]}{gap}{word}"
            if measure(longer) <= width or not result[-1]:
                result[-1] = longer
            else:
                result.append(word)
        return result

    broken = lines(room)
    fits = len(broken) <= most
    if not fits:
        broken = [*broken[: most - 1], broken[most - 1].rstrip(" ,;:.")[:-1].rstrip(" \\") + "…"]
    elif len(broken) > 1:
        narrower = [lines(room * part / 20) for part in range(19, 9, -1)]
        same = [found for found in narrower if len(found) == len(broken) and max(map(measure, found)) <= room]
        broken = same[-1] if same else broken
    text.set_text("\n".join(broken))
    return fits


def _words(text, room):
    """Pairs of (the space before, word); a word wider than the room is broken anywhere."""
    result = []
    for word in text.get_text().split():
        text.set_text(word)
        signs = re.findall(r"\\.|.", word)
        parts = math.ceil(box_of(text).width / room * 1.2) if box_of(text).width > room else 1
        step = math.ceil(len(signs) / parts)
        for start in range(0, len(signs), step):
            result.append(("" if start else " " if result else "", "".join(signs[start : start + step])))
    return result or [("", "")]


def _is_cut(text):
    return text.get_text().endswith("…")


def _legend(figure, axes, told):
    """Names of the series in rows, in the order of the series; None for one series."""
    handles, names = axes.get_legend_handles_labels()
    if len(handles) < 2:
        return None
    if any(len(name) > MAX_NAME for name in names):
        told.append(f"a name in the legend is cut: {MAX_NAME} characters at most")
        names = [
            name if len(name) <= MAX_NAME else name[: MAX_NAME - 1].rstrip(" \\") + "…" for name in names
        ]
    room = (figure.get_figwidth() - 2 * MARGIN) * figure.dpi
    for columns in range(len(handles), 0, -1):
        # matplotlib fills column by column
        order = [place for column in range(columns) for place in range(column, len(handles), columns)]
        legend = figure.legend(
            [handles[place] for place in order],
            [names[place] or "–" for place in order],
            loc="upper left",
            ncols=columns,
            borderaxespad=0,
            borderpad=0,
            handlelength=1.3,
            handletextpad=0.5,
            columnspacing=1.6,
            labelspacing=0.4,
        )
        if columns == 1 or box_of(legend).width <= room:
            break
        legend.remove()
    return legend


def _stand(figure, above, below, plot, least=HEIGHT):
    """Stacks the blocks from the top, the note at the bottom; the plot gets `plot` inches or more."""
    heights = [box_of(block).height / figure.dpi for block in above]
    head = MARGIN + sum(heights) + GAP * len(heights)
    foot = MARGIN + (box_of(below).height / figure.dpi + GAP / 2 if below else 0)
    total = max(least, head + foot + plot)
    width = figure.get_figwidth()
    figure.set_size_inches(width, total)
    top = total - MARGIN
    for block, height in zip(above, heights, strict=True):
        if hasattr(block, "set_bbox_to_anchor"):
            block.set_bbox_to_anchor((MARGIN / width, top / total), figure.transFigure)
        else:
            block.set_y(top / total)
        top -= height + GAP
    if below:
        below.set_y(MARGIN / total)
    side = MARGIN / width
    figure.get_layout_engine().set(
        w_pad=0, h_pad=0, rect=(side, foot / total, 1 - 2 * side, 1 - (head + foot) / total)
    )
    figure.draw_without_rendering()


def _part_rows(figure, axes, above, below, told):
    """Makes the figure taller until the labels of the rows stand apart."""
    boxes = sorted((box_of(label) for label in _shown(axes.get_yticklabels())), key=lambda box: box.y0)
    crowded = max(
        (1.1 * low.height / max(1, high.y0 - low.y0) for low, high in itertools.pairwise(boxes)),
        default=0,
    )
    if crowded > 1:
        plot = axes.get_window_extent().height / figure.dpi * crowded + 0.6
        _stand(figure, above, below, min(plot, TALLEST))
        if plot > TALLEST:
            told.append("the labels of the rows overlap: fewer or shorter ones")


def _part_columns(figure, axes, told):
    """Turns the labels under the plot as far as they need to stand apart."""
    labels = _shown(axes.get_xticklabels())
    boxes = sorted((box_of(label) for label in labels), key=lambda box: box.x0)
    if not any(left.x1 + 4 > right.x0 for left, right in itertools.pairwise(boxes)):
        return
    centres = sorted((box.x0 + box.x1) / 2 for box in boxes)
    step = min(right - left for left, right in itertools.pairwise(centres))
    height = max(box.height for box in boxes)
    angle = next((angle for angle in (30, 45, 60) if step * math.sin(math.radians(angle)) > height), 90)
    for label in labels:
        label.set(rotation=angle, ha="right", va="center" if angle == 90 else "top", rotation_mode="anchor")
    if step < height:
        told.append("the labels under the plot overlap: fewer or shorter ones")
    figure.draw_without_rendering()


def _shown(labels):
    return [label for label in labels if label.get_visible() and label.get_text()]
