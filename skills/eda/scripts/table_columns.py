"""A column by its distinct values: how often each stands there, and what kind of thing they are."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

KINDS = ("number", "integer", "text", "category", "date", "bool", "id", "empty")


@dataclass(frozen=True, eq=False)
class Column:
    """`values` are distinct, `codes` says which of them a row has; -1 is missing."""

    name: str
    series: pd.Series
    codes: np.ndarray
    values: pd.Index

    @classmethod
    def of(cls, series):
        codes, values = pd.factorize(series)
        return cls(str(series.name), series, codes, pd.Index(values))

    @cached_property
    def counts(self):
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @cached_property
    def present(self):
        """Rows with a value."""
        return int(self.counts.sum())

    @property
    def missing(self):
        return len(self.codes) - self.present

    @property
    def is_numeric(self):
        return self.kind in ("number", "integer") or (
            self.kind == "id" and pd.api.types.is_numeric_dtype(self.series.dtype)
        )

    @property
    def is_text(self):
        return self.kind in ("text", "category", "id") and not self.is_numeric

    @cached_property
    def texts(self):
        """The distinct values as Python strings."""
        return [value if isinstance(value, str) else str(value) for value in self.values.tolist()]

    @cached_property
    def numbers(self):
        """A float for each row, NaN where there is none."""
        return self.series.to_numpy(dtype=float, na_value=np.nan)

    @cached_property
    def kind(self):
        """One of KINDS. `id` tells rows apart and is no quantity; `category` repeats few values."""
        dtype = self.series.dtype
        if not self.present:
            return "empty"
        if pd.api.types.is_bool_dtype(dtype):
            return "bool"
        if pd.api.types.is_datetime64_any_dtype(dtype):
            return "date"
        if pd.api.types.is_numeric_dtype(dtype):
            return self._numeric_kind()
        return self._text_kind()

    def top(self, limit):
        """[(value, rows)], the most frequent first."""
        order = sorted(range(len(self.values)), key=lambda place: -self.counts[place])[:limit]
        return [(self.values[place], int(self.counts[place])) for place in order]

    def _numeric_kind(self):
        values = self.values.to_numpy(dtype=float)
        if not np.all(np.isfinite(values)) or not np.all(values == np.floor(values)):
            return "number"
        return "id" if _is_numeric_id(values, self.counts) else "integer"

    def _text_kind(self):
        distinct, present = len(self.values), self.present
        lengths = np.fromiter(map(len, self.texts), dtype=float, count=distinct)
        if present >= 20 and distinct == present and lengths.max() <= 40:
            spaced = sum(" " in text for text in self.texts) / distinct
            if spaced < 0.1:
                return "id"
        few = distinct <= 60 and (distinct <= max(2, present * 0.5) or present < 10)
        return "category" if few and lengths @ self.counts / present <= 80 else "text"


def kind(series):
    """One of KINDS for a Series."""
    return Column.of(series).kind


def duplicates(frame):
    """Rows of a frame that repeat an earlier one, see `repeated_rows`."""
    return repeated_rows([Column.of(frame[name]) for name in frame.columns])


def repeated_rows(columns):
    """How many rows repeat an earlier one in full; None where a very wide table is not counted. Headings
    inside a table (a label and nothing else) may repeat and are no duplicates."""
    if len(columns) > 500:
        return None
    if not columns:
        return 0
    key, size = np.zeros(len(columns[0].codes), dtype=np.int64), 1
    for column in columns:
        width = len(column.values) + 1
        if size * width >= 2**62:
            key, seen = pd.factorize(key)
            size = len(seen)
        key, size = key * width + column.codes + 1, size * width
    repeats = pd.Index(key).duplicated()
    if len(columns) <= 2 or not repeats.any():
        return int(repeats.sum())
    return int((sum((column.codes[repeats] >= 0).astype(int) for column in columns) > 1).sum())


def _is_numeric_id(values, counts):
    """Whole numbers that number the rows (all different and dense), or codes of one length from 5 digits."""
    count, distinct = int(counts.sum()), len(values)
    low, high = values.min(), values.max()
    if count < 20 or low < 0 or (low >= 1800 and high <= 2100):
        return False
    if distinct == count and high - low < 3 * count:
        return True
    if distinct == count >= 100 and _uniform(values):
        return True
    same_length = low >= 10_000 and len(str(int(low))) == len(str(int(high)))
    if not same_length or distinct < 50 or (high - low) / high >= 0.95:
        return False
    return bool((values % 100 == 0) @ counts / count <= 0.2)  # amounts are often round, codes are not


def _uniform(values):
    """Amounts crowd at one end; a sample of row numbers is spread evenly."""
    spread = values.std()
    z = (values - values.mean()) / spread
    return abs(np.mean(z**3)) < 0.15 and abs(np.mean(z**4) - 1.8) < 0.15
