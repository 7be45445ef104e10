"""Data of a chart: what pandas or plain Python holds, as a DataFrame of floats, and its labels as text."""

from __future__ import annotations

import math
import re
import textwrap

import numpy as np
import pandas as pd
from charts_words import ENGLISH

MAX_SERIES = 6
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")
_SHAPES = (
    "Give {label: number}, a pandas Series, a list of (label, number) pairs, "
    "or a DataFrame for several series."
)


def frame_of(data, most=MAX_SERIES):
    """Numbers as a DataFrame with labels in the index. Raises ValueError with advice."""
    frame = _as_frame(data)
    if not 1 <= frame.shape[1] <= most:
        raise ValueError(
            f"The data has {frame.shape[1]} series; 1 to {most} can be told apart. Choose columns."
        )
    try:
        numbers = frame.astype(object).where(frame.notna(), np.nan).astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"The values are not all numbers ({error}). Use pd.to_numeric(..., errors='coerce')."
        ) from None
    numbers = numbers.replace([np.inf, -np.inf], np.nan)
    if not numbers.notna().to_numpy().any():
        raise ValueError(f"There is nothing to draw: no value. {_SHAPES}")
    return numbers


def _as_frame(data):
    if isinstance(data, pd.DataFrame):
        plain_index = isinstance(data.index, pd.RangeIndex) and data.shape[1] > 1
        if plain_index and not pd.api.types.is_numeric_dtype(data.dtypes.iloc[0]):
            # groupby(...).reset_index() leaves the labels in the first column
            return data.set_index(data.columns[0])
        return data
    if isinstance(data, pd.Series):
        return data.to_frame(name=data.name if data.name is not None else "")
    if (
        isinstance(data, dict)
        and data
        and all(isinstance(value, (dict, pd.Series)) for value in data.values())
    ):
        return pd.DataFrame(data)
    if not isinstance(data, (dict, list, tuple)):
        raise ValueError(f"{type(data).__name__} cannot be drawn. {_SHAPES}")
    pairs = list(data.items() if isinstance(data, dict) else data)
    if any(not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in pairs):
        raise ValueError(f"Each item must be a (label, number) pair. {_SHAPES}")
    index = pd.Index([label for label, _ in pairs], dtype=object if pairs else None)
    return pd.DataFrame({"": pd.Series([value for _, value in pairs], dtype=object, index=index)})


def numbers_of(data):
    values = pd.to_numeric(pd.Series(list(data), dtype=object), errors="coerce").astype(float)
    values = values.replace([np.inf, -np.inf], np.nan).dropna()
    if values.empty:
        raise ValueError("There is nothing to draw: no number in the data.")
    return values.to_numpy()


def labels_of(index):
    if isinstance(index, pd.DatetimeIndex):
        midnight = index.notna().any() and (index.dropna() == index.dropna().normalize()).all()
        index = index.strftime("%Y-%m-%d" if midnight else "%Y-%m-%d %H:%M")
    return [textwrap.shorten(_label(item), 34, placeholder="…") or "–" for item in index]


def with_counts(labels, index, counts, words=ENGLISH):
    """The number of cases on a second line of each label. Raises ValueError where one is not told."""
    if counts is None:
        return labels
    if not isinstance(counts, (dict, pd.Series)):
        raise ValueError("n is a dict or a Series: {label: number of cases}.")
    told = {_label(key): counts[key] for key in counts.keys()}  # noqa: SIM118 - a Series iterates its values
    lacking = [item for item in index if _label(item) not in told]
    if lacking:
        raise ValueError(f"n tells no number for {lacking[0]!r}. It has: {', '.join(list(told)[:12])}.")
    sizes = [f"n = {words.number(int(told[_label(item)]))}" for item in index]
    return [f"{label}\n{size}" for label, size in zip(labels, sizes, strict=True)]


def _label(item):
    if isinstance(item, tuple):
        return " · ".join(_label(part) for part in item)
    if isinstance(item, pd.Interval):
        return f"{_label(item.left)}–{_label(item.right)}"
    if isinstance(item, float):
        return "–" if math.isnan(item) else f"{item:g}"
    return "–" if item is None or item is pd.NaT or item is pd.NA else clean(item)


def clean(value):
    """Cleaned, and `$` escaped: matplotlib reads what stands between two of them as mathematics."""
    text = "" if value is None else " ".join(_CONTROL.sub("", str(value)).split())
    return text.replace("\\", "\u2216").replace("$", r"\$")
