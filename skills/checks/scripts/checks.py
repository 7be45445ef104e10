"""Checks of deliverables: every number traced, every file through the gate.

import checks
checks.check("deck.pptx")        # prints what to mend, a line each
"""

import json
from pathlib import Path

import gate
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


def report(
    paths=None, *, answer="", request="", language="en", pages=None, recalculated=None, profile="", root="."
):
    """Of some files, or of all deliverables below `root`: a dict of plain values, bounded. Never raises.

    `pages` and `recalculated`: by file, see `gate.check`. `language` is that of the run's answer.
    """
    root = Path(root)
    files = [Path(path) for path in paths] if paths is not None else deliverables(root)
    files, records = files[:MOST_FILES], read_records(root)
    tracing, failed = _traced(files, answer, request, records, profile)
    found = [*failed]
    for path in files:
        name = _name(path, root)
        found += gate.check(
            path,
            pages=(pages or {}).get(name),
            tracing=tracing,
            recalculated=(recalculated or {}).get(name),
            records=records,
            name=name,
        )
    numerals = list(getattr(tracing, "numerals", ()))
    untraced = _untraced(tracing, root)
    found.sort(key=lambda item: not item.blocking)
    return {
        "numerals": len(numerals),
        "traced": _count(getattr(tracing, "traced", 0)),
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


def _traced(files, answer, request, records, profile):
    """(what `tracing` found or None, findings about why it could not)"""
    try:
        import tracing
    except ImportError:
        return None, []
    try:
        chosen = [path for path in files if path.suffix.lower() in NUMERALS_IN]
        return tracing.trace(chosen, answer, request=request, records=records, profile=profile), []
    except Exception as error:  # whatever a hostile file made of it, the gate goes on
        detail = f"Numbers could not be traced: {one_line(f'{type(error).__name__}: {error}', 160)}."
        return None, [finding("not_checked", "", "", detail, check=14)]


def _untraced(tracing, root):
    stated = list(getattr(tracing, "asserted", None) or ())
    every = [*(getattr(tracing, "untraced", None) or ())]
    every += [item for item in stated if item not in every]
    return [
        {
            "file": _name(item.file, root),
            "place": one_line(item.place, 120),
            "text": one_line(item.text, 60),
            "asserted": item in stated,
        }
        for item in every
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


def _count(value):
    return value if isinstance(value, int) else len(value)


def _name(path, root):
    if not str(path):
        return ""
    try:
        return Path(path).resolve().relative_to(Path(root).resolve()).as_posix()
    except ValueError:
        return Path(path).name
