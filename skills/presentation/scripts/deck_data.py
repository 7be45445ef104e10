"""Chart data: whatever pandas or plain Python holds, as labels and series of plain numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from deck_sources import value_of
from deck_text import one_line

if TYPE_CHECKING:
    from deck_words import Words

MAX_SERIES = 6
MAX_POINTS = 2_000
_SHAPES = (
    "Give {label: number}, a pandas Series, a list of (label, number) pairs, "
    "or for several series a DataFrame or {series: {label: number}}."
)
_MOMENTS = (date, np.datetime64, pd.Timestamp)
_SPANS = (pd.Timedelta, np.timedelta64)
# XlsxWriter, which writes the workbook behind a native chart, turns such strings into formulas and links
_ACTIVE = re.compile(r"[={]|(https?|ftps?|mailto|internal|external|file):", re.IGNORECASE)


@dataclass(frozen=True)
class Series:
    """One line, or one colour of bars; None is a gap."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class ChartTable:
    """What a category chart shows: every series has one value per label."""

    labels: tuple[str, ...]
    series: tuple[Series, ...]
    label_title: str = ""
    value_title: str = ""
    timed: bool = False
    """The labels are moments, so their order matters and some may be left unwritten on an axis."""
    counts: tuple[int, ...] = ()
    """How many cases each label stands for, where that is to be told."""

    @property
    def numbers(self) -> list[float]:
        return [value for series in self.series for value in series.values if value is not None]

    def take(self, positions: Iterable[int]) -> ChartTable:
        """The same chart with these labels only, in this order."""
        chosen = list(positions)
        return replace(
            self,
            labels=tuple(self.labels[index] for index in chosen),
            counts=tuple(self.counts[index] for index in chosen) if self.counts else (),
            series=tuple(Series(s.name, tuple(s.values[index] for index in chosen)) for s in self.series),
        )

    def by_size(self) -> list[int]:
        """Positions, the largest total first."""
        totals = [sum(s.values[index] or 0 for s in self.series) for index in range(len(self.labels))]
        return sorted(range(len(totals)), key=lambda index: -totals[index])

    def fold(self, kept: list[int], name: str) -> ChartTable:
        """Keep these labels and add the rest up into one more."""
        rest = [index for index in range(len(self.labels)) if index not in set(kept)]
        short = self.take(kept)
        return replace(
            short,
            labels=(*short.labels, name),
            counts=(*short.counts, sum(self.counts[index] for index in rest)) if self.counts else (),
            series=tuple(
                Series(s.name, (*s.values, sum(t.values[index] or 0 for index in rest)))
                for s, t in zip(short.series, self.series, strict=True)
            ),
        )

    def as_shares(self) -> ChartTable:
        """Every label's values divided by their sum."""
        totals = [sum(s.values[index] or 0 for s in self.series) for index in range(len(self.labels))]
        return replace(
            self,
            series=tuple(
                Series(
                    s.name,
                    tuple(
                        value / total if value is not None and total else None
                        for value, total in zip(s.values, totals, strict=True)
                    ),
                )
                for s in self.series
            ),
        )


def chart_table(data: object, words: Words) -> ChartTable:
    """Raises ValueError, with advice, for data that is empty, not numeric or of too many series."""
    index, columns, label_title, value_title = _columns(data)
    if not index or not columns:
        raise ValueError(f"There is nothing to draw: the data is empty. {_SHAPES}")
    if len(columns) > MAX_SERIES:
        raise ValueError(
            f"{len(columns)} series are too many to tell apart. Choose at most {MAX_SERIES}, "
            "for example frame[['a', 'b', 'c']], or make several slides."
        )
    if len(index) > MAX_POINTS:
        raise ValueError(
            f"{len(index)} labels are too many for a chart. Aggregate first, "
            "for example frame.groupby('month')['sales'].sum() or series.resample('MS').sum()."
        )
    names = labels([name for name, _ in columns], words)
    series = tuple(
        Series(shown, tuple(number(value, f"series {shown!r}") for value in values))
        for shown, (_, values) in zip(names, columns, strict=True)
    )
    table = ChartTable(
        labels=tuple(labels(index, words)),
        series=series,
        label_title=one_line(label_title),
        value_title=one_line(value_title),
        timed=all(isinstance(item, (*_MOMENTS, pd.Period)) for item in index),
    )
    if not table.numbers:
        raise ValueError("There is nothing to draw: every value is missing (NaN or None).")
    return table


def with_counts(table: ChartTable, counts: object, words: Words) -> ChartTable:
    """The table with the number of cases of each label. Raises ValueError where one is not told."""
    if counts is None:
        return table
    if not isinstance(counts, (Mapping, pd.Series)):
        raise ValueError("n is a dict or a Series: {label: number of cases}.")
    names = labels(list(counts.keys()), words)
    known = {name: number(counts[key], "n") for name, key in zip(names, counts.keys(), strict=True)}
    lacking = [label for label in table.labels if known.get(label) is None]
    if lacking:
        raise ValueError(f"n tells no number for {lacking[0]!r}. It has: {', '.join(names[:12])}.")
    return replace(table, counts=tuple(int(known[label]) for label in table.labels))


