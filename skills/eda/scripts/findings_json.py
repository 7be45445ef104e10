"""Figures as a JSON file: exact values of pandas and numpy as plain ones, gaps as null."""

import json
import math
from dataclasses import asdict, is_dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from facts_findings import register_figures


def save_json(path, data):
    """Write it to the file and return the path; nothing is rounded.

    Findings and other dataclasses, frames (a list of rows, the index among them unless it only counts),
    series ({label: value}), dates (ISO) and numpy values are understood. Raises ValueError for the rest.
    """
    plain = _plain(data)
    text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
    register_figures(Path(path).name, plain)
    Path(path).write_text(text + "\n", encoding="utf-8")
    return str(path)


def _plain(value):
    if hasattr(value, "to_dict") and is_dataclass(value):
        return _plain(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, pd.DataFrame):
        counted = isinstance(value.index, pd.RangeIndex)
        rows = value if counted else value.reset_index()
        return [
            _plain(dict(zip(rows.columns, row, strict=True)))
            for row in rows.itertuples(index=False, name=None)
        ]
    if isinstance(value, pd.Series):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, pd.Index, np.ndarray, pd.api.extensions.ExtensionArray)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return [_plain(item) for item in sorted(value, key=str)]
    return _scalar(value)


def _scalar(value):
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    if hasattr(value, "isoformat"):
        return None if pd.isna(value) else value.isoformat()
    if isinstance(value, (pd.Period, pd.Interval, pd.Timedelta, np.timedelta64, Path)):
        return str(value)
    raise ValueError(f"{type(value).__name__} is no figure that JSON can hold: {value!r:.80}")


def _key(key):
    """Names of an object are text; parts of a compound one are joined."""
    if isinstance(key, tuple):
        return " · ".join(_key(part) for part in key)
    plain = _scalar(key)
    return "" if plain is None else str(plain)
