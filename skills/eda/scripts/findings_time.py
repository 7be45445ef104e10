"""Time and small tables: dynamics by period, years as columns, total rows among the details."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import traps_rows
from findings_model import Dynamics, Period, Small, TotalRow
from findings_stats import shown

GRAINS = {"day": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"}
SMALL_ROWS, WIDE_ROWS = 40, 100
YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
MAX_PERIODS = 400
_NAMED = {
    "day": r"days?|daily|день|дн(?:я|ей|ям|и|ями|ях)|ежедневн\w*",
    "week": r"week(?:s|ly)?|недел\w*|понедельно|еженедельн\w*",
    "month": r"month(?:s|ly)?|месяц\w*|помесячн\w*|ежемесячн\w*",
    "quarter": r"quarter(?:s|ly)?|квартал\w*|поквартальн\w*|ежеквартальн\w*",
    "year": r"years?|yearly|annual(?:ly)?|год(?:а|у|ы|ов|ам|ами|ах|ом|е)?|годов\w*|ежегодн\w*",
}


def grain_for(first, last):
    """The finest of month, quarter and year that leaves at most 60 points; days and weeks for short spans."""
    days = (last - first).days
    for grain, limit in (("day", 45), ("week", 100), ("month", 60 * 31), ("quarter", 15 * 366)):
        if days <= limit:
            return grain
    return "year"


def named_grains(hints):
    """The periods that words of a request name, in English or Russian."""
    words = [str(hint).lower() for hint in hints]
    return [grain for grain, form in _NAMED.items() if any(re.fullmatch(form, word) for word in words)]


def grains_for(first, last, hints=()):
    """Those that the request names and the dates give, then the finest fitting one, then years."""
    counts = {grain: len(pd.period_range(first, last, freq=code)) for grain, code in GRAINS.items()}
    named = [grain for grain in named_grains(hints) if 2 <= counts[grain] <= MAX_PERIODS]
    usual = [grain_for(first, last), *(["year"] if counts["year"] > 1 else [])]
    return list(dict.fromkeys([*named, *usual]))


def dynamics(dates, grain, measures):
    """Rows and sums of measures ({name: values}) by period; rows without a date are left out."""
    known = dates.notna().to_numpy()
    days = dates[known]
    periods = days.dt.to_period(GRAINS[grain])
    every = pd.period_range(periods.min(), periods.max(), freq=GRAINS[grain])
    counts = periods.value_counts().reindex(every, fill_value=0)
    sums = {
        name: pd.Series(np.asarray(values, dtype=float)[known])
        .groupby(periods.to_numpy())
        .sum()
        .reindex(every, fill_value=0)
        for name, values in measures.items()
    }
    first, last = days.min(), days.max()
    if (days == days.dt.normalize()).all():
        last += pd.Timedelta(days=1)  # a date without a time is the whole day
    usual = max(1.0, float(counts.median()))
    result = []
    for index, period in enumerate(every):
        partial = is_partial(period, index, len(every), first, last, usual)
        values = tuple(float(table.iloc[index]) for table in sums.values())
        label = f"{period.start_time:%Y-%m-%d}" if grain in ("day", "week") else str(period)
        result.append(
            Period(label, f"{period.start_time:%Y-%m-%d}", int(counts.iloc[index]), values, partial)
        )
    return Dynamics(
        str(dates.name), grain, f"{first:%Y-%m-%d}", f"{days.max():%Y-%m-%d}", tuple(measures), tuple(result)
    )


def is_partial(period, index, count, first, last, usual):
    """Data begin late in the first period or end early in the last. Where rows are few, later is late."""
    length = (period.end_time - period.start_time).total_seconds()
    slack = (0.1 if usual >= 10 else 0.3) * (0.3 if length > 300 * 86_400 else 1)
    if count < 2:
        return False
    late = index == 0 and (first - period.start_time).total_seconds() > slack * length
    early = index == count - 1 and (period.end_time - last).total_seconds() > slack * length
    return bool(late or early)


def by_year(years, measures, name):
    """Dynamics over a column of whole years: nothing tells whether the ends are complete."""
    dates = pd.Series(
        pd.to_datetime(years.astype("Int64").astype("str") + "-01-01", errors="coerce"), name=name
    )
    found = dynamics(dates, "year", measures)
    periods = tuple(Period(p.label, p.start, p.n, p.sums, False) for p in found.periods)
    return Dynamics(name, "year", found.periods[0].label, found.periods[-1].label, found.measures, periods)


def small(frame, found, repeats=()):
    """The table as series to chart, when it has a label for each row and few rows, or years for columns."""
    numeric = [
        r.column for r in found if r.role in ("measure", "count") or (r.role == "id" and _years([r.column]))
    ]
    years = [name for name in numeric if _years([name])]
    wide = (
        len(years) >= 3
        and len(years) >= 0.5 * len(numeric)
        and _rising([_years([name])[0] for name in years])
    )
    if not 1 < len(frame) <= (WIDE_ROWS if wide else SMALL_ROWS) or not numeric or len(numeric) > 60:
        return None
    times = [r.column for r in found if r.role in ("year", "date") and frame[r.column].is_unique]
    times = [name for name in times if frame[name].notna().all() and frame[name].is_monotonic_increasing]
    label = times[0] if times else _label(frame, found)
    series = years if wide else [name for name in numeric if name != label]
    if label is None or not series:
        return None
    values = frame[series].astype(float)
    empty = values.isna().all(axis=1)
    rows = [
        tuple(None if np.isnan(cell) else float(cell) for cell in row)
        for row in values[~empty].itertuples(index=False)
    ]
    names = [shown(value).removesuffix(" 00:00:00") for value in frame[label].astype(object).fillna("")]
    labels = [name for name, blank in zip(names, empty, strict=True) if not blank]
    headings = [name for name, blank in zip(names, empty, strict=True) if blank and name]
    totals = {item.row for item in repeats}
    places = [place for place, row in enumerate(np.flatnonzero(~empty.to_numpy())) if int(row) in totals]
    return Small(
        label, tuple(labels), tuple(series), tuple(rows), wide, bool(times), tuple(headings), tuple(places)
    )


def _label(frame, found):
    """The text column that tells rows apart best; names rather than codes."""
    texts = [
        r.column
        for r in found
        if r.role in ("text", "category", "label", "id")
        and not pd.api.types.is_numeric_dtype(frame[r.column].dtype)
    ]
    scored = [(frame[name].nunique() / len(frame), -place, name) for place, name in enumerate(texts)]
    good = [item for item in scored if item[0] >= 0.9]
    return max(good, key=lambda item: (round(item[0], 1), item[1]))[2] if good else None


def _years(names):
    found = [YEAR.search(name) for name in names]
    return [int(match[0]) for match in found if match]


def _rising(years):
    return all(a < b for a, b in pairwise(years))


def total_rows(frame, found, limit=2_000):
    """Rows that repeat the others: their label says so, or their numbers are the sum of all other rows."""
    if len(frame) > limit or len(frame) < 3:
        return ()
    texts = [
        r.column
        for r in found
        if r.role in ("text", "category", "label", "id")
        and not pd.api.types.is_numeric_dtype(frame[r.column].dtype)
    ]
    numeric = [r.column for r in found if r.role == "measure"]
    repeats = traps_rows.repeats(frame, texts, _label(frame, found), numeric)
    return tuple(TotalRow(row, shown(label), why) for row, label, why in repeats)
