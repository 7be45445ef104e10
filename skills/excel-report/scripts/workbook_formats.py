"""Number formats: of a column by its values and its name, of a fact by its unit."""

import re

import numpy as np
import pandas as pd
from facts_text import SIGNS

_BEFORE = "$£€¥₹₩₺"
NAMING = re.compile(
    r"(?i:(?:\b|_)(?:ids?|code|no|zip|postal|sku|year|index|invoice|phone|год|код|номер|индекс|артикул|инн)(?:\b|_))"
    r"|№|(?<=[a-z])(?:ID|Id|No|Code)$"
)
"""Columns whose whole numbers are names: no thousands are set apart."""
DATE, MOMENT, SPAN = "yyyy-mm-dd", "yyyy-mm-dd hh:mm", "[h]:mm:ss"
SMALL = 0.1


def code_of(unit, digits, language="en"):
    """The format of a number with this unit: '%', a currency sign, '×', a word, or none."""
    zeros = f".{'0' * digits}" if digits else ""
    if unit == "%":
        return f"0{zeros}%"
    number = f"#,##0{zeros}"
    if not unit:
        return number
    plain = unit.replace('"', "")
    if unit == "×":
        return f'{number}"×"'
    if unit in SIGNS and unit in _BEFORE and language == "en":
        return f'"{plain}"{number};-"{plain}"{number}'
    return f'{number}\u00a0"{plain}"'


def column_code(series, name, *, unit="", digits=None, language="en"):
    """The format of a column; empty for texts and truths."""
    kind = kind_of(series)
    if kind == "date":
        return DATE
    if kind == "moment":
        return MOMENT
    if kind == "span":
        return SPAN
    if kind != "number":
        return ""
    if not unit and digits is None and NAMING.search(str(name)) and _whole(series):
        return "0"
    return code_of(unit, _digits(series, unit) if digits is None else digits, language)


def kind_of(series):
    """'number', 'date' (no time of day), 'moment', 'span', 'truth' or 'text'."""
    if pd.api.types.is_bool_dtype(series.dtype):
        return "truth"
    if pd.api.types.is_numeric_dtype(series.dtype):
        return "number"
    if isinstance(series.dtype, pd.DatetimeTZDtype) or pd.api.types.is_datetime64_dtype(series.dtype):
        known = series.dropna()
        if isinstance(series.dtype, pd.DatetimeTZDtype):
            known = known.dt.tz_localize(None)
        return "date" if (known == known.dt.normalize()).all() else "moment"
    if pd.api.types.is_timedelta64_dtype(series.dtype):
        return "span"
    known = series.dropna()
    if len(known) and all(pd.api.types.is_number(item) and item is not True for item in known.head(200)):
        return "number"
    return "text"


def _numbers(series):
    values = pd.to_numeric(series, errors="coerce").to_numpy(float, na_value=np.nan)
    return values[np.isfinite(values)]


def _whole(series):
    values = _numbers(series)
    return bool((values == np.round(values)).all())


def _digits(series, unit):
    if unit == "%":
        return 1
    money = bool(unit) and unit in SIGNS
    if _whole(series):
        return 0
    values = np.abs(_numbers(series))
    if money or not len(values) or values.max() >= SMALL:
        return 2
    return 4
