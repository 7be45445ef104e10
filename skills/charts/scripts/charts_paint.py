"""Painters of the charts: one kind each, into given axes; a caption is returned where bars are left out."""

from __future__ import annotations

import math
import textwrap

import numpy as np
import pandas as pd
from charts_data import MAX_SERIES, clean, labels_of, with_counts
from matplotlib.ticker import FuncFormatter, MaxNLocator

COLORS = ("#1F5FA8", "#B4531A", "#1B756C", "#687588", "#764890", "#856600")
INK, MUTED, RULE = "#17233A", "#5B6778", "#D5DCE5"
MAX_BARS = 20


def bars(axes, frame, options, *, flat=False, stack=False):
    caption = ""
    if options.get("sort"):
        frame = frame.loc[frame.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    if len(frame) > MAX_BARS:
        caption = f"{MAX_BARS} / {len(frame)}"
        frame = frame.head(MAX_BARS)
    labels, places = labels_of(frame.index), np.arange(len(frame))
    count = 1 if stack else frame.shape[1]
    thick, base = 0.72 / count, np.zeros(len(frame))
    highlight = options.get("highlight")
    for number in range(frame.shape[1]):
        values = frame.iloc[:, number].fillna(0).to_numpy(float)
        shift = 0 if stack else (number - (count - 1) / 2) * thick
        color = COLORS[number]
        if highlight is not None and frame.shape[1] == 1:
            color = [COLORS[0] if label == clean(highlight) else "#8593A5" for label in labels]
        draw = axes.barh if flat else axes.bar
        start = {"left" if flat else "bottom": base.copy()} if stack else {}
        drawn = draw(
            places + shift, values, thick * 0.94, color=color, label=clean(frame.columns[number]), **start
        )
        base += values if stack else 0
        if len(frame) * frame.shape[1] <= 40:
            tallest = np.nansum(np.abs(frame.to_numpy(float)), axis=1).max() or 1
            shown = [
                ""
                if math.isnan(value) or (stack and abs(value) < tallest * 0.06)
                else _number(value, options)
                for value in frame.iloc[:, number].to_numpy(float)
            ]
            style = {"label_type": "center", "color": "white"} if stack else {"padding": 3, "color": INK}
            axes.bar_label(drawn, shown, fontsize=9, **style)
    name = clean(frame.index.name)
    if flat:
        axes.set_yticks(places, with_counts(labels, frame.index, options.get("n")))
        axes.invert_yaxis()
        axes.set_ylabel(name)
        axes.margins(x=0.1)
    else:
        wrapped = [textwrap.fill(label, max(6, 90 // len(labels))) for label in labels]
        axes.set_xticks(places, with_counts(wrapped, frame.index, options.get("n")))
        axes.set_xlabel(name)
        axes.margins(y=0.1)
        if len(labels) > 12:
            axes.tick_params(axis="x", rotation=60)
    _finish(axes, frame, options, flat=flat)
    return caption


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
    axes.set_xlabel(clean(frame.index.name))
    _finish(axes, frame, options)


def slices(axes, frame, options):
    values = frame.iloc[:, 0].to_numpy(float)
    labels = [
        f"{label}\n{value / values.sum():.1%}"
        for label, value in zip(labels_of(frame.index), values, strict=True)
    ]
    axes.pie(
        values,
        labels=labels,
        colors=COLORS,
        startangle=90,
        counterclock=False,
        wedgeprops={"edgecolor": "white"},
    )


def histogram(axes, values, options, *, bins):
    axes.hist(values, bins=bins, color=COLORS[0], edgecolor="white")
    median = float(np.median(values))
    axes.axvline(median, color=COLORS[1], lw=1.5)
    axes.annotate(
        _number(median, options),
        (median, 1),
        xycoords=("data", "axes fraction"),
        xytext=(4, -10),
        textcoords="offset points",
        color=COLORS[1],
    )
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")


def boxes(axes, groups, options):
    look = {
        "medianprops": {"color": COLORS[1], "lw": 2},
        "boxprops": {"facecolor": "#DCE6F2", "edgecolor": INK},
    }
    axes.boxplot(list(groups.values()), patch_artist=True, widths=0.5, flierprops={"markersize": 3}, **look)
    axes.set_xticks(
        range(1, len(groups) + 1), [textwrap.shorten(name, 18, placeholder="…") for name in groups]
    )
    axes.grid(axis="y")


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
    if len(names) > 1:
        axes.legend()


def cells(axes, frame, options):
    values = frame.to_numpy(float)
    low, high = np.nanmin(values), np.nanmax(values)
    signed = low < 0 < high
    top = max(abs(low), abs(high))
    limits = (-top, top) if signed else (low, high)
    image = axes.imshow(
        values, cmap="RdBu_r" if signed else "Blues", vmin=limits[0], vmax=limits[1], aspect="auto"
    )
    axes.set_xticks(range(frame.shape[1]), labels_of(frame.columns), rotation=45, ha="right")
    axes.set_yticks(range(frame.shape[0]), labels_of(frame.index))
    axes.spines[:].set_visible(False)
    if values.size <= 150:
        for (row, column), value in np.ndenumerate(values):
            if not math.isnan(value):
                red, green, blue, _ = image.cmap(image.norm(value))
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
                color = "white" if dark else INK
                axes.text(
                    column, row, _number(value, options), ha="center", va="center", fontsize=9, color=color
                )


def _finish(axes, frame, options, *, flat=False):
    value_axis = axes.xaxis if flat else axes.yaxis
    value_axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value, options, axis=True)))
    axes.grid(axis="x" if flat else "y")
    name = clean(frame.columns[0]) if frame.shape[1] == 1 else ""
    (axes.set_xlabel if flat else axes.set_ylabel)(name)
    if frame.shape[1] > 1:
        axes.legend(ncols=3, loc="lower right", bbox_to_anchor=(1, 1))


def _number(value, options, *, axis=False):
    if options.get("percent"):
        return f"{value:.0%}" if axis else f"{value:.1%}"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"
