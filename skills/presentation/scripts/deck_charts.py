"""Native charts: a planned chart drawn on a slide, in the theme's colours, with titled axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import deck_theme as theme
from deck_data import passive
from deck_labels import FLAT, STACKS, gap, hidden, label_size, label_step
from deck_plan import Drawing, Kind, axis_format, signed
from deck_text import one_line, shorten
from deck_theme import Box
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import (
    XL_AXIS_CROSSES,
    XL_CHART_TYPE,
    XL_LABEL_POSITION,
    XL_LEGEND_POSITION,
    XL_MARKER_STYLE,
)
from pptx.enum.chart import XL_TICK_LABEL_POSITION as TICK_LABELS
from pptx.enum.chart import XL_TICK_MARK as TICKS
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls, qn
from pptx.util import Pt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deck_options import ChartOptions
    from deck_words import Words

_BEYOND = 0.2
"""Room for the value of a bar below zero, in lengths of the axis."""
_MARKED = 24
"""Points of a line that are drawn as dots."""
_TYPES = {
    Kind.BAR: XL_CHART_TYPE.BAR_CLUSTERED,
    Kind.COLUMN: XL_CHART_TYPE.COLUMN_CLUSTERED,
    Kind.LINE: XL_CHART_TYPE.LINE_MARKERS,
    Kind.PIE: XL_CHART_TYPE.PIE,
    Kind.STACKED: XL_CHART_TYPE.COLUMN_STACKED,
    Kind.STACKED_BAR: XL_CHART_TYPE.BAR_STACKED,
}


def put_chart(slide, drawing: Drawing, options: ChartOptions, words: Words, box: Box):
    """The graphic frame of the new chart."""
    data = CategoryChartData(number_format=signed(drawing.number_format, drawing.table.numbers))
    data.categories = drawing.table.labels
    for place, series in enumerate(drawing.table.series):
        name = (
            series.name
            or passive(one_line(options.y_title))
            or (words.share if options.percent else words.value)
        )
        data.add_series(
            name if len(drawing.table.series) == 1 or series.name else f"{name} {place + 1}", series.values
        )
    frame = slide.shapes.add_chart(_TYPES[drawing.kind], *box.emu(), data)
    chart = frame.chart
    frame.name = f"Chart: {drawing.kind}"
    chart.has_title, chart.font.size, chart.font.name = False, Pt(theme.AXIS_SIZE), theme.FONT
    chart.font.color.rgb = theme.MUTED
    several = len(drawing.table.series) > 1
    chart.has_legend = several
    if several:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.TOP, False
        chart.legend.font.size, chart.legend.font.color.rgb = Pt(theme.AXIS_SIZE), theme.TEXT
    if drawing.kind is Kind.PIE:
        _style_pie(chart, drawing)
    else:
        size = label_size(drawing, box)
        _style_axes(chart, drawing, options, words, box, labelled=size is not None)
        _paint(chart, drawing)
        if size is not None:
            _write_values(chart, drawing, size, box)
    return frame


def _style_axes(
    chart, drawing: Drawing, options: ChartOptions, words: Words, box: Box, *, labelled: bool
) -> None:
    table = drawing.table
    categories, values = chart.category_axis, chart.value_axis
    category_title = one_line(options.x_title) or table.label_title or words.category
    value_title = (
        one_line(options.y_title) or table.value_title or (words.share if options.percent else words.value)
    )
    for axis, title in ((categories, category_title), (values, value_title)):
        axis.has_title = True
        axis_title(
            axis, shorten(title, theme.AXIS_SIZE, (box.width if axis is categories else box.height - 1) * 60)
        )
        axis.major_tick_mark = axis.minor_tick_mark = TICKS.NONE
        axis.has_major_gridlines = axis.has_minor_gridlines = False
    categories.tick_labels.font.color.rgb = theme.TEXT
    categories.format.line.color.rgb = theme.RULE
    # a negative bar must not be drawn over its label
    categories.tick_label_position = TICK_LABELS.LOW
    values.format.line.fill.background()
    shown = axis_format(table.numbers, drawing.number_format)
    values.tick_labels.number_format = signed(shown, table.numbers)
    values.tick_labels.number_format_is_linked = False
    if drawing.kind in FLAT:
        categories.reverse_order = True
        categories.crosses = XL_AXIS_CROSSES.MAXIMUM
    if drawing.kind is not Kind.LINE and min(table.numbers) >= 0:
        values.minimum_scale = 0
    if options.share:
        values.maximum_scale = 1
    elif labelled and drawing.kind in (Kind.BAR, Kind.COLUMN) and min(table.numbers) < 0:
        # the value of the lowest bar stands beyond its end, where the names of the bars begin
        lowest = min(table.numbers)
        values.minimum_scale = lowest - _BEYOND * (max(0.0, *table.numbers) - lowest)
    if labelled:
        values.tick_label_position = TICK_LABELS.NONE
    else:
        values.has_major_gridlines = True
        values.major_gridlines.format.line.color.rgb = theme.RULE
        values.major_gridlines.format.line.width = Pt(0.5)
    if drawing.kind not in FLAT:
        _skip_labels(categories, label_step(drawing, box))


def axis_title(axis, text: str) -> None:
    """Write an axis title in the theme's size and colour."""
    frame = axis.axis_title.text_frame
    frame.text = text
    font = frame.paragraphs[0].runs[0].font
    font.size, font.bold, font.name, font.color.rgb = (
        Pt(theme.AXIS_TITLE_SIZE),
        False,
        theme.FONT,
        theme.MUTED,
    )


