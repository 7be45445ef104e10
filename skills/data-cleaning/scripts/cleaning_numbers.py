"""A column of numbers that are texts, as numbers; what is none is told apart."""

from dataclasses import dataclass

import pandas as pd
from cleaning_errors import CleaningError
from tables_numbers import is_number, read_numbers


@dataclass(frozen=True)
class Read:
    """`values` of the column, missing where `unread`; `told` says by which marks they were read."""

    values: pd.Series
    unread: pd.Series
    ambiguous: str
    doubtful: int
    told: str


def read(series, decimal=None):
    """Raises CleaningError where the decimal marks of two values contradict each other, or the given one."""
    if decimal not in (None, ",", "."):
        raise CleaningError(f"decimal is ',' or '.', not {decimal!r}.")
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        return Read(series, pd.Series(False, index=series.index), "", 0, "numbers already")
    texts = {place: str(value).strip() for place, value in enumerate(series.tolist()) if not _missing(value)}
    good = {place: text for place, text in texts.items() if is_number(text)}
    found = read_numbers(list(good.values()), comma_file=decimal == ",") if good else None
    if good and found is None:
        raise CleaningError(
            f"The numbers of {series.name!r} contradict each other in marks or currencies, such as "
            f"{', '.join(list(dict.fromkeys(good.values()))[:5])}: make them alike by replace first."
        )
    if (
        decimal
        and found is not None
        and found.decimal != decimal
        and any(decimal in t for t in good.values())
    ):
        raise CleaningError(f"{series.name!r} has numbers whose decimal mark cannot be {decimal!r}.")
    values = dict(zip(good, found.values, strict=True)) if found else {}
    whole = pd.Series(
        [values.get(place) for place in range(len(series))], index=series.index, name=series.name
    )
    whole = pd.to_numeric(whole)
    unread = pd.Series(
        [place in texts and place not in good for place in range(len(series))], index=series.index
    )
    doubt = found.ambiguous if found and decimal is None else ""
    doubtful = sum("," in text or "." in text for text in good.values()) if doubt else 0
    return Read(whole, unread, doubt, doubtful, _told(found, len(good)))


def _missing(value):
    return value is None or value is pd.NaT or value is pd.NA or value != value or not str(value).strip()


def _told(found, count):
    if found is None:
        return "no numbers"
    parts = [f"{count} numbers", f"decimal mark {found.decimal!r}"]
    parts += [f"thousands by {', '.join(found.marks)}"] if found.marks else []
    parts += [f"currency {found.currency} removed"] if found.currency else []
    parts += ["percent signs removed: 45% is 45"] if found.percent else []
    return ", ".join(parts)