def number(value: object, where: str = "the data") -> float | None:
    """A plain float; missing and infinite values are None. Raises ValueError for what is no number."""
    value = value_of(value)
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if not isinstance(value, (str, bytes, *_MOMENTS, *_SPANS, pd.Period)):
        try:
            plain = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            pass
        else:
            return plain if math.isfinite(plain) else None
    raise ValueError(
        f"{value!r:.60} in {where} is not a number. Convert it first, for example "
        "pd.to_numeric(series, errors='coerce'), or choose numeric columns."
    )


def labels(items: Iterable[object], words: Words) -> list[str]:
    """Labels of any kind as short text: dates without midnight, intervals as 0–10, 3.0 as 3."""
    items = list(items)
    moments = [pd.Timestamp(item) for item in items if _is_moment(item)]
    return [_label(item, words, _moment_format(moments)) for item in items]


def _label(item: object, words: Words, moment_format: str) -> str:
    if isinstance(item, tuple):
        return " · ".join(_label(part, words, moment_format) for part in item)
    if item is None or item is pd.NA or item is pd.NaT or (isinstance(item, float) and math.isnan(item)):
        return words.missing
    if _is_moment(item):
        return pd.Timestamp(item).strftime(moment_format)  # type: ignore[arg-type]
    if isinstance(item, pd.Interval):
        return f"{_label(item.left, words, '%Y-%m-%d')}–{_label(item.right, words, '%Y-%m-%d')}"
    if isinstance(item, (bool, np.bool_)):
        return words.yes if item else words.no
    if isinstance(item, (float, np.floating)):
        return words.number(item, decimals=None, grouped=False)
    return one_line(item) or words.missing


def _is_moment(item: object) -> bool:
    return isinstance(item, _MOMENTS) and item is not pd.NaT and not pd.isna(item)  # type: ignore[arg-type]


def _moment_format(moments: list[pd.Timestamp]) -> str:
    if any(moment != moment.normalize() for moment in moments):
        return "%Y-%m-%d %H:%M"
    if any(moment.day != 1 for moment in moments) or len(moments) < 2:
        return "%Y-%m-%d"
    return "%Y-%m" if any(moment.month != 1 for moment in moments) else "%Y"


def passive(text: str) -> str:
    """Text that a spreadsheet takes for text: a space in front of what it would run or link."""
    return f" {text}" if _ACTIVE.match(text) else text


def _columns(data: object) -> tuple[list, list[tuple[object, list]], object, object]:
    """Labels, named columns of values, the labels' own name and the values' own name."""
    if isinstance(data, pd.DataFrame):
        return _frame_columns(data)
    if isinstance(data, (pd.Series, pd.Index)):
        series = data if isinstance(data, pd.Series) else pd.Series(data)
        return (
            list(series.index),
            [(_name(series.name), list(series))],
            _name(series.index.name),
            _name(series.name),
        )
    if isinstance(data, Mapping):
        nested = [isinstance(values, (Mapping, pd.Series)) for values in data.values()]
        if nested and all(nested):
            index = list(dict.fromkeys(label for values in data.values() for label in values.keys()))  # noqa: SIM118 - a Series iterates its values
            return (
                index,
                [(name, [values.get(label) for label in index]) for name, values in data.items()],
                "",
                "",
            )
        if any(isinstance(values, (list, tuple, dict, pd.Series, np.ndarray)) for values in data.values()):
            raise ValueError(f"The dict holds lists. {_SHAPES}")
        return list(data), [("", list(data.values()))], "", ""
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise ValueError(f"{type(data).__name__} cannot be drawn. {_SHAPES}")
    pairs = list(data)
    if any(isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable) for pair in pairs):
        raise ValueError(f"A list of bare values has no labels. {_SHAPES}")
    pairs = [tuple(pair) for pair in pairs]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"Each item must be a (label, number) pair. {_SHAPES}")
    return [label for label, _ in pairs], [("", [value for _, value in pairs])] if pairs else [], "", ""


def _frame_columns(frame: pd.DataFrame) -> tuple[list, list[tuple[object, list]], object, object]:
    plain_index = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    first_is_text = frame.shape[1] > 1 and not pd.api.types.is_numeric_dtype(frame.dtypes.iloc[0])
    index, label_title = (
        list(frame.index),
        " · ".join(str(name) for name in frame.index.names if name is not None),
    )
    if plain_index and first_is_text:
        # groupby(...).reset_index() leaves the labels in the first column
        index, label_title = list(frame.iloc[:, 0]), str(frame.columns[0])
        frame = frame.iloc[:, 1:]
    value_title = frame.columns[0] if frame.shape[1] == 1 else _name(frame.columns.name)
    columns = [(frame.columns[place], list(frame.iloc[:, place])) for place in range(frame.shape[1])]
    return index, columns, label_title, value_title


def _name(name: object) -> object:
    return "" if name is None else name
