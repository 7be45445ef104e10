"""A table is a frame plus everything that was noticed on the way to it."""

from dataclasses import dataclass, field

import pandas as pd

SHOWN = 8
"""How many items of a list a sentence names."""

SENTENCES = {
    "encoding": "Read as {encoding}.",
    "delimiter": "Fields are separated by {delimiter}.",
    "decimal_comma": "Decimal commas were read as decimals in {columns}.",
    "thousands_marks": "Thousands marks ({marks}) were removed in {columns}.",
    "ambiguous_numbers": "{example} in {columns} could be thousands or decimals; read as {read_as}.",
    "percent_signs": "Percent signs were removed in {columns}: 45% is 45.",
    "currency_signs": "Currency signs ({signs}) were removed in {columns}.",
    "not_all_numbers": "{column} stays text: {count} values are not numbers, such as {examples}.",
    "not_all_dates": "{column} stays text: {count} values are not dates, such as {examples}.",
    "title_rows": "Rows above the header are not data: {texts}.",
    "header_row": "The header is row {row}.",
    "no_header": "There is no header row; the columns got numbers for names.",
    "joined_header": "Header rows {rows} were joined into one name per column.",
    "row_label": "The header is one field short: the first field of a row is its label ({column}).",
    "ragged_rows": "{count} rows do not have the header's {expected} fields: {rows}. None is lost.",
    "extra_columns": "Fields beyond the header are in {columns}.",
    "blank_header": "Columns without a name were named {columns}.",
    "duplicate_headers": "Repeated column names got numbers: {columns}.",
    "blank_columns": "{count} columns without a name and a value were left out.",
    "empty_columns": "Columns with a name and no value: {columns}.",
    "blank_rows": "{count} blank rows were left out.",
    "subheadings": "Rows with a label and nothing else are kept: {labels}.",
    "footnotes": "Notes under the table are not data: {texts}.",
    "merged_cells": "{count} merged cells were filled down with their text.",
    "hidden_sheet": "The sheet {sheet} is hidden ({state}).",
    "empty_sheets": "Sheets without rows: {sheets}.",
    "formulas_without_values": "{count} formulas have no stored result and are empty here: {examples}.",
    "formula_errors": "{count} cells hold an Excel error and are empty here: {errors}.",
    "kept_as_text": "Digits kept as text, since leading zeros or length matter: {columns}.",
    "compact_dates": "{column} looks like dates written {format}; it stays text.",
    "excel_serials": "{count} Excel day numbers in {column} became dates.",
    "two_digit_years": "{column} has two-digit years; they were read as {first} to {last}.",
    "ambiguous_dates": "Day and month order in {column} is not certain; read as {order}, such as {example}.",
    "mixed_dates": "{column} mixes date formats; {count} values differ from the rest: {examples}.",
    "conflicting_dates": "{column} stays text: some dates put the day first, some the month.",
    "na_text": "{column} has the text {values}; it is kept as text.",
    "placeholders": "Placeholders ({values}) in {columns} count as missing.",
    "epoch": "{column} held Unix time in {unit}; it became dates in UTC.",
    "time_zone": "Times in {columns} were brought to UTC.",
    "mixed_types": "{column} mixes {types}; it is text here.",
    "nested_objects": "Nested objects were flattened one level: {columns}.",
    "nested_lists": "Nested lists are counted, not unrolled: {columns}.",
    "broken_lines": "{count} lines are not valid JSON and were left out: {rows}.",
    "unbalanced_quote": "A quote is never closed; quotes were read as plain characters.",
    "archive": "From {member} in the archive {archive}.",
    "archive_skipped": "Not read from the archive: {members}.",
    "combined": "Rows of {tables} are together here; the column {column} says whose they are.",
    "lacking_columns": "Not every table has every column; missing there: {columns}.",
    "other_tables": "The file holds other tables too: {names}.",
    "footnote_marks": "{column} stays text: {count} numbers carry a mark, such as {examples}.",
    "long_numbers": "{columns} have numbers of 16 and more digits; in a workbook the last ones are lost.",
    "sampled": "The file has {size} MiB and {rows} rows ({counted}). A sample of {taken} rows from {places} "
    "places, evenly spread, was read: counts and ranges are the sample's. Read the file in parts for totals.",
    "total_rows": "Rows that sum up others: {labels} (row {rows}). Leave them out before adding up.",
    "parts_of": "Rows under {labels} are parts of the row above: never add both.",
    "service_codes": "{count} codes in {column} have no digit, unlike the rest ({rows} rows): {examples}. "
    "Among products these are services or entries by hand.",
    "currency_column": "Amounts are in {count} currencies, named in {column} ({values}): not to be added up.",
    "mixed_currencies": "{column} mixes currencies ({signs}); it stays text.",
    "units": "{column} has its unit ({units}) behind each number; it stays text.",
    "mixed_units": "{column} mixes units ({units}); it stays text.",
    "other_unit": "{count} values in {column} are some {factor} times {side} than the rest ({examples}): "
    "another unit?",
    "cancellations": "{column} is negative in {count} rows; {code} begins with {example} in {rows} rows, "
    "nearly all of them negative: cancellations or refunds. State gross or net.",
    "negatives": "{column} is negative in {count} rows: refunds or corrections? State the rule.",
    "constant_columns": "One value in every row: {columns}.",
    "dominant_row": "One row (row {row}: {amount}) is {share} of {column} in all.",
    "dominant_in_group": "{label} in {column} is at the top with {amount} of {measure}, {share} of it from "
    "one row (row {row}).",
    "partial_periods": "{column} runs from {first} to {last}: partial are {periods}.",
    "epoch_like": "{column} looks like Unix time in {unit}; it stays a number.",
    "null_bytes": "{count} null bytes were removed.",
    "lost_bytes": "{count} damaged bytes could not be read and show as \ufffd.",
}


