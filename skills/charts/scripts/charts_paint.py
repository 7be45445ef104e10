"""Painters of the charts: one kind each, into given axes."""

from __future__ import annotations

import functools
import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import charts_values as fits
import numpy as np
import pandas as pd
from charts_data import MAX_SERIES, clean, labels_of, with_counts
from matplotlib.ticker import FuncFormatter, MaxNLocator

if TYPE_CHECKING:
    from collections.abc import Callable

COLORS = ("#1F5FA8", "#B4531A", "#1B756C", "#687588", "#764890", "#856600")
GREYS = ("#A3AEBC", "#C3CBD5", "#8E9AA9", "#DCE2E9", "#B3BCC8", "#D0D7DF")
INK, MUTED, RULE = "#17233A", "#5B6778", "#D5DCE5"
MAX_BARS, MAX_CELLS = 20, 150


@dataclass(frozen=True)
class Painted:
    """What is left to tell, and to do once the plot has its place: returns what found no room."""

    caption: str = ""
    fit: Callable[[], list[str]] = list
    told: tuple[str, ...] = ()
    flat: bool = False
    """The values run across: their title belongs below."""


def bars(axes, frame, options, *, flat=False, stack=False, full=False):
    """`stack` puts the series on one another; `full`: each bar is 100%."""
    caption, words = "", options["words"]
    if options.get("sort"):
        frame = frame.loc[frame.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    chosen, told = _chosen(frame, options.get("highlight"))
    if len(frame) > MAX_BARS:
        shown = words.top_shown if options.get("sort") else words.first_shown
        caption = shown.format(MAX_BARS, len(frame))
        frame = frame.head(MAX_BARS)
    labels, places = labels_of(frame.index), np.arange(len(frame))
    names = [clean(name) for name in frame.columns]
    count = 1 if stack else frame.shape[1]
    thick, base, below = 0.72 / count, np.zeros(len(frame)), np.zeros(len(frame))
    values = []
    for number, name in enumerate(names):
        column = frame.iloc[:, number].to_numpy(float)
        lengths = np.nan_to_num(column)
        shift = 0 if stack else (number - (count - 1) / 2) * thick
        color = COLORS[number] if chosen is None or name == chosen else GREYS[number]
        if chosen is not None and len(names) == 1:
            color = [COLORS[0] if label == chosen else GREYS[0] for label in labels]
        # what is below zero hangs from zero downwards
        start = np.where(lengths < 0, below, base) if stack else np.zeros(len(frame))
        draw, side = (axes.barh, "left") if flat else (axes.bar, "bottom")
        look = {"edgecolor": "white", "linewidth": 0.8} if stack else {}
        drawn = draw(places + shift, lengths, thick * 0.94, color=color, label=name, **{side: start}, **look)
        base, below = base + np.maximum(lengths, 0), below + np.minimum(lengths, 0)
        shown = [
            "" if math.isnan(value) or (stack and not value) else _number(value, options) for value in column
        ]
        light = INK if color in GREYS else "white"
        style = {"label_type": "center", "color": light} if stack else {"padding": 3, "color": INK}
        written = axes.bar_label(drawn, shown, fontsize=9, gid="value", **style)
        values += zip(written, drawn, strict=True)
    name = clean(frame.index.name)
    if flat:
        axes.set_yticks(places, with_counts(labels, frame.index, options.get("n"), words))
        axes.margins(y=0.02)
        axes.invert_yaxis()
        axes.set_ylabel(name)
    else:
        wrapped = [textwrap.fill(label, max(6, 90 // len(labels))) for label in labels]
        axes.set_xticks(places, with_counts(wrapped, frame.index, options.get("n"), words))
        axes.set_xlabel(name)
    if full:
        (axes.set_xlim if flat else axes.set_ylim)(0, 1)
    _finish(axes, frame, options, flat=flat)
    fit = fits.inside_segments if stack else fits.beside_bars
    return Painted(caption, functools.partial(fit, axes, values, flat=flat), told, flat)


def _chosen(frame, highlight):
    """The name that keeps its colour: of a series where there are several, else of a bar."""
    if highlight is None:
        return None, ()
    chosen = labels_of([highlight])[0] if frame.shape[1] == 1 else clean(highlight)
    names = labels_of(frame.index) if frame.shape[1] == 1 else [clean(name) for name in frame.columns]
    if chosen in names:
        return chosen, ()
    return None, (f"highlight {chosen!r} is no {'bar' if frame.shape[1] == 1 else 'series'} of this chart",)


def lines(axes, frame, options):
    index = frame.index
    if isinstance(index, pd.PeriodIndex):
        index = index.to_timestamp()
    plain = isinstance(index, pd.DatetimeIndex) or pd.api.types.is_numeric_dtype(index)
    places = index if plain else np.arange(len(frame))
    for number in range(frame.shape[1]):
        name, values = clean(frame.columns[number]), frame.iloc[:, number].astype(float)
        marker = "o" if len(frame) <= 24 else None
        axes.plot(places, values, color=COLORS[number], lw=2.2, marker=marker, ms=5, label=name)
    if not plain:
        step = max(1, len(frame) // 10)
        axes.set_xticks(np.arange(0, len(frame), step), labels_of(index)[::step])
    elif pd.api.types.is_integer_dtype(index):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(clean(frame.index.name))
    _finish(axes, frame, options)
    return Painted()


def slices(axes, frame, options):
    values = frame.iloc[:, 0].to_numpy(float)
    shares = [options["words"].number(value / values.sum(), percent=True) for value in values]
    names = [textwrap.fill(label, 22) for label in labels_of(frame.index)]
    wedges, texts = axes.pie(
        values,
        labels=[f"{name}\n{share}" for name, share in zip(names, shares, strict=True)],
        colors=COLORS,
        startangle=90,
        counterclock=False,
        wedgeprops={"edgecolor": "white"},
        textprops={"gid": "value"},
    )
    for wedge in wedges:
        wedge.set_label("_")  # its name stands at its side

    def listed():
        entries = [f"{name}  {share}" for name, share in zip(labels_of(frame.index), shares, strict=True)]
        axes.legend(wedges, entries, loc="center left", bbox_to_anchor=(1.02, 0.5))

    return Painted(fit=functools.partial(fits.around_pie, axes, texts, listed=listed))


def histogram(axes, values, options, *, bins):
    axes.hist(values, bins=bins, color=COLORS[0], edgecolor="white")
    median = float(np.median(values))
    axes.axvline(median, color=COLORS[1], lw=1.5)
    left = sum(axes.get_xlim()) / 2 < median
    # above the bars, on the side with more room
    axes.annotate(
        f"{options['words'].median} {_number(median, options)}",
        (median, 1),
        xycoords=("data", "axes fraction"),
        xytext=(-5 if left else 5, -3),
        textcoords="offset points",
        color=COLORS[1],
        ha="right" if left else "left",
        va="top",
        gid="value",
    )
    axes.set_ylim(0, axes.get_ylim()[1] * 1.08)
    axes.xaxis.set_major_formatter(_signs(options))
    axes.yaxis.set_major_formatter(_signs({"words": options["words"]}))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")
    return Painted()


def boxes(axes, groups, options):
    look = {
        "medianprops": {"color": COLORS[1], "lw": 2},
        "boxprops": {"facecolor": "#DCE6F2", "edgecolor": INK},
    }
    axes.boxplot(list(groups.values()), patch_artist=True, widths=0.5, flierprops={"markersize": 3}, **look)
    axes.set_xticks(
        range(1, len(groups) + 1),
        [
            textwrap.fill(textwrap.shorten(name, 34, placeholder="…"), max(8, 90 // len(groups)))
            for name in groups
        ],
    )
    axes.yaxis.set_major_formatter(_signs(options))
    axes.grid(axis="y")
    return Painted()


def dots(axes, frame, options):
    points = frame.iloc[:, :2].apply(pd.to_numeric, errors="coerce").astype(float)
    points = points.replace([np.inf, -np.inf], np.nan).dropna()
    if points.empty:
        raise ValueError("There is nothing to draw: no row has both numbers.")
    groups = (
        frame.iloc[:, 2].loc[points.index].astype(str) if frame.shape[1] == 3 else pd.Series("", points.index)
    )
    names = list(groups.value_counts().index)
    if len(names) > MAX_SERIES:
        raise ValueError(f"{len(names)} groups are too many to tell apart. Choose at most {MAX_SERIES}.")
    for color, name in zip(COLORS, names, strict=False):
        chosen = points[(groups == name).to_numpy()]
        axes.scatter(
            chosen.iloc[:, 0], chosen.iloc[:, 1], s=22, color=color, alpha=0.7, lw=0, label=clean(name) or "–"
        )
    axes.grid()
    plain = _signs({"words": options["words"]})
    axes.xaxis.set_major_formatter(plain)
    axes.yaxis.set_major_formatter(plain)
    return Painted()


def cells(axes, frame, options):
    values = frame.to_numpy(float)
    low, high = np.nanmin(values), np.nanmax(values)
    signed = low < 0 < high
    top = max(abs(low), abs(high))
    limits = (-top, top) if signed else (low, high)
    image = axes.imshow(
        values, cmap="RdBu_r" if signed else "Blues", vmin=limits[0], vmax=limits[1], aspect="auto"
    )
    axes.set_xticks(range(frame.shape[1]), labels_of(frame.columns))
    axes.set_yticks(range(frame.shape[0]), labels_of(frame.index))
    axes.spines[:].set_visible(False)
    scale = functools.partial(axes.figure.colorbar, image, ax=axes, format=_signs(options), pad=0.02)
    if values.size > MAX_CELLS:
        scale()
        return Painted()
    largest = max(abs(low), abs(high))
    whole = bool((values[np.isfinite(values)] % 1 == 0).all())
    decimals = 0 if whole or largest >= 1000 else 1 if largest >= 10 else 2
    texts = []
    for (row, column), value in np.ndenumerate(values):
        if not math.isnan(value):
            red, green, blue, _ = image.cmap(image.norm(value))
            color = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else INK
            style = {"ha": "center", "va": "center", "color": color, "gid": "value"}
            texts.append(axes.text(column, row, _number(value, options, decimals=decimals), **style))
    rows, columns = values.shape
    return Painted(fit=functools.partial(fits.in_cells, axes, texts, columns=columns, rows=rows, scale=scale))


def _finish(axes, frame, options, *, flat=False):
    (axes.xaxis if flat else axes.yaxis).set_major_formatter(_signs(options))
    axes.grid(axis="x" if flat else "y")
    name = clean(frame.columns[0]) if frame.shape[1] == 1 else ""
    (axes.set_xlabel if flat else axes.set_ylabel)(name)


def _signs(options):
    """The numbers of an axis."""
    return FuncFormatter(lambda value, _: _number(value, options, axis=True))


def _number(value, options, *, axis=False, decimals=None):
    percent = bool(options.get("percent"))
    return options["words"].number(value, percent=percent, axis=axis, decimals=decimals)
