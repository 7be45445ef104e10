"""A scatter chart: pairs of numbers, at most six groups, thinned evenly where there are too many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import deck_theme as theme
import pandas as pd
from deck_charts import axis_title
from deck_data import MAX_SERIES, labels, number, passive
from deck_plan import axis_format, number_format, signed
from deck_text import one_line, shorten
from deck_theme import Box
from pptx.chart.data import XyChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION, XL_MARKER_STYLE
from pptx.enum.chart import XL_TICK_LABEL_POSITION as TICK_LABELS
from pptx.enum.chart import XL_TICK_MARK as TICKS
from pptx.util import Pt

if TYPE_CHECKING:
    from deck_options import ChartOptions
    from deck_words import Words

MAX_DOTS = 1_500
"""More make a presentation slow to open and show nothing more."""
_SHAPES = (
    "Give a DataFrame whose first two columns are x and y (a third may hold the group), "
    "a list of (x, y) pairs, or {group: [(x, y), ...]}."
)
Pairs = list[tuple[float, float]]


@dataclass(frozen=True)
class Cloud:
    """The dots by group, and what the reader is told about those left out."""

    groups: tuple[tuple[str, Pairs], ...]
    x_title: str
    y_title: str
    caption: str


def cloud_of(data: object, words: Words) -> Cloud:
    """Raises ValueError, with advice, for what is not pairs of numbers."""
    x_title = y_title = ""
    if isinstance(data, pd.DataFrame):
        if data.shape[1] not in (2, 3):
            raise ValueError(f"The DataFrame has {data.shape[1]} columns. {_SHAPES}")
        x_title, y_title = (one_line(name) for name in data.columns[:2])
        raw = _by_group(data)
    elif isinstance(data, Mapping):
        raw = dict(data)
    else:
        raw = {"": data}
    names = labels(raw, words)
    if len(raw) > MAX_SERIES:
        raise ValueError(f"{len(raw)} groups are too many to tell apart. Choose at most {MAX_SERIES}.")
    groups = [(name, _pairs(pairs)) for name, pairs in zip(names, raw.values(), strict=True)]
    # the largest first: the small ones are then drawn on top of it (and LibreOffice, which
    # sizes its table by the first group, shows them all)
    groups = sorted((group for group in groups if group[1]), key=lambda group: -len(group[1]))
    count = sum(len(pairs) for _, pairs in groups)
    if not count:
        raise ValueError(f"There is nothing to draw: no pair has both numbers. {_SHAPES}")
    step = -(-count // MAX_DOTS)
    thinned = tuple((name, pairs[::step]) for name, pairs in groups)
    shown = sum(len(pairs) for _, pairs in thinned)
    caption = words.points_shown.format(words.number(shown), words.number(count)) if step > 1 else ""
    return Cloud(thinned, x_title, y_title, caption)


def put_scatter(slide, cloud: Cloud, options: ChartOptions, words: Words, box: Box):
    """The graphic frame of the new chart."""
    data = XyChartData()
    for place, (name, pairs) in enumerate(cloud.groups):
        fallback = one_line(options.y_title) or cloud.y_title or words.value
        series = data.add_series(
            passive(name) if name not in ("", words.missing) else f"{fallback} {place + 1}".strip()
        )
        for x, y in pairs:
            series.add_data_point(x, y)
    frame = slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *box.emu(), data)
    frame.name = "Chart: scatter"
    chart = frame.chart
    chart.has_title, chart.has_legend = False, len(cloud.groups) > 1
    chart.font.size, chart.font.name, chart.font.color.rgb = Pt(theme.AXIS_SIZE), theme.FONT, theme.MUTED
    if chart.has_legend:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.TOP, False
    dots = sum(len(pairs) for _, pairs in cloud.groups)
    for color, series in zip(theme.SERIES, chart.plots[0].series, strict=False):
        series.format.line.fill.background()
        series.marker.style, series.marker.size = XL_MARKER_STYLE.CIRCLE, 7 if dots <= 200 else 5
        series.marker.format.fill.solid()
        series.marker.format.fill.fore_color.rgb = color
        series.marker.format.line.color.rgb = theme.PAPER
    xs = [x for _, pairs in cloud.groups for x, _ in pairs]
    ys = [y for _, pairs in cloud.groups for _, y in pairs]
    _style(chart.category_axis, one_line(options.x_title) or cloud.x_title or "x", xs, percent=False)
    _style(chart.value_axis, one_line(options.y_title) or cloud.y_title or "y", ys, percent=options.percent)
    return frame


def _style(axis, title: str, numbers: list[float], *, percent: bool) -> None:
    axis.has_title = True
    axis_title(axis, shorten(title, theme.AXIS_TITLE_SIZE, 260))
    axis.major_tick_mark = axis.minor_tick_mark = TICKS.NONE
    axis.has_minor_gridlines, axis.has_major_gridlines = False, True
    axis.major_gridlines.format.line.color.rgb, axis.major_gridlines.format.line.width = theme.RULE, Pt(0.5)
    axis.format.line.color.rgb = theme.RULE
    axis.tick_label_position = TICK_LABELS.LOW
    shown = signed(axis_format(numbers, number_format(numbers, percent=percent)), numbers)
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = shown, False


def _by_group(frame: pd.DataFrame) -> dict[object, list]:
    pairs = list(zip(frame.iloc[:, 0], frame.iloc[:, 1], strict=True))
    if frame.shape[1] == 2:
        return {"": pairs}
    groups: dict[object, list] = {}
    for group, pair in zip(frame.iloc[:, 2], pairs, strict=True):
        key = None if not isinstance(group, (list, tuple)) and pd.isna(group) else group
        groups.setdefault(key, []).append(pair)
    return groups


def _pairs(items: object) -> Pairs:
    if isinstance(items, pd.DataFrame):
        items = list(items.iloc[:, :2].itertuples(index=False, name=None))
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise ValueError(f"{type(items).__name__} cannot be drawn as dots. {_SHAPES}")
    found: Pairs = []
    for item in items:
        if isinstance(item, (str, bytes)) or not isinstance(item, Iterable) or len(pair := tuple(item)) != 2:
            raise ValueError(f"{item!r:.60} is not an (x, y) pair. {_SHAPES}")
        x, y = number(pair[0], "x"), number(pair[1], "y")
        if x is not None and y is not None:
            found.append((x, y))
    return found
