"""A frame as a table for a reader: names, numbers of one column alike, dates without midnight."""

import pandas as pd
from deck_text import one_line
from facts_text import SIGNS, shown
from report_parts import Table
from workbook_cells import plain
from workbook_formats import NAMING, kind_of
from workbook_frames import flattened

MOST_ROWS, MOST_COLUMNS = 500, 12
LONGEST = 300
"""Characters of a cell."""
_LARGE, _SMALL, _ROUND = 1_000, 0.1, 100_000


def table_of(data, title, words, *, percent=(), currency=None, digits=None, note=""):
    """(Table, the frame that it shows, rows of the whole). Raises ValueError with advice."""
    frame = flattened(data)
    if frame.empty:
        raise ValueError("The table has no rows: look at the filter before it.")
    if frame.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"{frame.shape[1]} columns do not fit a page. Choose {MOST_COLUMNS} at most, "
            "for example frame[['region', 'orders']]; all of them go into a workbook."
        )
    units = _units(frame, percent, currency or {}, digits or {})
    whole, frame = len(frame), frame.head(MOST_ROWS)
    columns = [
        [_cell(value, unit, places, words) for value in frame.iloc[:, place].astype(object)]
        for place, (unit, places) in enumerate(units)
    ]
    if whole > len(frame):
        told = words.first_shown.format(words.number(len(frame)), words.number(whole))
        note = f"{note} {told}.".strip()
    table = Table(
        one_line(title),
        tuple(frame.columns),
        tuple(zip(*columns, strict=True)),
        tuple(kind_of(frame.iloc[:, place]) == "number" for place in range(frame.shape[1])),
        one_line(note),
    )
    return table, frame, whole


def _units(frame, percent, currency, digits):
    """For each column its unit and its digits; no digits for what is not grouped: years, codes."""
    known = set(frame.columns)
    for name in (*percent, *currency, *digits):
        if one_line(name) not in known:
            raise ValueError(f"There is no column {name!r}. There are: {', '.join(known)}.")
    shares, money = {one_line(name) for name in percent}, {one_line(k): v for k, v in currency.items()}
    places = {one_line(k): v for k, v in digits.items()}
    result = []
    for position, name in enumerate(frame.columns):
        series = frame.iloc[:, position]
        unit = "%" if name in shares else money.get(name, "")
        chosen = places.get(name)
        if chosen is None and kind_of(series) == "number":
            chosen = _digits(series, unit, name)
        result.append((unit, chosen))
    return result


def _digits(series, unit, name):
    values = pd.to_numeric(series, errors="coerce").dropna()
    if unit == "%":
        return 1
    whole = bool((values == values.round()).all())
    if whole and not unit and NAMING.search(name):
        return None
    largest = values.abs().max() if len(values) else 0
    if whole or largest >= _ROUND or (largest >= _LARGE and not (unit and unit in SIGNS)):
        return 0
    return 2 if largest >= _SMALL else 4


def _cell(value, unit, digits, words):
    value = plain(value)
    if value is None:
        return "–"
    if isinstance(value, bool):
        return words.yes if value else words.no
    if isinstance(value, (int, float)):
        if digits is None:
            return words.number(value, grouped=False)
        return shown(value, unit, digits, words)
    if hasattr(value, "year"):
        return words.moment(value.replace(tzinfo=None))
    text = one_line(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
