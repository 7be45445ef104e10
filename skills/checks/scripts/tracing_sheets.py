"""Cells of long tables: frames that are too long to be registered whole, and rows as they came in."""

import re
from collections import Counter

from tracing_inputs import numbers_of_inputs, texts_of_inputs
from tracing_labels import plain

_CELL = re.compile(r"sheet .*, cell [A-Z]+\d+$", re.DOTALL)
FEW = 200
"""Up to so many cells that nothing accounts for, nothing is read again."""
COVERED = 0.98
"""Where so large a share of a column is registered, the rest of it should be."""


def explained(left, found, records):
    """Which of the cells in `left` (numerals) are accounted for after all: (set of ids, notes)."""
    cells, done, notes = [one for one in left if one.exact], _as_came_in(left), []
    if len(cells) < FEW:
        return done, notes
    for record in records:
        if record.cut and record.traced and record.kind == "drawn" and same_file(record, cells[0]):
            beyond = _beyond(record, [one for one in cells if id(one) not in done], found)
            if beyond:
                done |= beyond
                notes.append(f"{len(beyond)} cells lie beyond what was registered of {record.id}")
    rest = [one for one in cells if id(one) not in done]
    if len(rest) >= FEW:
        numbers = numbers_of_inputs()
        done |= {id(one) for one in rest if round(one.value, 6) in numbers}
    return done, notes


def _as_came_in(left):
    """Ids of numbers within a cell's text that is word for word one of the data: `Labels, 5000 a set`."""
    texts = [one for one in left if not one.exact and _CELL.match(one.place)]
    known = texts_of_inputs() if texts else ()
    return {id(one) for one in texts if plain(one.context) in known}


def same_file(record, numeral):
    """Whether the record says what that deliverable shows."""
    return bool(record.target) and record.target.rsplit("/", 1)[-1] == numeral.file.rsplit("/", 1)[-1]


def _beyond(record, cells, found):
    """Ids of cells in columns that were registered in part, or not at all: the first columns of a frame are
    registered whole, then one in part, and those after it belong to the same table."""
    values = {round(value, 9) for value in record.values}
    heads = {plain(one) for one in record.labels}
    columns, known = Counter(), Counter()
    for one in found:
        if one.exact and one.claims:
            columns[_column(one)] += 1
            known[_column(one)] += round(one.value, 9) in values
    sheets = Counter()
    for key, count in known.items():
        sheets[key[0]] += count
    sheet = max(sheets, key=sheets.__getitem__, default="")
    if sheets[sheet] < len(record.values) * COVERED:
        return set()
    return {
        id(one)
        for one in cells
        if (key := _column(one))[0] == sheet and key[1] in heads and known[key] < columns[key] * COVERED
    }


def _column(one):
    return one.place.partition(", cell")[0], plain(one.labels[1]) if len(one.labels) > 1 else ""
