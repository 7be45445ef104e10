"""The profile for a reader: one line a column, notes below."""

import documents

LONGEST_NAME = 200


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
    rows = f"{table['rows']} rows"
    if "of_rows" in table:
        rows = f"a sample of {table['rows']} of {table['of_rows']} rows"
    facts = [f"{rows} x {table['columns']} columns"]
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
        yield from ("- row: " + _row(row) for row in table["cells"])
    elif like := next((other for other in earlier if _alike(other, table)), None):
        yield f"- columns as in [{like['name']}]{_apart(like, table)}"
    else:
        rows = table.get("first_rows", ())
        yield from (f"- {_name(field['name'])}: {_field_text(field, not rows)}" for field in table["fields"])
        yield from ("- row: " + _row(row) for row in rows)
    if other := table.get("other_columns"):
        kinds = ", ".join(f"{count} {name}" for name, count in other["by_kind"].items())
        yield f"- and {other['count']} more columns ({kinds}), the last is {other['last']}"
    for note in table["notes"]:
        yield f"* {note['text']}"


def _row(cells):
    return " | ".join("" if cell is None else str(cell) for cell in cells)


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


def _field_text(field, examples):
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
    if examples and "sample" in field:
        parts.append("e.g. " + "; ".join(str(value) for value in field["sample"]))
    return ", ".join(parts)
