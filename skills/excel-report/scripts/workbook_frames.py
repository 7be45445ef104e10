"""Frames as tables for a reader, and as they are registered: any index, any names."""

import re

import pandas as pd
from deck_text import one_line
from facts_values import whole_number
from workbook_formats import kind_of

_SIZE = re.compile(r"\(?\bn\s?=\s?(\d[\d,\u00a0]*)\)?")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
MOST_NAMED = 500
"""Rows of a table that is registered cell by cell."""


def flattened(data):
    """Any frame or series as a frame whose index is a column, each name one line and there once."""
    if isinstance(data, pd.Series):
        data = data.to_frame(name=data.name if data.name is not None else "")
    if not isinstance(data, pd.DataFrame):
        raise ValueError(f"A sheet takes a DataFrame or a Series, not a {type(data).__name__}.")
    if data.shape[1] == 0:
        raise ValueError("The frame has no columns: there is nothing to write.")
    frame = data
    if not (isinstance(frame.index, pd.RangeIndex) and frame.index.name is None):
        index = frame.index.to_frame(index=False)
        index.columns = [one_line(name) if name is not None else "" for name in frame.index.names]
        frame = pd.concat([index, frame.reset_index(drop=True)], axis=1)
    frame = frame.reset_index(drop=True)
    frame.columns = _names(frame.columns)
    return frame


def _names(columns):
    """Joined levels, and a number behind a name that was there before: Excel's filters want each once."""
    names = []
    for item in columns:
        parts = item if isinstance(item, tuple) else (item,)
        name = " · ".join(filter(None, (one_line(part) for part in parts)))
        base, count = name, 1
        while name and name.casefold() in {known.casefold() for known in names}:
            count += 1
            name = f"{base} ({count})"
        names.append(name)
    return names


def registered(frame):
    """The frame with leading columns of names as its index: numbers are registered under their names."""
    names = []
    for place, name in enumerate(frame.columns[:-1]):
        if kind_of(frame.iloc[:, place]) != "text" and not are_years(frame.iloc[:, place]):
            break
        names.append(name)
    return frame.set_index(names) if names and len(names) < frame.shape[1] else frame


def are_years(column):
    """Whether all of it are years, as numbers or as texts."""
    return len(column) > 0 and all(_YEAR.fullmatch(str(item)) for item in column)


def labels_of(chart):
    """The labels of a planned chart; years are numbers, since a sheet has no numbers as text."""
    return [int(label) for label in chart.labels] if are_years(chart.labels) else chart.labels


def named(frame):
    """For each column of numbers (its name, numbers, labels), under the names of the first column.

    Nothing where that is no column of names, each there once.
    """
    first = frame.iloc[:, 0]
    if len(frame) > MOST_NAMED or first.isna().any() or first.duplicated().any():
        return
    for place in range(1, frame.shape[1]):
        known = frame.iloc[:, place].notna()
        if kind_of(frame.iloc[:, place]) == "number" and known.any():
            head = frame.columns[place]
            labels = [head, *map(str, first[known]), frame.columns[0]]
            yield head, frame.iloc[:, place][known].tolist(), labels


def sized(numbers, labels):
    """Two (numbers, labels) where labels tell numbers of cases, such as 'female (n = 314)': those, and what
    stands under the bare names. Nothing where they tell none."""
    found = [(label, match) for label in map(str, labels) if (match := _SIZE.search(label))]
    if found:
        bare = {label: one_line(label.replace(match[0], "")) for label, match in found}
        yield [whole_number(match[1]) for _, match in found], ["n", *bare.values()]
        yield numbers, [bare.get(str(label), label) for label in labels]
