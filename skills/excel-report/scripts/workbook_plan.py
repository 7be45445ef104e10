"""What a workbook will hold: sheets as values, checked when they are asked for, written when it is saved."""

from dataclasses import dataclass, field

import pandas as pd
from deck_text import one_line
from workbook_formats import column_code, kind_of

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
"""Of a sheet: Excel's own limits."""
MAX_CELLS = 3_000_000
"""Of a sheet; more opens in minutes, if at all."""
LEAST_WIDTH, MOST_WIDTH = 9, 48
"""Characters."""
_BOLD = 1.1
"""Widths of a character: of bold letters in that of a digit, by which Excel measures columns."""
_MEASURED = 300
"""Rows by which the width of a column is chosen."""


@dataclass(frozen=True)
class Column:
    name: str
    code: str
    """Its number format; empty for texts."""
    width: float
    right: bool
    bars: bool = False


@dataclass(frozen=True)
class Chart:
    kind: str
    x_title: str
    y_title: str
    code: str
    highlight: str | None = None


@dataclass(frozen=True)
class Sheet:
    name: str
    title: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    source: str
    note: str = ""
    rows: int = 0
    """Of the frame that was given, where it had to be cut."""
    chart: Chart | None = None


@dataclass(frozen=True)
class Summary:
    title: str
    figures: list = field(default_factory=list)
    lines: list = field(default_factory=list)


def planned_columns(frame, *, percent=(), currency=None, digits=None, bars=(), language="en"):
    """Raises ValueError for an option that names no column."""
    currency, digits = currency or {}, digits or {}
    known = set(frame.columns)
    for name in (*percent, *currency, *digits, *bars):
        if one_line(name) not in known:
            raise ValueError(f"There is no column {name!r}. There are: {', '.join(list(known)[:20])}.")
    shares, money = {one_line(name) for name in percent}, {one_line(k): v for k, v in currency.items()}
    places = {one_line(k): v for k, v in digits.items()}
    result = []
    for position, name in enumerate(frame.columns):
        series = frame.iloc[:, position]
        unit = "%" if name in shares else money.get(name, "")
        code = column_code(series, name, unit=unit, digits=places.get(name), language=language)
        right = kind_of(series) in ("number", "span")
        result.append(
            Column(name, code, _width(series, name, code), right, name in {one_line(b) for b in bars})
        )
    return tuple(result)


def _width(series, name, code):
    sample = series.head(_MEASURED).dropna()
    if code.startswith("yyyy"):
        content = len(code)
    elif "%" in code:
        content = 7
    elif code:
        places = len(code.split(";")[0].partition(".")[2].rstrip('"%')) if "." in code else 0
        digits = [
            len(f"{value:,.{min(places, 6)}f}") for value in pd.to_numeric(sample, errors="coerce").dropna()
        ]
        content = max(digits, default=4) + (3 if '"' in code else 0)
    else:
        content = max((max(map(len, str(item).splitlines() or [""])) for item in sample), default=4)
    head = _BOLD * _on_two_lines(name) + 3  # with the arrow of the filter
    return max(LEAST_WIDTH, min(MOST_WIDTH, max(content + 2, head)))


def _on_two_lines(name):
    """The characters of the longer line, where the name parts best."""
    words = name.split()
    parted = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words) + 1))
    return min((max(map(len, lines)) for lines in parted), default=0)
