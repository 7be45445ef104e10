"""What a column holds: numbers, dates, truth values or text, decided on its distinct values only."""

import json
import math
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
from tables_dates import CONFLICT, from_serial, read_dates
from tables_hints import tell_near_misses
from tables_numbers import CODE, is_number, read_numbers
from tables_plain import cast
from tables_written import numbers_or_dates

MISSING = {"", "NULL", "NaN", "#N/A", "<NA>", "\\N"}
"""Written only by machines: missing in every column."""
PLACEHOLDERS = {
    "NA",
    "N/A",
    "n/a",
    "na",
    "nan",
    "null",
    "None",
    "none",
    "nil",
    "-",
    "--",
    "—",
    "–",
    "...",
    "…",
    "?",
    ".",
    "*",
    "x",
    "X",
    ":",
    "н/д",
    "нет данных",
    "#ЗНАЧ!",
    "#Н/Д",
}
"""Missing among numbers and dates; in a column of text they may be words (Namibia is NA) and stay."""
ERRORS = {"#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#N/A"}
TRUTH = ({"True", "False"}, {"true", "false"}, {"TRUE", "FALSE"})
WORTH = 20
"""Distinct texts from which on a cast of them all beats reading one by one."""
EPOCH_MS = (946_684_800_000, 2_208_988_800_000)
"""2000 to 2040 in milliseconds."""


def type_columns(names, columns, facts):
    """Series for all columns. A surely decimal comma in one column settles doubtful ones in the others."""
    commas = any(_surely_decimal_comma(column) for column in columns)
    result = {}
    for index, name in enumerate(names):
        result[name] = _column(name, columns[index], commas, facts)
        columns[index] = None  # a long table is never in memory twice
    return result


def _column(name, column, commas, facts):
    if column and isinstance(column[0], pa.Array):
        encoded = _encoded(column)
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        values = cast(encoded.dictionary, MISSING) if len(encoded.dictionary) >= WORTH else None
        if values is not None and not (codes < 0).any():
            return pd.Series(values[codes])
        return _series(name, encoded.dictionary.to_pylist(), codes.astype(np.int64), commas, facts)
    return _series(name, *distinct(column), commas, facts)


def _encoded(column):
    """One dictionary array of a list of Arrow chunks."""
    if isinstance(column[0], pa.DictionaryArray):
        return column[0]
    return pa.chunked_array(column).combine_chunks().dictionary_encode()


def distinct(column):
    """(distinct values, code of each row; -1 is missing) of a list of Python objects."""
    known, codes = {}, np.empty(len(column), dtype=np.int64)
    for row, value in enumerate(column):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            codes[row] = -1
        else:
            codes[row] = known.setdefault((type(value), value), len(known))
    return [value for _, value in known], codes


def _surely_decimal_comma(column):
    if column and isinstance(column[0], pa.DictionaryArray):
        first = column[0].dictionary.slice(0, 300).to_pylist()
    elif column and isinstance(column[0], pa.Array):
        first = column[0].slice(0, 300).to_pylist()
    else:
        first = column[:300]
    texts = [value.strip() for value in first if isinstance(value, str) and "," in value]
    if not texts or not is_number(texts[0]):
        return False
    numbers = read_numbers([text for text in texts if is_number(text)])
    return numbers is not None and numbers.decimal == "," and not numbers.ambiguous


def _series(name, values, codes, commas, facts):
    counts = np.bincount(codes[codes >= 0], minlength=len(values)) if values else np.zeros(0, dtype=np.int64)
    typed = _typed(name, values, counts, commas, facts)
    if not any(value is not None for value in typed):
        return pd.Series([None] * len(codes), dtype="float64")
    present = [value for value in typed if value is not None]
    gaps = bool((codes < 0).any()) or len(present) < len(typed)
    if all(isinstance(value, bool) for value in present):
        return (
            pd.Series([*typed, None], dtype="boolean" if gaps else "object")
            .take(codes)
            .reset_index(drop=True)
            .astype("boolean" if gaps else "bool")
        )
    if all(isinstance(value, int) for value in present) and not gaps:
        return pd.Series(np.array([*typed, 0], dtype=np.int64)[codes])
    if all(isinstance(value, (int, float)) for value in present):
        numbers = [np.nan if value is None else value for value in typed]
        return pd.Series(np.array([*numbers, np.nan], dtype=np.float64)[codes])
    if all(isinstance(value, datetime) for value in present):
        try:
            return pd.Series(np.array([*typed, None], dtype="datetime64[us]")[codes])
        except (ValueError, OverflowError):
            return pd.Series([str(typed[code]) if code >= 0 else None for code in codes], dtype="str")
    return pd.Series(pd.array([*typed, None], dtype="str").take(codes))


