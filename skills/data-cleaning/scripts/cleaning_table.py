"""A table that is being cleaned: its frame, its log, its open questions, the rows that were taken out."""

import re

import cleaning_book
import pandas as pd
from cleaning_errors import CleaningError
from cleaning_log import Log

SHOWN = 5
UNCERTAIN = frozenset(
    re.findall(
        r"\w+",
        "ambiguous_dates ambiguous_numbers conflicting_dates mixed_dates not_all_dates not_all_numbers "
        "two_digit_years ragged_rows formula_errors formulas_without_values broken_lines unbalanced_quote "
        "mixed_types footnote_marks na_text placeholders",
    )
)
"""Notes of reading that a person should look at."""

CHANGED = frozenset({"excel_serials", "formula_errors", "merged_cells", "placeholders"})
"""Notes whose count is one of cells that reading changed."""


class Worked:
    """`frame` is the table as it is now; steps change it, and each adds to the log."""

    def __init__(self, frame, notes=(), language="en"):
        self._log = Log(language)
        self._source, self._notes = frame, notes
        self.frame = frame.reset_index(drop=True).copy()
        self.frame.attrs = dict(frame.attrs)
        self._removed = []
        for note in notes:
            cells = note.facts.get("count", 0) if note.code in CHANGED else 0
            told = note.text(self._log.language)
            self._log.add("read", self.frame, self.frame, _column_of(note), cells, told)
            if note.code in UNCERTAIN:
                count = int(note.facts.get("count", 0) or 0)
                self._log.ask(_kind_of(note), _column_of(note), count, told)
        self._headers_apart()

    @property
    def log(self):
        """Step, what, column, rows before and after, cells changed, detail."""
        return self._log.steps()

    @property
    def questions(self):
        """What only a person can answer: what, column, count, detail."""
        return self._log.questions()

    @property
    def removed(self):
        """The rows that steps took out, with their place in the source and the reason."""
        return cleaning_book.removed(self._removed, self._log.words)

    @property
    def words(self):
        return self._log.words

    def _texts(self, columns):
        names = self.frame.columns if columns is None else columns
        self._column(*names)
        return [
            n
            for n in names
            if self.frame[n].dtype == object or isinstance(self.frame[n].dtype, pd.StringDtype)
        ]

    def _column(self, *names):
        for name in names:
            if name not in self.frame.columns:
                raise CleaningError(
                    f"There is no column {name!r}; there are: {', '.join(map(str, self.frame))}."
                )
        return self.frame[names[0]] if names else None

    def _set(self, column, after, kind, detail="", *, only_changes=False):
        before = self.frame[column]
        same = (before.astype(object) == after.astype(object)) | (before.isna() & after.isna())
        changed = int((~same.fillna(False).astype(bool)).sum())
        if changed or not only_changes:
            self.frame[column] = after
            self._log.add(kind, self.frame, self.frame, column, changed, detail)

    def _keep_unread(self, column, series, unread):
        if unread.any():
            name = f"{column} (as written)"
            if name in self.frame.columns:
                raise CleaningError(f"There is a column {name!r} already.")
            place = self.frame.columns.get_loc(column) + 1
            self.frame.insert(place, name, series.astype(object).where(unread, None))
            told = self._log.say("kept_in", name=name, shown=examples(series[unread]))
            self._log.ask("unread", column, int(unread.sum()), told)

    def _headers_apart(self):
        names, seen = [], {}
        for name in map(str, self.frame.columns):
            seen[name] = seen.get(name, 0) + 1
            names.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
        changed = [new for old, new in zip(map(str, self.frame.columns), names, strict=True) if old != new]
        if len(set(names)) < len(names):
            raise CleaningError("Names of columns cannot be told apart: rename them first.")
        self.frame.columns = names
        if changed:
            told = self._log.say("first_keeps")
            self._log.add("headers", self.frame, self.frame, ", ".join(changed), 0, told)


def examples(series):
    """Some different values, as they are written."""
    found = list(dict.fromkeys(str(value) for value in series.dropna().head(50)))
    return ", ".join(found[:SHOWN])


def _column_of(note):
    found = note.facts.get("column") or note.facts.get("columns") or ""
    return ", ".join(map(str, found)) if isinstance(found, (list, tuple)) else str(found)


def _kind_of(note):
    return "ambiguous" if "ambiguous" in note.code or "mixed" in note.code or "years" in note.code else "read"


def places(found):
    shown = ", ".join(str(place + 1) for place in found.index[:SHOWN])
    return shown + (", …" if len(found) > SHOWN else "")


def said(why):
    if not str(why).strip():
        raise CleaningError("Say why: it stands in the log.")
    return str(why).strip()
