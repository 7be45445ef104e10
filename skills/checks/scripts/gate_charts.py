"""Check 8: charts are native, flat and titled, and show what their workbook and the facts say."""

import io
import math
import zipfile

from gate_chart_parts import axes, is_solid, plots, series_of, strings
from gate_model import finding, quoted
from openpyxl import load_workbook
from openpyxl.utils.cell import range_boundaries

MOST_WORKBOOK = 50 * 2**20
"""Bytes unpacked of a chart's own workbook."""
_WITHOUT_AXES = {"pieChart", "pie3DChart", "doughnutChart", "ofPieChart", "radarChart"}
_GENERIC = {"value", "values", "category", "categories", "x", "y", "axis title", "number",
            "значение", "значения", "категория", "категории", "название оси"}  # fmt: skip
_CLOSE = 1e-6


def chart_findings(view, file, records):
    """`records` are those of the facts that name this file as their target."""
    found = []
    drawn = [record for record in records if record.get("kind") in ("drawn", "table")]
    # of a record that was cut nobody knows what else it held
    registered = [] if any(record.get("cut") for record in drawn) else [_numbers(record) for record in drawn]
    for page in view.pages:
        for piece in page.pieces:
            if piece.kind == "chart":
                place = f"{page.place}, {piece.name}"
                found += drawn_findings(piece.shape.chart, file, place)
                found += _data(piece.shape.chart, file, place, registered)
    return found


def drawn_findings(chart, file, place):
    """What can be seen on any chart of an Office file: depth, titles of axes, values that are none."""
    found = []
    if is_solid(chart):
        found.append(
            finding("chart_3d", file, place, "It is drawn in 3-D, which distorts values. Take the flat kind.")
        )
    if not _WITHOUT_AXES.issuperset(plots(chart)):
        for axis in axes(chart):
            what = "value" if axis.kind == "valAx" else "category"
            if axis.kind == "serAx" or (axis.deleted and _repeated(chart, axis)):
                continue
            if not axis.title:
                detail = (
                    f"The {what} axis has no title. Say what it counts, with the unit: 'Revenue, £ thousand'."
                )
                found.append(finding("axis_untitled", file, place, detail))
            elif axis.title.strip().lower() in _GENERIC:
                detail = f"The {what} axis is called {quoted(axis.title)}. Say what it counts, with the unit."
                found.append(finding("axis_generic", file, place, detail))
    bad = [
        text
        for text in strings(chart)
        if text.strip().lower() in ("nan", "nat", "none", "inf", "-inf", "<na>")
    ]
    bad += [v for series in series_of(chart) for v in series.values if v is not None and _number(v) is None
            and v.strip().lower() in ("nan", "inf", "-inf", "none", "nat")]  # fmt: skip
    if bad:
        detail = f"The chart draws {quoted(bad[0])}. Leave a gap (None), or drop the category."
        found.append(finding("chart_missing_value", file, place, detail))
    return found


def _repeated(chart, axis):
    """A deleted second axis of a kind, as combined charts have; which needs no title."""
    return sum(other.kind == axis.kind and not other.deleted for other in axes(chart)) > 0


def _data(chart, file, place, registered):
    part = chart.part.chart_workbook.xlsx_part
    if part is None:
        detail = "The chart has no workbook behind it, so nobody can edit it. Make it by add_chart."
        return [finding("chart_without_data", file, place, detail)]
    found = []
    try:
        cells = _Cells(part.blob)
    except (zipfile.BadZipFile, OSError, ValueError, KeyError) as error:
        detail = f"The workbook behind the chart does not open: {error}. Make the chart by add_chart."
        return [finding("chart_without_data", file, place, detail)]
    for series in series_of(chart):
        for kind, cached, reference in (
            ("value", series.values, series.reference),
            ("label", series.labels, series.labels_reference),
        ):
            difference = cells.difference(cached, reference)
            if difference:
                detail = (
                    f"Series {quoted(series.name, 30)}: {kind} {difference}. Replace the data by "
                    "replace_data."
                )
                found.append(finding("chart_cache", file, place, detail))
        if registered and (stray := _stray(series.values, registered)) is not None:
            detail = (
                f"Series {quoted(series.name, 30)} draws {stray}, which is not among the numbers "
                "registered for this "
                "file. Draw a table that facts computed, by the deck library or facts.drawn."
            )
            found.append(finding("chart_unregistered", file, place, detail))
    return found


class _Cells:
    """The cells of a chart's workbook."""

    def __init__(self, blob):
        with zipfile.ZipFile(io.BytesIO(blob)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_WORKBOOK:
                raise ValueError("the chart's workbook is too large to be checked")
        self.workbook = load_workbook(io.BytesIO(blob), data_only=True)

    def difference(self, cached, reference):
        """The first difference between a cache and its cells, as words; empty where none can be told."""
        cells = self._read(reference)
        if cells is None:
            return ""
        if len(cells) != len(cached):
            return f"cache holds {len(cached)}, the workbook {len(cells)}"
        for place, (shown, cell) in enumerate(zip(cached, cells, strict=True), start=1):
            if not _same(shown, cell):
                return f"{place} is {quoted(shown, 20)} on the slide and {quoted(cell, 20)} in the workbook"
        return ""

    def _read(self, reference):
        sheet, mark, area = reference.rpartition("!")
        sheet = sheet.strip("'").replace("''", "'")
        if not mark or sheet not in self.workbook.sheetnames:
            return None
        try:
            left, top, right, bottom = range_boundaries(area.replace("$", ""))
        except (ValueError, TypeError):
            return None
        if (
            None in (left, top, right, bottom)
            or (left != right and top != bottom)
            or right - left + bottom - top > 20_000
        ):
            return None
        rows = self.workbook[sheet].iter_rows(top, bottom, left, right, values_only=True)
        return [value for row in rows for value in row]


def _same(shown, cell):
    if shown is None or cell is None:
        return shown in (None, "") and cell in (None, "")
    number = _number(shown)
    if isinstance(cell, bool):
        return True
    if isinstance(cell, (int, float)):
        return number is not None and math.isclose(number, cell, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(cell, str):
        return shown.strip() == cell.strip() or (number is not None and number == _number(cell))
    return True  # dates are cached as serial numbers


def _number(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def _numbers(record):
    values = record.get("values") or []
    return sorted(
        float(v)
        for v in values
        if isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)
    )


def _stray(values, registered):
    """A drawn number that the first table lacks; None when some table holds all of the series."""
    numbers = [number for number in map(_number, values) if number is not None]
    missing = []
    for table in registered:
        lost = next((n for n in numbers if not any(_near(n, other) for other in table)), None)
        if lost is None:
            return None
        missing.append(lost)
    return missing[0] if missing else None


def _near(one, other):
    return abs(one - other) <= _CLOSE * max(1.0, abs(other))
