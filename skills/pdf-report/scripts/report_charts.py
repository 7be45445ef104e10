"""Charts of a report: drawn by the `charts` library into memory, the title left to the caption."""

import io

import charts
import numpy as np
import pandas as pd
from charts_data import numbers_of
from deck_text import one_line
from facts_values import flat
from PIL import Image
from report_parts import Picture

KINDS = {
    "bar": charts.hbar,
    "column": charts.bar,
    "line": charts.line,
    "pie": charts.pie,
    "stacked": charts.stacked,
    "scatter": charts.scatter,
    "hist": charts.hist,
    "box": charts.box,
    "heatmap": charts.heatmap,
}
_SUMMED = ("hist", "box")
_QUARTERS = [0, 0.25, 0.5, 0.75, 1]


def chart_of(kind, title, data, words, *, alt="", note="", **options):
    """A Picture. Raises ValueError with advice for data that cannot be drawn."""
    buffer = io.BytesIO()
    KINDS[kind](data, "", buffer, language=words.code, **options)
    told = one_line(alt) or ". ".join(filter(None, (title, _axes(options))))
    return picture_of(buffer.getvalue(), title, told, note)


def picture_of(png, title, alt, note=""):
    with Image.open(io.BytesIO(png)) as image:
        width, height = image.size
    return Picture(one_line(title), png, width, height, one_line(alt), one_line(note))


def numbers_in(kind, data):
    """(numbers, labels) that a chart shows; of a distribution its quartiles and size."""
    if kind not in _SUMMED:
        return flat(data)
    groups = data if isinstance(data, (dict, pd.DataFrame)) else {"": data}
    numbers, labels = [], []
    for name in groups:
        values = numbers_of(groups[name])
        numbers += [*np.quantile(values, _QUARTERS).tolist(), len(values)]
        labels.append(one_line(name))
    return numbers, [label for label in labels if label]


def _axes(options):
    return ", ".join(
        filter(None, (one_line(options.get("y_title", "")), one_line(options.get("x_title", ""))))
    )