def _typed(name, values, counts, commas, facts):
    """The distinct values in their final type, None where missing."""
    if all(type(value) is str for value in values):
        gone = _gone(values, counts, facts)
        values = [None if value.strip() in gone else value for value in values]
        return _typed_text(name, values, counts, commas, facts) if any(values) else values
    values = [_plain(value) for value in values]
    gone = _gone([value if isinstance(value, str) else "" for value in values], counts, facts)
    values = [None if isinstance(value, str) and value.strip() in gone else value for value in values]
    kinds = Counter(_kind(value) for value in values if value is not None)
    if not kinds:
        return values
    if set(kinds) == {"text"}:
        return _typed_text(name, values, counts, commas, facts)
    if set(kinds) == {"number"}:
        return _typed_numbers(name, values, facts)
    if len(kinds) == 1:
        return values
    if set(kinds) == {"date", "number"} and all(
        _kind(value) != "number" or 366 <= value <= 73_050 for value in values if value is not None
    ):
        rows = sum(
            int(n) for v, n in zip(values, counts, strict=True) if v is not None and _kind(v) == "number"
        )
        facts.note("excel_serials", column=name, count=rows)
        return [
            from_serial(value) if value is not None and _kind(value) == "number" else value
            for value in values
        ]
    if "text" in kinds and len(kinds) == 2:
        texts = [v for v in values if isinstance(v, str) and v.strip() not in PLACEHOLDERS]
        read = (
            read_numbers(texts, commas)
            if "number" in kinds and not any(CODE.fullmatch(t) for t in texts)
            else None
        )
        read = read_dates(texts) if "date" in kinds else read
        if read is not None and read is not CONFLICT:
            back = dict(zip(texts, read.values, strict=True))
            dropped = [v for v in values if isinstance(v, str) and v not in back]
            if dropped:
                facts.column("placeholders", name, values=sorted(dropped))
            return [back.get(value) if isinstance(value, str) else value for value in values]
    facts.note("mixed_types", column=name, types=sorted(kinds))
    return [None if value is None else _text(value) for value in values]


def _gone(texts, counts, facts):
    """Texts that mean nothing is there; errors of formulas among them are told."""
    errors = ERRORS.intersection(texts)
    if errors - {"#N/A"}:
        count = sum(int(n) for text, n in zip(texts, counts, strict=True) if text in errors)
        facts.note("formula_errors", errors=sorted(errors), count=count)
    return MISSING | errors


def _typed_text(name, values, counts, commas, facts):
    texts = [value for value in values if value is not None]
    soft = sorted(value for value in texts if value.strip() in PLACEHOLDERS)
    if soft:
        texts = [value for value in texts if value.strip() not in PLACEHOLDERS]
    if texts and set(texts) in TRUTH:
        return [None if value is None or value in soft else value.lower() == "true" for value in values]
    converted = numbers_or_dates(name, [text.strip() for text in texts], commas, facts) if texts else None
    if converted is not None:
        if soft:
            facts.column("placeholders", name, values=soft)
        back = dict(zip(texts, converted, strict=True))
        return [None if value is None else back.get(value) for value in values]
    if words := [value for value in soft if value.strip().lower() in ("na", "n/a", "null", "none", "nan")]:
        facts.note("na_text", column=name, values=words)
    tell_near_misses(name, values, counts, facts)
    return values


def _typed_numbers(name, values, facts):
    present = [value for value in values if value is not None]
    whole = all(isinstance(value, int) or value.is_integer() for value in present)
    if whole and all(abs(value) < 2**53 for value in present):
        values = [None if value is None else int(value) for value in values]
        if _is_epoch([value for value in values if value is not None]):
            facts.note("epoch", column=name, unit="milliseconds")
            start = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
            return [None if value is None else start + timedelta(milliseconds=value) for value in values]
    elif whole and all(isinstance(value, int) for value in present):
        facts.column("kept_as_text", name)  # beside a gap they would be floats and lose their last digits
        return [None if value is None else str(value) for value in values]
    if whole and max(abs(value) for value in present) >= 10**15:
        facts.column("long_numbers", name)
    return values


def _is_epoch(numbers):
    """Milliseconds since 1970: all within 2000-2040, over more than a day, or all on whole minutes."""
    low, high = min(numbers), max(numbers)
    if low < EPOCH_MS[0] or high > EPOCH_MS[1]:
        return False
    day = 86_400_000
    on_minutes = all(number % 60_000 == 0 for number in numbers)
    return on_minutes or (len(numbers) >= 5 and day < high - low < 15 * 366 * day)


def _plain(value):
    if isinstance(value, (str, bool, int, float, datetime)):
        if isinstance(value, datetime) and value.tzinfo is not None:
            return value.astimezone(UTC).replace(tzinfo=None)
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 (a cell has no time zone)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    return value.isoformat() if isinstance(value, time) else str(value)


def _kind(value):
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, (int, float)):
        return "number"
    return "date" if isinstance(value, datetime) else "text"


def _text(value):
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return (
        value.strftime("%Y-%m-%d %H:%M:%S").removesuffix(" 00:00:00")
        if isinstance(value, datetime)
        else str(value)
    )
