"""Why a number is not taken for one of the data: a sentence; empty where nothing speaks against it.

A frame of a loaded file may be filtered, grouped and computed with. What was typed is no source, wherever it
was put: into a frame of its own, into a column, into the expression, into a file that is read again.
"""

import contextlib

import numpy as np
import pandas as pd
from facts_literals import is_telling, is_typed, mentioned_in, typed_in
from facts_origin import files_of, loaded_files, loaded_values
from facts_run import current, rounded
from facts_values import flat, number

MOST_DISTINCT = 500
SAMPLE = 2_000
CHANCE = 0.05
"""Of many computed numbers some are typed somewhere too, for other ends."""
CLOSE = 0.02
"""A result that other data change by less than this comes from what was typed."""


def of_expression(result, frame, again):
    """`again(frame, scale)` computes the same over another frame, with the typed numbers times `scale`."""
    value = number(result.value)
    if value is None or not result.literals or value in (0, 1):
        return ""
    if is_telling(value) and any(
        is_typed(value, {float(item)}) for item in result.literals if is_telling(item)
    ):
        return "its value is a number typed in the expression"
    scaled = _outcome(again, frame, 1.1)
    if scaled is None or _close(scaled, value):
        return ""
    found = [_outcome(again, other, 1) for other in _others(frame)]
    found = [item for item in found if item is not None]
    if found and all(_close(item, value) for item in found):
        return "its value depends on numbers typed in the expression, not on the data"
    return ""


def of_frame(frame, columns, value, path):
    """Of the columns that a result was made of; of all columns where it names none."""
    lineage = files_of(frame)
    if not lineage and not loaded_files():
        return "its frame came from no file: read one by tables or facts.load"
    typed = typed_in(path, everything=bool(current().derived))
    for name in columns or frame.columns:
        for place in np.flatnonzero(frame.columns == name):
            series = frame.iloc[:, int(place)]
            if _is_typed_column(series, typed, lineage=bool(lineage)):
                return f"the numbers of {name!s:.60} were typed into the script"
    plain = number(value)
    if plain is None or plain in (0, 1):
        return ""
    if not lineage and plain in mentioned_in(path) - {100.0}:
        return "its frame did not come from a file, and its value is typed in the script"
    if is_telling(plain) and is_typed(plain, typed) and _put_in(frame, columns, plain):
        return "its value was typed into the data"
    return ""


def of_data(data, known, path, shown=()):
    """Of what is drawn, and `shown` as it is drawn. `known` are sets of the numbers of traced records."""
    lineage = files_of(data)
    if isinstance(data, (pd.DataFrame, pd.Series)) and lineage:
        frame = data.to_frame() if isinstance(data, pd.Series) else data
        return of_frame(frame, (), None, path)
    numbers = {
        value
        for value in [*flat(data)[0], *shown]
        if value not in (0, 1, 100) and not any(rounded(value) in some for some in known)
    }
    if not numbers:
        return ""
    typed = typed_in(path, everything=bool(current().derived))
    found = sorted(value for value in numbers if is_typed(value, typed))
    telling = sum(map(is_telling, found))
    if telling > CHANCE * len(numbers) or (found and len(found) == len(numbers)):
        shown = ", ".join(f"{value:.10g}" for value in found[:4])
        return f"numbers were typed into the script: {shown}"
    if not lineage and not loaded_files() and not any(known):
        return "its numbers came from no file: read one by tables or facts.load"
    return ""


def _is_typed_column(series, typed, *, lineage):
    values = _distinct(series) if typed else set()
    telling = values - {0.0, 1.0}
    if not telling or not all(is_typed(value, typed) for value in telling):
        return False
    if len(values) > 1 and _name_things(values):
        return False
    if lineage and len(values) > 1 and len(series) >= 3 * len(values):
        return False  # a lookup: how often each of its values comes is of the data
    return not telling <= loaded_values(series.name)


def _name_things(values):
    """Small whole numbers and years are classes, months, bands: labels of what is counted."""
    whole = all(value.is_integer() for value in values)
    return whole and (all(0 <= v <= 31 for v in values) or all(1900 <= v <= 2100 for v in values))


def _distinct(series):
    """Its numbers, where they are few."""
    if pd.api.types.is_bool_dtype(series.dtype) or pd.api.types.is_datetime64_any_dtype(series.dtype):
        return set()
    try:
        unique = series.dropna().unique()
        if len(unique) > MOST_DISTINCT:
            return set()
        values = pd.to_numeric(pd.Series(list(unique), dtype=object), errors="coerce")
    except (TypeError, ValueError):
        return set()
    found = {float(item) for item in map(number, values) if item is not None}
    return found if len(found) == len(unique) else set()


def _put_in(frame, columns, value):
    for name in columns:
        series = frame[name] if name in frame.columns else None
        if isinstance(series, pd.Series) and pd.api.types.is_numeric_dtype(series.dtype):
            there = bool((series == value).fillna(False).any())
            before = loaded_values(name) if there else set()
            if before and value not in before:
                return True
    return False


def _others(frame):
    """Other data of the same columns: changed numbers, one row, a few, none."""
    few = frame.head(SAMPLE)
    numeric = [
        place
        for place, kind in enumerate(frame.dtypes)
        if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
    ]
    changed = few.copy()
    for place in numeric:  # ratios of two rows, or of two columns, must not stay what they are
        uneven = 1.1 + 0.13 * ((3 * np.arange(len(few)) + 5 * place) % 7) + 0.07 * (place % 5)
        changed.isetitem(place, few.iloc[:, place].astype(float) * uneven + 0.5)
    yield changed
    yield few.iloc[::3]
    yield changed.head(1)
    yield few.tail(1)
    yield frame.head(0)


def _outcome(again, frame, scale):
    with contextlib.suppress(Exception):  # other data may make any method fail
        return number(again(frame, scale))
    return None


def _close(one, other):
    return abs(one - other) <= CLOSE * abs(other)
