"""A compact description of input files, for the one who writes the analysis: JSON and the same as text."""

import json
from collections import Counter
from pathlib import Path

import documents
import numpy as np
import pandas as pd
import tables
import traps
from table_columns import KINDS, Column, duplicates, kind, repeated_rows
from table_words import profile_text

__all__ = [
    "KINDS",
    "duplicates",
    "kind",
    "print_profile",
    "profile",
    "profile_file",
    "profile_table",
    "profile_text",
]

MAX_COLUMNS = 40
MAX_FILES = 20
MAX_TABLES = 12
MAX_CELLS = 60
TOP = 5
WITHHELD = (
    "Values of cells are withheld by a setting, and figures are rounded: let scripts print counts, sums and "
    "shares, never rows, names or words of cells."
)
CLIP = 40
"""Characters of one cell that are shown."""
ROWS, ROW_COLUMNS = 2, 20
"""Rows of a longer table that are shown, and the width up to which they are."""


def profile(found, sample_rows=True):
    """JSON-able facts of a list of tables."""
    return [profile_table(table, sample_rows) for table in found[:MAX_TABLES]]


def profile_table(table, sample_rows=True):
    """`sample_rows` off keeps every cell's value out: no rows, no examples, ranges only in round figures."""
    frame = table.frame
    columns = [Column.of(frame[name]) for name in frame.columns]
    result = {"name": table.name, "rows": len(frame), "columns": frame.shape[1], "hidden": table.hidden}
    for code in ("encoding", "delimiter"):
        if note := table.note(code):
            result[code] = note.facts[code]
    if sampled := table.note("sampled"):
        result["of_rows"] = sampled.facts["rows"]
    result["duplicates"] = repeated_rows(columns)
    result["missing"] = sum(column.missing for column in columns)
    result["fields"] = [_field(column, sample_rows) for column in columns[:MAX_COLUMNS]]
    if sample_rows and 0 < frame.size <= MAX_CELLS:
        result["cells"] = _cells(frame)
    elif sample_rows and frame.shape[1] <= ROW_COLUMNS:
        result["first_rows"] = _cells(frame.head(ROWS))
    if rest := columns[MAX_COLUMNS:]:
        counts = dict(Counter(column.kind for column in rest))
        result["other_columns"] = {"count": len(rest), "by_kind": counts, "last": rest[-1].name}
    notes = [*table.notes, *traps.of(table, columns)]
    quiet = ("encoding", "delimiter")
    texts = {note.text(cells=sample_rows): note.code for note in notes if note.code not in quiet}
    result["notes"] = [{"code": code, "text": text} for text, code in texts.items()]
    return result


def _field(column, sample_rows):
    field = {
        "name": column.name,
        "kind": column.kind,
        "missing": column.missing,
        "distinct": len(column.values),
    }
    if column.kind in ("number", "integer"):
        values = column.numbers[column.codes >= 0]
        digits = 6 if sample_rows else 2
        for key in ("min", "max", "median", "mean"):
            field[key] = number(getattr(np, key)(values), digits)
    elif column.kind == "date":
        field["min"], field["max"] = when(column.values.min()), when(column.values.max())
        if not sample_rows:
            field["min"], field["max"] = field["min"][:7], field["max"][:7]
    if not sample_rows:
        return field
    if column.kind in ("category", "bool") or (column.kind == "integer" and field["distinct"] <= 12):
        field["top"] = [[_cell(value), count] for value, count in column.top(TOP)]
    elif column.kind in ("text", "id"):
        field["sample"] = [_cell(value) for value in column.values[:2]]
    return field


def _cells(frame):
    rows = frame.astype(object).itertuples(index=False, name=None)
    return [[None if pd.isna(value) else _cell(value) for value in row] for row in rows]


def number(value, digits=6):
    """A plain int or a float with so many significant digits, None for what JSON cannot say."""
    value = float(value)
    if not np.isfinite(value):
        return None
    if not value.is_integer() or digits < 6:
        value = float(f"{value:.{digits}g}")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def when(value):
    text = pd.Timestamp(value).isoformat(sep=" ", timespec="seconds")
    return text.removesuffix(" 00:00:00")


def _cell(value):
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, float, np.number)):
        return number(value)
    text = " ".join(str(value).removesuffix(" 00:00:00").split())
    return text if len(text) <= CLIP else text[: CLIP - 1] + "…"


def profile_file(name, folder, sample_rows=True):
    """{"file", "tables", "document"} or {"file", "error": {"code", "message"}}: a bad file is no crash.

    "document" is there for what is more than tables, "tables" may be empty then.
    """
    try:
        found, document = _read(name, folder)
        result = {"file": name, "tables": profile(found, sample_rows)}
        if len(found) > MAX_TABLES:
            result["more_tables"] = [table.name for table in found[MAX_TABLES:]]
        if document is not None:
            result["document"] = document.summary(outline=sample_rows)
    except tables.TableError as error:
        if not sample_rows and "reason" in error.facts:  # readers quote what they stumbled over
            error = type(error)(error.file, **{**error.facts, "reason": "…"})
        return {"file": name, "error": {"code": error.code, "message": str(error), "facts": error.facts}}
    except Exception as error:  # one strange file must not hide the others
        detail = f": {error}" if sample_rows else ""
        message = f"{name} could not be read: {type(error).__name__}{detail}"[:300]
        return {"file": name, "error": {"code": "unexpected", "message": message, "facts": {}}}
    return result


def _read(name, folder):
    if tables.find(name, folder).stat().st_size > tables.MAX_BYTES:
        return tables.glance(name, folder), None
    return documents.read(name, folder, silent=True)


def _text(files, sample_rows):
    return profile_text(files) if sample_rows else f"{WITHHELD}\n{profile_text(files)}"


def print_profile(folder="/workspace/input", limit_chars=60_000, sample_rows=True):
    """Print one JSON line {"files": [...], "text": "..."}. Over the limit, last files lose their columns."""
    names = tables.files(folder) if Path(folder).is_dir() else []
    files = [profile_file(name, folder, sample_rows) for name in names[:MAX_FILES]]
    result = {"files": files, "text": _text(files, sample_rows)}
    if len(names) > MAX_FILES:
        result["not_profiled"] = names[MAX_FILES:]
    line = json.dumps(result, ensure_ascii=False)
    for file in reversed(files):
        if len(line) <= limit_chars:
            break
        for table in file.get("tables", []):
            table["fields_left_out"] = len(table["fields"])
            table["fields"] = []
            table.pop("first_rows", None)
            table["notes"] = table["notes"][:5]
        result["text"] = _text(files, sample_rows)[: limit_chars // 2]
        line = json.dumps(result, ensure_ascii=False)
    print(line)


if __name__ == "__main__":
    print_profile()
