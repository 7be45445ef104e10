"""The records of facts that scripts left in out/.deckhand/facts, as far as they are what they should be."""

import json
from pathlib import Path

FOLDER = Path(".deckhand") / "facts"
MOST_FILES = 200
MOST_BYTES = 32 * 2**20
MOST_RECORDS = 20_000


def read_records(root):
    """Dicts with a `kind`, in the order in which they were written; what is damaged is passed over."""
    folder = Path(root) / FOLDER
    records, size = [], 0
    try:
        paths = sorted(folder.glob("*.jsonl"))[:MOST_FILES]
    except OSError:
        return []
    for path in paths:
        try:
            size += path.stat().st_size
            text = path.read_text(encoding="utf-8", errors="replace") if size <= MOST_BYTES else ""
        except OSError:
            continue
        for line in text.splitlines():
            record = _record(line)
            if record is not None and len(records) < MOST_RECORDS:
                records.append(record)
    return records


def of_target(records, file):
    """Those that were drawn in one deliverable."""
    name = Path(file).name
    return [record for record in records if Path(str(record.get("target") or "")).name == name]


def _record(line):
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("kind"), str) else None
