"""Compares the facts of a bundle with those that its scripts have stated now. Standard library alone.

Arguments: facts.json, and the folder out/. Prints `identical`, or a line for each fact that is another.
"""

import json
import math
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

MAX_VALUES = 2_000
"""As in agent/factbook.py: numbers that are kept of one table."""
Record = Mapping[str, Any]


def by_key(records: Iterable[Record]) -> dict[tuple[str, ...], Record]:
    """As in agent/rerun.py: those of one key are counted in their order."""
    found: dict[tuple[str, ...], Record] = {}
    seen: dict[tuple[str, ...], int] = {}
    for record in records:
        key = tuple(str(record.get(name, "")) for name in ("kind", "script", "id", "target"))
        seen[key] = seen.get(key, 0) + 1
        found[*key, str(seen[key])] = record
    return found


def ledgers(out: Path) -> Iterable[Record]:
    for path in sorted(out.glob(".deckhand/facts/*.jsonl")):
        for line in path.read_text("utf-8", "replace").split("\n"):
            with suppress(ValueError, TypeError, RecursionError):  # no fact: our library did not write it
                record = json.loads(line)
                yield {**record, "values": (record.get("values") or [])[:MAX_VALUES]}


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def same(one: Record, other: Record) -> bool:
    values: list[Any] = one.get("values") or []
    others: list[Any] = other.get("values") or []
    return (
        one.get("text", "") == other.get("text", "")
        and equal(one.get("value"), other.get("value"))
        and len(values) == len(others)
        and all(map(equal, values, others))
    )


def shown(record: Record | None) -> str:
    return "—" if record is None else plain(record.get("text") or record.get("value"))


def plain(text: Any) -> str:
    """One short line, in which nothing steers a terminal."""
    return "".join(mark if mark.isprintable() else " " for mark in str(text)[:80])


def main(kept: str, out: str) -> int:
    before, after = by_key(json.loads(Path(kept).read_text("utf-8"))), by_key(ledgers(Path(out)))
    other = [
        key
        for key in dict.fromkeys([*before, *after])
        if key not in before or key not in after or not same(before[key], after[key])
    ]
    for key in other:
        sys.stdout.write(f"{plain(key[2] or key[0])}: {shown(before.get(key))} → {shown(after.get(key))}\n")
    sys.stdout.write("different\n" if other else f"identical: {len(before)} facts\n")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
