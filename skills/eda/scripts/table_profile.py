"""A compact description of input files, for the one who writes the analysis: JSON and the same as text."""

import json
from pathlib import Path

import documents
import numpy as np
import pandas as pd
import tables

MAX_COLUMNS = 40
MAX_FILES = 20
MAX_TABLES = 12
MAX_CELLS = 60
TOP = 5
CLIP = 40
"""Characters of one cell that are shown."""
LONGEST_NAME = 200
KINDS = ("number", "integer", "text", "category", "date", "bool", "id", "empty")


def kind(series):
    """One of KINDS. `id` tells rows apart and is no quantity; `category` repeats few values."""
    present = series.dropna()
    if present.empty:
        return "empty"
    if pd.api.types.is_bool_dtype(series.dtype):
        return "bool"
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return "date"
    if pd.api.types.is_numeric_dtype(series.dtype):
        values = present.to_numpy(dtype=float)
        if not np.all(values == np.floor(values)) or not np.all(np.isfinite(values)):
            return "number"
        return "id" if _is_numeric_id(values) else "integer"
    distinct = present.nunique()
    lengths = present.astype(str).str.len()
    spaced = present.astype(str).str.contains(" ", regex=False).mean()
    if len(present) >= 20 and distinct == len(present) and spaced < 0.1 and lengths.max() <= 40:
        return "id"
    if (
        distinct <= 60
        and (distinct <= max(2, len(present) * 0.5) or len(present) < 10)
        and lengths.mean() <= 80
    ):
        return "category"
    return "text"


def _is_numeric_id(values):
    """Whole numbers that number the rows (all different and dense), or codes of one length from 5 digits."""
    count = len(values)
    if count < 20 or values.min() < 0 or (values.min() >= 1800 and values.max() <= 2100):
        return False
    distinct = len(np.unique(values))
    low, high = values.min(), values.max()
    if distinct == count and high - low < 3 * count:
        return True
    if distinct == count >= 100 and _uniform(values):
        return True
    same_length = low >= 10_000 and len(str(int(low))) == len(str(int(high)))
    return bool(same_length and distinct >= 50 and (high - low) / high < 0.95 and not _round(values))


def _uniform(values):
    """Amounts crowd at one end; a sample of row numbers is spread evenly."""
    spread = values.std()
    z = (values - values.mean()) / spread
    return abs(np.mean(z**3)) < 0.15 and abs(np.mean(z**4) - 1.8) < 0.15


def _round(values):
    """Amounts are often round (salaries, prices); codes are not."""
    return np.mean(values % 100 == 0) > 0.2


def profile(found, sample_rows=True):
    """JSON-able facts of a list of tables."""
    return [profile_table(table, sample_rows) for table in found[:MAX_TABLES]]


def profile_table(table, sample_rows=True):
    frame = table.frame
    shown = list(frame.columns[:MAX_COLUMNS])
    result = {"name": table.name, "rows": len(frame), "columns": frame.shape[1], "hidden": table.hidden}
    for code in ("encoding", "delimiter"):
        if note := table.note(code):
            result[code] = note.facts[code]
    result["duplicates"] = duplicates(frame)
    result["missing"] = int(frame.isna().to_numpy().sum())
    result["fields"] = [_field(name, frame[name], sample_rows) for name in shown]
    if sample_rows and 0 < frame.size <= MAX_CELLS:
        rows = frame.astype(object).itertuples(index=False, name=None)
        result["cells"] = [[None if pd.isna(value) else _cell(value) for value in row] for row in rows]
    if rest := list(frame.columns[MAX_COLUMNS:]):
        counts = {}
        for name in rest:
            found = kind(frame[name])
            counts[found] = counts.get(found, 0) + 1
        result["other_columns"] = {"count": len(rest), "by_kind": counts, "last": str(rest[-1])}
    quiet = ("encoding", "delimiter")
    result["notes"] = [{"code": n.code, "text": str(n)} for n in table.notes if n.code not in quiet]
    return result


def duplicates(frame):
    """Rows that repeat an earlier one in full; None where a very wide table is not counted. Headings inside a
    table (a label and nothing else) may repeat and are no duplicates."""
    if frame.shape[1] > 500:
        return None
    repeats = frame.duplicated()
    if frame.shape[1] > 2:
        repeats &= frame.notna().sum(axis=1) > 1
    return int(repeats.sum())


def _field(name, series, sample_rows):
    found = kind(series)
    present = series.dropna()
    field = {
        "name": name,
        "kind": found,
        "missing": int(series.isna().sum()),
        "distinct": int(present.nunique()),
    }
    if found in ("number", "integer"):
        values = present.astype(float)
        for key, value in (
            ("min", values.min()),
            ("max", values.max()),
            ("median", values.median()),
            ("mean", values.mean()),
        ):
            field[key] = number(value)
    elif found == "date":
        field["min"], field["max"] = when(present.min()), when(present.max())
    if found in ("category", "bool") or (found == "integer" and field["distinct"] <= 12):
        counts = present.value_counts()
        if sample_rows:
            field["top"] = [[_cell(value), int(count)] for value, count in counts.head(TOP).items()]
    elif sample_rows and found in ("text", "id"):
        field["sample"] = [_cell(value) for value in present.drop_duplicates().head(2)]
    return field


def number(value):
    """A plain int or a float with six significant digits, None for what JSON cannot say."""
    value = float(value)
    if not np.isfinite(value):
        return None
    if not value.is_integer():
        value = float(f"{value:.6g}")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def when(value):
    text = pd.Timestamp(value).isoformat(sep=" ", timespec="seconds")
    return text.removesuffix(" 00:00:00")


