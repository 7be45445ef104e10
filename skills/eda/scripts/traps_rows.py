"""Rows that are no rows like the others: totals among details, and parts of the row above."""

import re

import numpy as np
from tables_model import Note

TOTAL = re.compile(r"^\W*(?:grand\s+)?(?:total|subtotal|итог|всего|сумма|合計|総数|計)", re.IGNORECASE)
PARTS = re.compile(
    r"^\W*(?:в\s+том\s+числе|в\s*т\.?\s*ч\b|из\s+них|including|of\s+which|thereof|davon|dont|内訳|うち)",
    re.IGNORECASE,
)
MAX_ROWS = 2_000
"""A longer table is a list of records: sums of its rows would be found by chance."""
MAX_NUMBERS = 60
SAME = 0.002
"""Totals are rounded apart from their parts."""


def notes(table, columns):
    frame = table.frame
    texts = [column.name for column in columns if column.is_text]
    numeric = [column.name for column in columns if column.kind in ("number", "integer")]
    if 3 <= len(frame) <= MAX_ROWS and texts:
        label = max(texts, key=lambda name: frame[name].nunique())
        found = repeats(frame, texts, label, numeric)
        found += blocks(frame, label, numeric, {row for row, _, _ in found})
        if found:
            rows = [row + 1 for row, _, _ in found]
            labels = [str(label) for _, label, _ in found]
            yield Note("total_rows", {"count": len(found), "rows": rows, "labels": labels})
    if headings := table.note("subheadings"):
        parts = sorted({label for label in headings.facts["labels"] if PARTS.match(label)})
        if parts:
            yield Note("parts_of", {"labels": parts})


def repeats(frame, texts, label, numeric):
    """[(row, label, "name" or "sum")]: a word for totals, or numbers that are the sum of all other rows."""
    result = {}
    for name in texts[:4]:
        for row, value in enumerate(frame[name].fillna("")):
            if TOTAL.match(str(value)):
                result[row] = (row, value, "name")
    if numeric and label is not None:
        values = frame[numeric[:MAX_NUMBERS]].to_numpy(dtype=float, na_value=np.nan)
        with np.errstate(invalid="ignore", over="ignore"):
            rest = np.nansum(values, axis=0) - values
        for row in np.flatnonzero(_same(values, rest)):
            result.setdefault(int(row), (int(row), frame[label].iloc[row], "sum"))
    return [result[row] for row in sorted(result)]


def blocks(frame, label, numeric, known):
    """Rows that add up the rows since the total before them, in at least two columns."""
    values = frame[numeric[:MAX_NUMBERS]].to_numpy(dtype=float, na_value=np.nan)
    if values.shape[1] < 2 or not np.isfinite(values).any():
        return []
    found, start = [], 0
    for row in range(len(values)):
        if row in known:
            start = row + 1
        elif row - start >= 2 and _same(values[row : row + 1], np.nansum(values[start:row], axis=0)[None])[0]:
            found.append((row, frame[label].iloc[row], "sum"))
            start = row + 1
    return found


def _same(values, sums):
    """Rows in which at least four of five numbers equal their sums."""
    with np.errstate(invalid="ignore", over="ignore"):
        equal = np.abs(values - sums) <= SAME * np.abs(values)
        usable = ~np.isnan(values) & (values != 0)
    counted = usable.sum(axis=1)
    return (counted >= 1) & ((equal & usable).sum(axis=1) >= 0.8 * counted)
