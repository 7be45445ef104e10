"""PNG charts in one clean style: each call draws, writes the file, closes the figure, returns the path."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import charts_layout as layout
import charts_paint as paint
import facts_drawn
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from charts_data import clean, frame_of, labels_of, numbers_of
from charts_paint import INK, MUTED, RULE
from charts_words import words_of
from matplotlib import font_manager

DPI = 160
MAX_SLICES, MAX_CELLS = 5, 30
_FAMILIES = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Noto Emoji",
    "Symbola",
)


def bar(data, title, path="bar.png", **options):
    """Vertical bars; long or many labels are drawn by hbar instead."""
    frame = frame_of(data)
    return _draw(functools.partial(paint.bars, flat=_lie_better(frame, options)), frame, title, path, options)


def hbar(data, title, path="hbar.png", **options):
    """Horizontal bars, the first on top; at most 20, the caption says when there are more."""
    return _draw(functools.partial(paint.bars, flat=True), frame_of(data), title, path, options)


def stacked(data, title, path="stacked.png", *, share=False, **options):
    """Bars made of parts, the first series at the bottom; share=True takes counts and makes each bar 100%."""
    frame = frame_of(data)
    if share:
        if (frame < 0).to_numpy().any():
            raise ValueError("share=True makes shares of counts: no value may be below 0.")
        frame = frame.div(frame.sum(axis=1).replace(0, np.nan), axis=0)
        options["percent"] = True
    flat = _lie_better(frame, options)
    return _draw(
        functools.partial(paint.bars, stack=True, full=share, flat=flat), frame, title, path, options
    )


def line(data, title, path="line.png", **options):
    """Change over time; the index may be dates, periods, numbers or names."""
    return _draw(paint.lines, frame_of(data), title, path, options)


def pie(data, title, path="pie.png", **options):
    """Parts of one whole, at most five."""
    frame = frame_of(data)
    values = frame.iloc[:, 0].dropna()
    if frame.shape[1] > 1 or len(values) > MAX_SLICES or (values < 0).any() or values.sum() <= 0:
        raise ValueError(
            f"A pie takes 1 to {MAX_SLICES} parts, none below 0, of one series. Use charts.hbar(...)."
        )
    return _draw(paint.slices, values.to_frame(), title, path, options)


def hist(data, title, path="hist.png", *, bins=20, **options):
    """How often values occur: a Series or list of numbers."""
    return _draw(functools.partial(paint.histogram, bins=bins), numbers_of(data), title, path, options)


def box(data, title, path="box.png", **options):
    """Median, quartiles and outliers: a DataFrame (a box per column), or {name: numbers}."""
    columns = data if isinstance(data, (dict, pd.DataFrame)) else {"": data}
    groups = {clean(name): numbers_of(columns[name]) for name in columns}
    return _draw(paint.boxes, groups, title, path, options)


def scatter(data, title, path="scatter.png", **options):
    """A DataFrame of x and y (a third column gives the colour), or a list of (x, y) pairs."""
    frame = data if isinstance(data, pd.DataFrame) else pd.DataFrame(list(data))
    if frame.shape[1] not in (2, 3):
        raise ValueError(f"scatter takes 2 columns (x, y), or 3 with the group; this has {frame.shape[1]}.")
    options.setdefault("x_title", str(frame.columns[0]))
    options.setdefault("y_title", str(frame.columns[1]))
    return _draw(paint.dots, frame, title, path, options)


def heatmap(data, title, path="heatmap.png", **options):
    """A table of numbers as colours, for example frame.corr(numeric_only=True)."""
    frame = frame_of(data, most=MAX_CELLS).head(MAX_CELLS)
    return _draw(paint.cells, frame, title, path, options)


def _lie_better(frame, options):
    """Many or long labels: bars lie, and each label has a line of its own."""
    labels = labels_of(frame.index)
    counts = 9 if options.get("n") is not None else 0
    return len(labels) > 12 or max(counts, *map(len, labels)) > 90 / len(labels)


def _draw(painter, data, title, path, options):
    """Figure, style and file around one painter."""
    known = {
        "percent",
        "subtitle",
        "x_title",
        "y_title",
        "source",
        "sort",
        "highlight",
        "n",
        "language",
        "width",
    }
    for name in options:
        if name not in known:
            raise ValueError(f"Charts have no option {name!r}. They take: {', '.join(sorted(known))}.")
    words, width = words_of(title, options.get("language")), options.get("width", layout.WIDTH)
    with mpl.rc_context(_style()), warnings.catch_warnings():
        # a sign that no installed font has is drawn as an empty box; a warning would not change that
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure, axes = plt.subplots(figsize=(width, layout.HEIGHT), dpi=DPI, layout="constrained")
        try:
            painted = painter(axes, data, options | {"words": words})
            across, up = ("y_title", "x_title") if painted.flat else ("x_title", "y_title")
            axes.set_xlabel(clean(options.get(across, "")) or axes.get_xlabel())
            axes.set_ylabel(clean(options.get(up, "")) or axes.get_ylabel())
            source = clean(options.get("source", ""))
            note = ". ".join(filter(None, (source and f"{words.source}: {source}", painted.caption)))
            told = layout.arrange(
                figure, axes, title=clean(title), subtitle=clean(options.get("subtitle", "")), note=note
            )
            told += [*painted.told, *painted.fit()]
            inside = hasattr(path, "write")  # a report takes the picture in, and registers it itself
            target = path if inside else Path(str(path)).with_suffix(".png")
            if not inside:
                target.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(target, format="png")
        finally:
            plt.close(figure)
    for sentence in told:
        print(f"warning: {sentence}")
    if inside:
        return target
    facts_drawn.picture(target, data, percent=bool(options.get("percent")))
    print(f"saved {target}")
    return str(target)


def _style():
    return {
        "font.family": _installed(),
        "font.size": 10.5,
        "text.color": INK,
        "axes.labelcolor": MUTED,
        "axes.edgecolor": RULE,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": RULE,
        "grid.linewidth": 0.6,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.major.size": 0,
        "ytick.major.size": 0,
        "legend.frameon": False,
        "axes.unicode_minus": False,
    }


@functools.lru_cache(maxsize=1)
def _installed():
    """Families that exist here: matplotlib warns of every one that does not."""
    there = {font.name for font in font_manager.fontManager.ttflist}
    return [family for family in _FAMILIES if family in there] or ["sans-serif"]