def _cell(value):
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, float, np.number)):
        return number(value)
    text = " ".join(str(value).split())
    return text if len(text) <= CLIP else text[: CLIP - 1] + "…"


def profile_file(name, folder, sample_rows=True):
    """{"file", "tables", "document"} or {"file", "error": {"code", "message"}}: a bad file is no crash.

    "document" is there for what is more than tables, "tables" may be empty then.
    """
    try:
        found, document = documents.read(name, folder)
        result = {"file": name, "tables": profile(found, sample_rows)}
        if len(found) > MAX_TABLES:
            result["more_tables"] = [table.name for table in found[MAX_TABLES:]]
        if document is not None:
            result["document"] = document.summary(outline=sample_rows)
    except tables.TableError as error:
        return {"file": name, "error": {"code": error.code, "message": str(error), "facts": error.facts}}
    except Exception as error:  # one strange file must not hide the others
        message = f"{name} could not be read: {type(error).__name__}: {error}"[:300]
        return {"file": name, "error": {"code": "unexpected", "message": message, "facts": {}}}
    return result


def profile_text(files):
    """The same for a reader: one line a column, notes below."""
    lines = []
    for file in files:
        if "error" in file:
            lines.append(f"{file['file']}: {file['error']['message']}")
            continue
        if "document" in file:
            lines += documents.summary_lines(file["file"], file["document"])
        for place, table in enumerate(file["tables"]):
            lines += _table_lines(file, table, file["tables"][:place])
        if more := file.get("more_tables"):
            lines.append(f"{file['file']}: {len(more)} more tables: {', '.join(more[:20])}")
    return "\n".join(lines)


def _table_lines(file, table, earlier):
    named = "" if len(file["tables"]) == 1 else f" [{table['name']}]"
    facts = [f"{table['rows']} rows x {table['columns']} columns"]
    facts += [table[key] for key in ("encoding", "delimiter") if key in table]
    facts.append(
        "duplicates not counted" if table["duplicates"] is None else f"{table['duplicates']} duplicate rows"
    )
    facts += [f"{table['missing']} missing cells"] if table["missing"] else []
    facts += ["hidden"] if table["hidden"] else []
    yield f"{file['file']}{named}: {', '.join(facts)}"
    if "cells" in table:
        yield "- columns: " + ", ".join(
            f"{_name(field['name'])} ({field['kind']})" for field in table["fields"]
        )
        yield from (
            "- row: " + " | ".join("" if v is None else str(v) for v in row) for row in table["cells"]
        )
    elif like := next((other for other in earlier if _alike(other, table)), None):
        yield f"- columns as in [{like['name']}]{_apart(like, table)}"
    else:
        yield from (f"- {_name(field['name'])}: {_field_text(field)}" for field in table["fields"])
    if other := table.get("other_columns"):
        kinds = ", ".join(f"{count} {name}" for name, count in other["by_kind"].items())
        yield f"- and {other['count']} more columns ({kinds}), the last is {other['last']}"
    for note in table["notes"]:
        yield f"* {note['text']}"


def _alike(one, other):
    """Sheets of one kind: nearly the same columns."""
    names, others = _names(one), _names(other)
    return len(names & others) >= 0.8 * max(len(names), len(others), 1)


def _apart(one, other):
    added, lacking = sorted(_names(other) - _names(one)), sorted(_names(one) - _names(other))
    told = [f"with {', '.join(added)}"] if added else []
    told += [f"without {', '.join(lacking)}"] if lacking else []
    return ", " + " and ".join(told) if told else ""


def _names(table):
    return {field["name"] for field in table["fields"]}


def _name(text):
    """Whole, since scripts need it, unless it is none that a person gave."""
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"


def _field_text(field):
    parts = [field["kind"]]
    if field["missing"]:
        parts.append(f"{field['missing']} missing")
    if field["kind"] in ("text", "id", "category"):
        parts.append(f"{field['distinct']} distinct")
    if "min" in field:
        parts.append(f"{field['min']} to {field['max']}")
    if "median" in field:
        parts.append(f"median {field['median']}, mean {field['mean']}")
    if "top" in field:
        parts.append("; ".join(f"{value} {count}" for value, count in field["top"]))
    if "sample" in field:
        parts.append("e.g. " + "; ".join(str(value) for value in field["sample"]))
    return ", ".join(parts)


def print_profile(folder="/workspace/input", limit_chars=60_000, sample_rows=True):
    """Print one JSON line {"files": [...], "text": "..."}. Over the limit, last files lose their columns."""
    names = tables.files(folder) if Path(folder).is_dir() else []
    files = [profile_file(name, folder, sample_rows) for name in names[:MAX_FILES]]
    result = {"files": files, "text": profile_text(files)}
    if len(names) > MAX_FILES:
        result["not_profiled"] = names[MAX_FILES:]
    line = json.dumps(result, ensure_ascii=False)
    for file in reversed(files):
        if len(line) <= limit_chars:
            break
        for table in file.get("tables", []):
            table["fields_left_out"] = len(table["fields"])
            table["fields"] = []
            table["notes"] = table["notes"][:5]
        result["text"] = profile_text(files)[: limit_chars // 2]
        line = json.dumps(result, ensure_ascii=False)
    print(line)


if __name__ == "__main__":
    print_profile()
