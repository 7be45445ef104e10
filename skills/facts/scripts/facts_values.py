"""Values as records hold them: plain numbers and texts, of numpy, pandas and Python alike."""

import datetime
import decimal
import fractions
import math
import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

MAX_VALUES = 20_000
MAX_LABELS = 2_000
MAX_TEXT = 200
"""Characters of a label."""
_WHOLE = re.compile(r"\s*[$£€¥₽]?\s*([-+−]?[\d,\u00a0\u202f ]*\d(?:[.,]\d+)?)\s*(%|[$£€¥₽]|×)?\s*")


def scalar(value):
    """A number, a text or None; a moment is its ISO date. Raises TypeError for anything else."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        value = value.item()
    if isinstance(value, (str, bool)):
        return value
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (int, float, decimal.Decimal, fractions.Fraction)):
        return _finite(value)
    if isinstance(value, (np.datetime64, datetime.date)):
        stamp = pd.Timestamp(value)
        if stamp is pd.NaT:
            return None
        return stamp.strftime("%Y-%m-%d" if stamp == stamp.normalize() else "%Y-%m-%d %H:%M:%S")
    if isinstance(value, (pd.Period, pd.Interval, pd.Timedelta, np.timedelta64, datetime.timedelta)):
        return str(value)
    raise TypeError(type(value).__name__)


def _finite(value):
    """Whole numbers as they are as long as every reader of JSON keeps them; None for what is infinite."""
    if isinstance(value, int) and abs(value) < 1 << 53:
        return value
    try:
        plain = float(value)
    except OverflowError:
        return None
    return plain if math.isfinite(plain) else None


def number(value):
    """The value where it is a number that counts something; None for texts, truths and gaps."""
    if isinstance(value, complex):
        return None
    try:
        plain = scalar(value)
    except TypeError:
        return None
    return plain if isinstance(plain, (int, float)) and not isinstance(plain, bool) else None


def flat(data):
    """(numbers, labels) of a table, a series, a chart's dict, pairs, or any nesting of them.

    The labels are names of columns, of rows and of series, and cells that are texts; numbers in the place of
    labels (years, classes) are among them as text. A cell such as '38.4%' is its number.
    """
    numbers, labels = [], {}
    _gather(data, numbers, labels)
    return numbers, list(labels)


def _gather(data, numbers, labels, depth=0):
    if len(numbers) > MAX_VALUES or depth > 6:
        return
    if isinstance(data, pd.DataFrame):
        _names(data.columns, labels)
        _index(data.index, labels)
        for place in range(data.shape[1]):
            _column(data.iloc[:, place], numbers, labels)
    elif isinstance(data, pd.Series):
        _names([data.name], labels)
        _index(data.index, labels)
        _column(data, numbers, labels)
    elif isinstance(data, Mapping):
        _names(data.keys(), labels)
        for item in data.values():
            _gather(item, numbers, labels, depth + 1)
    elif isinstance(data, (pd.Index, np.ndarray, pd.api.extensions.ExtensionArray)) and np.ndim(data):
        _column(pd.Series(np.asarray(data).ravel()), numbers, labels)
    elif isinstance(data, (list, tuple, set, frozenset)):
        for item in data:
            _gather(item, numbers, labels, depth + 1)
    else:
        _cell(data, numbers, labels)


def _column(series, numbers, labels):
    if pd.api.types.is_bool_dtype(series.dtype):
        return
    room = MAX_VALUES + 1 - len(numbers)
    if pd.api.types.is_numeric_dtype(series.dtype):
        kept = series.iloc[:room].dropna()
        numbers += [item for item in map(number, kept.tolist()) if item is not None]
        return
    for item in series.iloc[:room].tolist():
        _cell(item, numbers, labels)


def _cell(value, numbers, labels):
    found = number(value)
    if found is None and isinstance(value, str) and not value.isdigit():
        found = whole_number(value)  # digits alone are a code
    if found is not None:
        numbers.append(found)
    else:
        _names([value], labels)


def _index(index, labels):
    if not isinstance(index, pd.RangeIndex):
        _names(index[: MAX_LABELS + 1], labels)
    _names(index.names, labels)


def _names(names, labels):
    for name in names:
        if len(labels) > MAX_LABELS:
            return
        if isinstance(name, tuple):
            _names(name, labels)
        elif isinstance(name, (str, int, float, datetime.date, np.generic, pd.Period, pd.Interval)):
            text = label(name)
            if text:
                labels.setdefault(text)


def label(name):
    """A name as one line of text, control characters and lone surrogates left out."""
    try:
        plain = scalar(name)
    except TypeError:
        plain = str(name)
    if plain is None:
        return ""
    if isinstance(plain, float) and plain.is_integer() and abs(plain) < 1e15:
        plain = int(plain)
    return text(plain)[:MAX_TEXT]


def text(value):
    """One line that JSON and a person can hold."""
    kept = str(value).encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(mark if mark.isprintable() else " " for mark in kept).split())


def whole_number(text):
    """The number that a text is, such as '38.4%' or '1 200'; None for any other text."""
    match = _WHOLE.fullmatch(text) if len(text) < 40 else None
    if match is None:
        return None
    digits = match[1].replace("−", "-").replace("\u00a0", "").replace("\u202f", "").replace(" ", "")
    if "," in digits:
        thousands = re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", digits)
        digits = digits.replace(",", "") if thousands else digits.replace(",", ".")
    try:
        return float(f"{digits}e-2" if match[2] == "%" else digits)
    except ValueError:
        return None
