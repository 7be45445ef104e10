"""A column that mixes dates, Excel day numbers and texts, as dates; what is not certain is told."""

import datetime
from dataclasses import dataclass

import pandas as pd
from cleaning_errors import CleaningError
from tables_dates import CONFLICT, YEAR_LAST, from_serial, read_dates

SERIALS = (1, 80_000)
"""1899-12-31 to 2119-01-11: of numbers that are written as numbers."""
TEXT_SERIALS = (10_000, 80_000)
"""From 1927-05-18: shorter digits in a text are years or codes."""
ORDERS = ("DMY", "MDY")


@dataclass(frozen=True)
class Read:
    """`values` of the column, NaT where it is missing or `unread`. Masks have its index."""

    values: pd.Series
    serials: int
    texts: int
    unread: pd.Series
    ambiguous: pd.Series
    """Texts whose day and month could change places."""
    order: str
    """In which those were read; "" where there is none, or where they were left unread."""
    certain: bool
    """Whether other dates of the column, or the caller, decided the order."""


def read(series, order=None):
    """Raises CleaningError for an order that is neither DMY nor MDY, or that a text contradicts."""
    if order not in (None, *ORDERS):
        raise CleaningError(f"order is 'DMY' or 'MDY', not {order!r}.")
    found = {place: _plain(value) for place, value in enumerate(series.tolist())}
    texts = {place: value for place, value in found.items() if isinstance(value, str)}
    good = {place: text for place, text in texts.items() if read_dates([text]) not in (None, CONFLICT)}
    last = {place for place, text in good.items() if YEAR_LAST.fullmatch(text.strip())}
    either = {place for place in last if _both_ways(good[place])}
    proof = {_proved(good[place]) for place in last - either} - {""}
    certain, used = order is not None or len(proof) == 1, order
    if order is not None and proof - {order}:
        raise CleaningError(f"{series.name!r} has dates that cannot be {order}; give no order, or split it.")
    if used is None and len(proof) < 2:
        parsed = read_dates(list(good.values())) if good else None
        used = parsed.order if parsed not in (None, CONFLICT) else ""
    values = dict(found)
    for place, text in texts.items():
        if place not in good or (place in either and len(proof) > 1 and order is None):
            values[place] = None
        else:
            values[place] = _read_one(text, used if place in either else None)
    flat = pd.Series([values[place] for place in range(len(series))], index=series.index, name=series.name)
    flat = pd.to_datetime(flat, errors="coerce")
    unread = series.notna() & flat.isna()
    numbers = sum(
        isinstance(value, datetime.datetime) and _is_number(series.iloc[place])
        for place, value in found.items()
    )
    mask = pd.Series([place in either for place in range(len(series))], index=series.index)
    return Read(flat, numbers, len(good), unread, mask, used or "", certain or not either)


def swapped(series):
    """The same dates with day and month changed, where both are possible."""
    return series.map(
        lambda day: day.replace(day=day.month, month=day.day) if pd.notna(day) and day.day <= 12 else day
    )


def _plain(value):
    """A date, a text, or None; an Excel day number is its date."""
    if value is None or value is pd.NaT or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, (pd.Timestamp, datetime.datetime)):
        return pd.Timestamp(value).to_pydatetime()
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day)  # noqa: DTZ001 - a sheet has no time zone
    if _is_number(value):
        return from_serial(value) if SERIALS[0] <= float(value) <= SERIALS[1] else None
    text = str(value).strip()
    if text.isdigit() and len(text) == 5 and TEXT_SERIALS[0] <= int(text) <= TEXT_SERIALS[1]:
        return from_serial(int(text))
    return text or None


def _is_number(value):
    if isinstance(value, str):
        return value.strip().isdigit() and len(value.strip()) == 5
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _both_ways(text):
    match = YEAR_LAST.fullmatch(text.strip())
    return int(match["a"]) <= 12 and int(match["b"]) <= 12 and match["a"] != match["b"]


def _proved(text):
    match = YEAR_LAST.fullmatch(text.strip())
    return "DMY" if int(match["a"]) > 12 else "MDY" if int(match["b"]) > 12 else ""


def _read_one(text, order):
    found = read_dates([text])
    value = found.values[0]
    if order and found.order and found.order != order:
        return value.replace(day=value.month, month=value.day)
    return value
