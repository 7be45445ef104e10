"""Checks of deliverables: every number traced, every file through the gate.

import checks
checks.check("deck.pptx")        # prints what to mend, a line each
"""

import json
from pathlib import Path

import gate
import tracing
from gate_model import finding, one_line
from gate_records import read_records

MOST = 200
"""Findings, and untraced numbers, that a report holds."""
MOST_RECORDS = 4_000
MOST_FILES = 200
MOST_VALUES = 60
"""Numbers of a table that go with its record."""
MOST_ASSUMPTIONS = 50
NUMERALS_IN = (".pptx", ".xlsx", ".docx", ".pdf", ".md", ".txt")


def report(paths=None, *, answer="", request="", pages=None, recalculated=None, profile="", root="."):
    """Of some files, or of all deliverables below `root`: a dict of plain values, bounded. Never raises.

    `pages` and `recalculated`: by file, see `gate.check`.
    """
    root = Path(root)
    files = [Path(path) for path in paths] if paths is not None else deliverables(root)
    files, records = files[:MOST_FILES], read_records(root)
    traced, failed = _traced(files, answer, request, records, profile, root)
    found = [*failed]
    for path in files:
        name = _name(path, root)
        found += gate.check(
            path,
            pages=(pages or {}).get(name),
            tracing=traced,
            recalculated=(recalculated or {}).get(name),
            records=records,
            name=name,
        )
    untraced = _untraced(traced)
    found.sort(key=lambda item: not item.blocking)
    return {
        "numerals": getattr(traced, "numerals", 0),
        "traced": getattr(traced, "traced", 0),
        "untraced": untraced[:MOST],
        "findings": [item.as_dict() for item in found[:MOST]],
        "assumptions": _assumptions(records),
        "facts": [_slim(record) for record in records[:MOST_RECORDS]],
    }


def print_report(*args, **kwargs):
    """`report` as one line of JSON, for the host."""
    print(json.dumps(report(*args, **kwargs), ensure_ascii=True, default=str))


def check(*paths, answer="", request=""):
    """Print what is to be mended in these files, or in all; returns whether nothing stops the delivery."""
    made = report(list(paths) or None, answer=answer, request=request)
    stops = [item for item in made["findings"] if item["blocking"]]
    print(f"{made['traced']} of {made['numerals']} numbers traced; {len(stops)} findings to mend")
    for item in sorted(made["findings"], key=lambda item: (not item["blocking"], item["check"])):
        mark = "MEND" if item["blocking"] else "maybe"
        where = ": ".join(filter(None, (item["file"], item["place"])))
        print(f"{mark} [{item['check']} {item['code']}] {where}: {item['detail']}")
    return not stops


def deliverables(root="."):
    """Files below a folder that are judged or hold numbers; records and hidden files are not."""
    root = Path(root)
    found = []
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if any(part.startswith(".") for part in inside.parts) or path.suffix.lower() not in gate.SUFFIXES:
            continue
        if path.is_file() and not path.is_symlink():
            found.append(path)
    return found


def _traced(files, answer, request, records, profile, root):
    """(a Tracing, or None where it failed; findings about what could not be traced)"""
    names = [_name(path, root) for path in files if path.suffix.lower() in NUMERALS_IN]
    try:
        made = tracing.trace(names, answer, request=request, records=records, profile=profile, folder=root)
    except Exception as error:  # whatever a hostile file made of it, the gate goes on
        detail = f"Numbers could not be traced: {one_line(f'{type(error).__name__}: {error}', 160)}."
        return None, [finding("not_checked", "", "", detail, check=14)]
    # what does not open at all is told by check 1
    notes = [(name, note) for name, note in made.notes if not note.startswith("unreadable")]
    return made, [
        finding("not_checked", name, "", f"Of its numbers: {note}.", check=14) for name, note in notes
    ]


def _untraced(traced):
    """Plain values of the numbers that nothing accounts for, and then of those that a script stated."""
    return [
        {
            "file": item.file,
            "place": one_line(item.place, 120),
            "text": one_line(item.text, 60),
            "asserted": asserted,
            "detail": one_line(getattr(item, "detail", ""), 160),
        }
        for asserted, items in (
            (False, getattr(traced, "untraced", ())),
            (True, getattr(traced, "asserted", ())),
        )
        for item in items
    ]


def _assumptions(records):
    said = [record.get("text") or record.get("value") for record in records if record["kind"] == "assumption"]
    lines = [one_line(text, 300) for text in said if isinstance(text, str) and text.strip()]
    return list(dict.fromkeys(lines))[:MOST_ASSUMPTIONS]


def _slim(record):
    values = record.get("values")
    if isinstance(values, list) and len(values) > MOST_VALUES:
        return {key: value for key, value in record.items() if key not in ("values", "labels")} | {
            "cut": True
        }
    return record


def _name(path, root):
    """Relative to the root where it lies below it."""
    try:
        return Path(path).resolve().relative_to(Path(root).resolve()).as_posix()
    except ValueError:
        return str(path)
