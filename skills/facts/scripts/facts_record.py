"""A record: what is known of one number, or of the numbers of one table, as the ledger keeps it."""

import facts_ledger
from facts_caller import caller
from facts_run import current, rounded
from facts_text import Fact, default_digits, shown
from facts_values import MAX_LABELS, MAX_VALUES, label, text

MAX_COLUMNS, MAX_FILES = 100, 50


def write(
    kind,
    id,
    *,
    value=None,
    unit="",
    digits=None,
    numbers=(),
    labels=(),
    expression="",
    rows=None,
    columns=(),
    files=(),
    source="",
    target="",
    doubt="",
    where=None,
):
    """Write it and return its text. What is in doubt is written as asserted, and told to the author."""
    where = caller() if where is None else where
    digits = default_digits(value, unit) if digits is None else digits
    written = "" if value is None else shown(value, unit, digits, current().words)
    if doubt and kind != "drawn":
        kind, source = "asserted", doubt
    record = {
        "kind": kind,
        "id": label(id),
        "value": value,
        "unit": text(unit),
        "digits": digits,
        "text": text(written),
        "expression": text(expression),
        "rows": rows,
        "columns": [label(name) for name in columns][:MAX_COLUMNS],
        "labels": list(labels)[:MAX_LABELS],
        "values": list(numbers)[:MAX_VALUES],
        "files": list(files)[:MAX_FILES],
        "script": text(where.script),
        "line": where.line,
        "code": text(where.code),
        "source": text(source),
        "target": text(target),
        "traced": kind != "asserted" and not doubt,
    }
    if len(numbers) > MAX_VALUES or len(labels) > MAX_LABELS:
        record["cut"] = True
    facts_ledger.write(record)
    run = current()
    if record["traced"]:
        run.remember(value, numbers)
    if doubt:
        run.tell(f"{record['id']} counts as asserted, not traced: {doubt}")
    return Fact(written, id=record["id"], value=value, unit=unit, digits=digits)


def known():
    """Sets of the numbers of traced records: of this run, and of scripts before it."""
    run = current()
    if run.earlier is None:
        run.earlier = set()
        for record in facts_ledger.read(others=True):
            if record.get("traced") is True:
                values = record.get("values")
                for item in [record.get("value"), *(values if isinstance(values, list) else [])]:
                    if isinstance(item, (int, float)) and not isinstance(item, bool):
                        run.earlier.add(rounded(item))
    return run.known, run.earlier
