"""JSON and JSON lines: records become rows, nested objects columns, nested lists a count."""

import json
import math

from tables_errors import BrokenFile, EmptyFile, HeaderOnly, NotATable, TooLarge
from tables_model import Facts, Note, Table
from tables_shape import build, unique
from tables_text import detect_encoding
from tables_typing import type_columns

MAX_BYTES = 32 * 1024 * 1024
"""JSON takes some fifteen times its size as Python objects."""


def records(path):
    """(list of records, or the whole JSON value; numbers of broken lines)."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise TooLarge(path.name, size=size // 2**20, unit="MiB of JSON", limit=MAX_BYTES // 2**20)
    encoding, _ = detect_encoding(path)
    text = path.read_text(encoding=encoding, errors="replace").strip("\ufeff\x00 \t\r\n")
    if not text:
        raise EmptyFile(path.name, size=size)
    try:
        return json.loads(text), []
    except RecursionError as error:
        raise BrokenFile(path.name, kind="JSON", reason="nested too deeply") from error
    except ValueError as whole:
        rows, broken = [], []
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    rows.append(json.loads(line))
                except (ValueError, RecursionError):
                    broken.append(number)
        if not rows or len(broken) > len(rows):
            raise BrokenFile(path.name, kind="JSON", reason=str(whole)) from whole
        return rows, broken


def read(path, name):
    value, broken = records(path)
    notes = (
        [Note("broken_lines", {"count": len(broken), "rows": [f"line {n}" for n in broken[:20]]})]
        if broken
        else []
    )
    found = list(_lists(value, name))
    if not found:
        raise NotATable(path.name, kind="a JSON value without a list of records")
    return [_table(path, title, rows, notes) for title, rows in found]


def _lists(value, name):
    """Every list of records at the top or one level below it."""
    if isinstance(value, list) and value:
        if all(isinstance(item, dict) for item in value) or all(isinstance(item, list) for item in value):
            yield name, value
        elif any(isinstance(item, dict) for item in value):
            yield name, [item if isinstance(item, dict) else {"value": item} for item in value]
        else:
            yield name, [{"value": item} for item in value]
    elif isinstance(value, dict):
        lists = {key: item for key, item in value.items() if isinstance(item, list) and item}
        if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list) and value["data"]:
            yield name, [dict(zip(map(str, value["columns"]), row, strict=False)) for row in value["data"]]
        elif len(value) > 1 and all(isinstance(item, dict) for item in value.values()):
            yield name, [{"key": key, **item} for key, item in value.items()]
        elif (
            len(lists) == len(value) > 1
            and len({len(item) for item in lists.values()}) == 1
            and not any(isinstance(cell, dict) for item in lists.values() for cell in item)
        ):
            yield name, [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
        else:
            for key, item in lists.items():
                if all(isinstance(row, dict) for row in item):
                    yield key, item


def _table(path, title, rows, notes):
    if isinstance(rows[0], list):
        return build([[_scalar(cell) for cell in row] for row in rows], title, path.name, notes, loose=True)
    nested, counted, flat = [], {}, []
    names = {}
    for row in rows:
        out = {}
        for key, cell in row.items():
            _put(out, key, cell, nested, counted)
        flat.append(out)
        names.update(dict.fromkeys(out))
    if not names:
        raise HeaderOnly(path.name, columns=[], count=0)
    facts = Facts()
    labels, repeated = unique([str(key) for key in names])
    columns = [[_number(row.get(key)) for row in flat] for key in names]
    import pandas as pd  # after the shape is known to be a table

    frame = pd.DataFrame(type_columns(labels, columns, facts))
    told = [*notes]
    if nested:
        told.append(Note("nested_objects", {"columns": sorted(set(nested))}))
    if counted:
        told.append(
            Note(
                "nested_lists",
                {"columns": {key: f"({n} items)" for key, n in counted.items()}, "items": counted},
            )
        )
    if repeated:
        told.append(Note("duplicate_headers", {"columns": repeated}))
    if empty := [str(column) for column in frame.columns[frame.isna().all()]]:
        told.append(Note("empty_columns", {"columns": empty}))
    told += facts.notes()
    return Table(title, path.name, frame, tuple(told))


def _put(out, key, cell, nested, counted, depth=0):
    if isinstance(cell, dict) and depth == 0 and cell:
        nested.append(key)
        for inner, item in cell.items():
            _put(out, f"{key}.{inner}", item, nested, counted, depth + 1)
    elif isinstance(cell, list):
        out[f"{key}_count"] = len(cell)
        counted[key] = counted.get(key, 0) + len(cell)
    else:
        out[key] = _scalar(cell)


def _scalar(cell):
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, (dict, list)) else cell


def _number(cell):
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
