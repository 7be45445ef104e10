"""Clean a table step by step: each step is logged with counts, and nothing is dropped or corrected silently.

`cleaning.start("staff.xlsx")` gives a Cleaning; its steps change `.frame`; `.save("clean.xlsx")` writes the
table, the log, the open questions and the rows that were removed.
"""

import cleaning_book
import cleaning_dates
import cleaning_numbers
import pandas as pd
import tables
from cleaning_errors import CleaningError
from cleaning_looks import Looks
from cleaning_table import SHOWN, examples, said
from facts_columns import register

__all__ = ["Cleaning", "CleaningError", "start"]


def start(source, table=None, language="en"):
    """A Cleaning of a file (its largest visible table, or the one named), a Table, or a frame.

    What `tables` did on reading (header row, blank rows, Excel day numbers, names made different) is the
    beginning of the log. Raises tables.TableError, CleaningError.
    """
    if isinstance(source, str):
        source = tables.read_one(source, table)
    frame, notes = getattr(source, "frame", source), getattr(source, "notes", ())
    if not isinstance(frame, pd.DataFrame):
        raise CleaningError("Clean a file by its name, a table of `tables`, or a frame.")
    return Cleaning(frame, notes, language)


class Cleaning(Looks):
    """`frame` is the table as it is now, `log` and `questions` are what was done and what is open."""

    def trim(self, columns=None):
        """Spaces at both ends and doubled ones (no-break ones too) out of texts; an empty text is missing."""
        for name in self._texts(columns):
            before = self.frame[name]
            is_text = before.map(lambda value: isinstance(value, str))
            after = before.copy().astype(object)
            after[is_text] = before[is_text].map(lambda text: " ".join(text.split()) or None)
            self._set(
                name, after if before.dtype == object else after.astype("str"), "trim", only_changes=True
            )
        return self

    def dates(self, column, order=None):
        """The column as dates: Excel day numbers, ISO, names of months; `order` "DMY" or "MDY" where a text
        could be both. What is not understood stays in a column "… (as written)"."""
        series = self._column(column)
        if pd.api.types.is_datetime64_any_dtype(series.dtype):
            return self._turn(column, series, order)
        found = cleaning_dates.read(series, order)
        detail = self._log.say("dates_read", texts=found.texts, serials=found.serials)
        self._keep_unread(column, series, found.unread)
        unsure = int((found.ambiguous & found.values.notna()).sum())
        if unsure and not found.certain:
            shown = examples(series[found.ambiguous])
            detail += "; " + self._log.say("dates_unsure", count=unsure, order=found.order, shown=shown)
            self._log.ask(
                "ambiguous",
                column,
                unsure,
                self._log.say("dates_asked", order=found.order, shown=shown),
            )
        self._set(column, found.values, "dates", detail)
        return self

    def numbers(self, column, decimal=None):
        """Texts as numbers: thousands marks, decimal commas (`decimal` "," or "." where it could be both),
        currency and percent signs. What is no number stays in a column "… (as written)"."""
        series = self._column(column)
        found = cleaning_numbers.read(series, decimal)
        self._keep_unread(column, series, found.unread)
        if found.ambiguous:
            self._log.ask(
                "ambiguous",
                column,
                found.doubtful,
                f"{found.ambiguous} could be thousands or decimals; {found.told}",
            )
        self._set(column, found.values, "numbers", found.told)
        return self

    def rename(self, names):
        """{old: new}."""
        self._column(*names)
        after = [names.get(name, name) for name in self.frame.columns]
        if len(set(after)) < len(after):
            raise CleaningError("Two columns would have one name.")
        self.frame.columns = after
        told = "; ".join(f"{old} → {new}" for old, new in names.items())
        self._log.add("rename", self.frame, self.frame, "", 0, told)
        return self

    def replace(self, column, values, why):
        """{as written: as it shall be}; a decision of a person, so `why` says whose."""
        series = self._column(column)
        lacking = [value for value in values if not (series == value).any()]
        if lacking:
            raise CleaningError(f"{column!r} has no {lacking[0]!r}.")
        told = "; ".join(f"{old} → {new}" for old, new in values.items())
        self._set(column, series.replace(values), "replace", f"{told} ({said(why)})")
        return self

    def fill(self, column, value, why):
        """A value for what is missing; `why` says who decided it."""
        self._set(column, self._column(column).fillna(value), "fill", f"{value} ({said(why)})")
        return self

    def drop_columns(self, columns, why):
        """Columns out of the table."""
        columns = [columns] if isinstance(columns, str) else list(columns)
        self._column(*columns)
        filled = int(self.frame[columns].notna().sum().sum())
        after = self.frame.drop(columns=columns)
        told = self._log.say("columns_gone", count=len(columns), values=filled, why=said(why))
        self._log.add("drop_columns", self.frame, after, ", ".join(map(str, columns)), filled, told)
        self.frame = after
        return self

    def drop_rows(self, rows, why):
        """Rows of a mask of the frame out of the table; they are kept, with the reason, for the workbook."""
        mask = pd.Series(rows, index=self.frame.index).fillna(False).astype(bool)
        gone, after = self.frame[mask], self.frame[~mask]
        self._removed.append((gone, said(why)))
        places = ", ".join(str(place + 1) for place in gone.index[:SHOWN])
        places += ", …" if len(gone) > SHOWN else ""
        told = self._log.say("rows_gone", why=why, rows=places) if len(gone) else str(why)
        self._log.add("drop_rows", self.frame, after, "", 0, told)
        self.frame = after
        return self

    def drop_duplicates(self, why):
        """Full duplicates out of the table, the first of each stays."""
        return self.drop_rows(self.frame.duplicated(), why)

    def save(self, path="clean.xlsx"):
        """The workbook: data, log, questions, removed rows. Raises CleaningError where rows are lacking that
        no step removed."""
        gone = sum(len(rows) for rows, _ in self._removed)
        if len(self.frame) + gone != len(self._source):
            raise CleaningError(
                f"{len(self._source)} rows came in, {len(self.frame)} are left and steps removed {gone}: "
                "rows were changed outside of the steps. Use drop_rows."
            )
        result = {"rows read": len(self._source), "rows": len(self.frame), "removed": gone}
        how = "counted by the steps of cleaning"
        register("cleaning", result, how=how, of=self._source)
        for id, sheet in (("cleaning log", self.log), ("cleaning questions", self.questions)):
            register(id, sheet, how=how, of=self._source)
        return cleaning_book.write(path, self)

    def _turn(self, column, series, order):
        """Dates that reading made: only their order can be another one."""
        notes = {note.code: note for note in self._notes if str(note.facts.get("column")) == str(column)}
        read_as = notes["ambiguous_dates"].facts["order"] if "ambiguous_dates" in notes else None
        if order is None or order == read_as:
            self._set(column, series, "dates", self._log.say("dates_already"))
        elif read_as is None:
            raise CleaningError(f"{column!r} was read without a doubt; its order cannot be another one.")
        elif "mixed_dates" in notes:
            raise CleaningError(
                f"{column!r} mixes formats, and only some of its dates can be turned: take those by replace."
            )
        else:
            told = self._log.say("dates_turned", order=order, other=read_as)
            self._set(column, cleaning_dates.swapped(series), "dates", told)
        return self