CELLS = frozenset(
    ("amount", "errors", "example", "examples", "first", "label", "labels", "last", "texts", "values")
)
"""Facts that hold values of cells, which some profiles leave out."""


@dataclass(frozen=True)
class Note:
    """One thing a reader of the numbers should know. `facts` is JSON-able; str() is an English sentence."""

    code: str
    facts: dict = field(default_factory=dict)

    def __post_init__(self):
        if self.code not in SENTENCES:
            raise ValueError(f"no sentence for the note {self.code}")

    def __str__(self):
        return self.text()

    def text(self, *, cells=True):
        """The sentence; without `cells` no value of a cell is in it."""
        facts = {
            key: _shown(value) if cells or key not in CELLS else "…" for key, value in self.facts.items()
        }
        return SENTENCES[self.code].format(**facts)

    def to_dict(self):
        return {"code": self.code, "facts": self.facts, "text": str(self)}


@dataclass(frozen=True, eq=False)
class Table:
    """`name` is the sheet or the file without its suffix, `file` the input file it came from."""

    name: str
    file: str
    frame: pd.DataFrame
    notes: tuple = ()

    def note(self, code):
        """The first note with this code, or None."""
        return next((note for note in self.notes if note.code == code), None)

    @property
    def hidden(self):
        return self.note("hidden_sheet") is not None

    def __repr__(self):
        rows, columns = self.frame.shape
        return f"Table({self.name!r}, {rows} rows x {columns} columns, {len(self.notes)} notes)"


class Facts:
    """Collects what is noticed about columns: one note per code that names them all, or one note each."""

    def __init__(self):
        self.by_column, self.single = {}, []

    def column(self, code, name, **facts):
        known = self.by_column.setdefault(code, {"columns": [], **facts})
        known["columns"].append(name)
        for key, value in facts.items():
            if isinstance(value, list):
                known[key] = sorted({*known[key], *value})

    def note(self, code, **facts):
        self.single.append((code, facts))

    def notes(self):
        return [Note(code, facts) for code, facts in (*self.by_column.items(), *self.single)]


def _shown(value):
    if isinstance(value, dict):
        value = [f"{key} {item}" for key, item in value.items()]
    if not isinstance(value, (list, tuple)):
        return str(value)
    texts = [_clip(str(item)) for item in value[:SHOWN]]
    if len(value) > SHOWN:
        texts.append(f"and {len(value) - SHOWN} more")
    return ", ".join(texts)


def _clip(text):
    text = " ".join(text.split())
    return text if len(text) <= 90 else text[:87] + "..."
