"""Periods that the data only begin or end in, and numbers that look like moments."""

import numpy as np
import pandas as pd
from findings_time import grain_for, is_partial
from tables_model import Note

FREQUENCY = {"month": "M", "quarter": "Q", "year": "Y"}
FEWEST = 30
"""Rows below which nothing tells a late beginning from a rare event."""
SECONDS = (946_684_800, 2_208_988_800)
"""2000 to 2040."""


def notes(table, columns):
    for column in columns:
        if column.kind == "date" and column.present >= FEWEST:
            yield from _ends(column)
        elif column.kind in ("integer", "id") and column.is_numeric and column.present >= FEWEST:
            yield from _epoch(column)


def _ends(column):
    first, last = pd.Timestamp(column.values.min()), pd.Timestamp(column.values.max())
    days = bool((column.values == column.values.normalize()).all())
    end = last + pd.Timedelta(days=1) if days else last
    grains = [grain for grain in (grain_for(first, last), "year") if grain in FREQUENCY]
    told = []
    for grain in dict.fromkeys(grains):
        start, stop = first.to_period(FREQUENCY[grain]), last.to_period(FREQUENCY[grain])
        count = (stop - start).n + 1
        usual = column.present / count
        if grain == "year" and count < 3:
            continue
        told += [
            str(period)
            for place, period in ((0, start), (count - 1, stop))
            if is_partial(period, place, count, first, end, usual)
        ]
    if told:
        yield Note(
            "partial_periods",
            {
                "column": column.name,
                "first": f"{first:%Y-%m-%d}",
                "last": f"{last:%Y-%m-%d}",
                "periods": told,
            },
        )


def _epoch(column):
    values = column.values.to_numpy(dtype=float)
    for unit, factor in (("seconds", 1), ("milliseconds", 1000)):
        low, high = (bound * factor for bound in SECONDS)
        if low <= values.min() and values.max() <= high and np.ptp(values) >= 86_400 * factor:
            yield Note("epoch_like", {"column": column.name, "unit": unit})