def _skip_labels(axis, step: int) -> None:
    """Leave labels out where they would not fit; those that fit are never turned on their side."""
    element = axis._element
    if step > 1:
        before = element.find(qn("c:noMultiLvlLbl"))
        for name in ("c:tickLblSkip", "c:tickMarkSkip"):
            before.addprevious(parse_xml(f'<{name} {nsdecls("c")} val="{step}"/>'))
    else:
        element.txPr.find(qn("a:bodyPr")).set("rot", "0")


def _paint(chart, drawing: Drawing) -> None:
    plot = chart.plots[0]
    if drawing.kind is not Kind.LINE:
        plot.gap_width = gap(drawing)
        if len(drawing.table.series) > 1:
            plot.overlap = 100 if drawing.kind in STACKS else -5
    for color, series in zip(theme.SERIES, plot.series, strict=False):
        if drawing.kind is Kind.LINE:
            series.smooth = False
            series.format.line.color.rgb, series.format.line.width = color, Pt(2.5)
            few = len(drawing.table.labels) <= _MARKED
            series.marker.style = XL_MARKER_STYLE.CIRCLE if few else XL_MARKER_STYLE.NONE
            series.marker.size = 7
            series.marker.format.fill.solid()
            series.marker.format.fill.fore_color.rgb = color
            series.marker.format.line.color.rgb = color
            continue
        series.invert_if_negative = False
        series.format.fill.solid()
        series.format.fill.fore_color.rgb = color
    if drawing.highlight is not None and len(drawing.table.series) == 1 and drawing.kind is not Kind.LINE:
        for place in range(len(drawing.table.labels)):
            if place != drawing.highlight:
                fill = plot.series[0].points[place].format.fill
                fill.solid()
                fill.fore_color.rgb = theme.FADED


def _write_values(chart, drawing: Drawing, size: int, box: Box) -> None:
    plot = chart.plots[0]
    plot.has_data_labels = True
    stacked = drawing.kind in STACKS
    bold = len(drawing.table.series) == 1 or stacked
    color = theme.PAPER if stacked else theme.INK
    position = (
        XL_LABEL_POSITION.CENTER
        if stacked
        else XL_LABEL_POSITION.ABOVE
        if drawing.kind is Kind.LINE
        else XL_LABEL_POSITION.OUTSIDE_END
    )
    holders = [plot.data_labels]
    places = hidden(drawing, box, size) if stacked else []
    troughs = _troughs(drawing.table.series[0].values) if drawing.kind is Kind.LINE else []
    if troughs:
        holders.append(plot.series[0].data_labels)
    for series, thin in zip(plot.series, places, strict=False):
        if thin:
            # a value that does not fit inside its own part of a bar is not written
            holders.append(series.data_labels)
    for labels in holders:
        labels.show_value, labels.number_format, labels.number_format_is_linked = (
            True,
            signed(drawing.number_format, drawing.table.numbers),
            False,
        )
        labels.font.size, labels.font.name, labels.font.bold = Pt(size), theme.FONT, bold
        labels.font.color.rgb, labels.position = color, position
    for place in troughs:
        label = plot.series[0].points[place].data_label
        label.position = XL_LABEL_POSITION.BELOW
        label.font.size, label.font.name, label.font.bold = Pt(size), theme.FONT, bold
        label.font.color.rgb = color
    for series, thin in zip(plot.series, places, strict=False):
        for place in reversed(thin):
            series.data_labels._element.insert(
                0, parse_xml(f'<c:dLbl {nsdecls("c")}><c:idx val="{place}"/><c:delete val="1"/></c:dLbl>')
            )


def _troughs(values: Sequence[float | None]) -> list[int]:
    """The places whose value stands below its dot, or the line would run through it."""
    found = []
    for place, value in enumerate(values):
        near = [values[at] for at in (place - 1, place + 1) if 0 <= at < len(values)]
        if value is not None and sum(other - value for other in near if other is not None) > 0:
            found.append(place)
    return found


def _style_pie(chart, drawing: Drawing) -> None:
    plot = chart.plots[0]
    plot.vary_by_categories = True
    for place in range(len(drawing.table.labels)):
        point = plot.series[0].points[place]
        point.format.fill.solid()
        point.format.fill.fore_color.rgb = theme.SERIES[place]
        point.format.line.color.rgb = theme.PAPER
    plot.has_data_labels = True
    labels = plot.data_labels
    labels.show_percentage, labels.show_category_name, labels.show_value = True, True, False
    labels.number_format, labels.number_format_is_linked = "0.0%", False
    labels.position = XL_LABEL_POSITION.OUTSIDE_END
    labels.font.size, labels.font.name, labels.font.color.rgb = Pt(theme.LABEL_SIZE), theme.FONT, theme.INK
