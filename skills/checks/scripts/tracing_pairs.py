"""Right numbers under wrong names: what a table has for 2014 stands beside 2013."""

import re
from collections import defaultdict
from functools import partial

from tracing_labels import layouts, plain
from tracing_sheets import same_file

MAX_ROWS = 200
"""Names of one table that are looked for in a line."""
MAX_IN_LINE = 40
"""Numbers of a line that names are given to; a line with more is no sentence."""
NEAR = 40
"""Characters between a name and its number."""
SIZE = re.compile(r"\s*\(?\bn\s?=\s?[\d \u00a0.,]+\)?\s*$")
SAID = re.compile(r" ?[\w-]* ?[:=(—–]")
AGAINST = re.compile(
    r"\b(?:than|previous|vs|versus|against|beat\w*|above|below|over|ahead|behind|not|чем|против|прошл\w+|предыдущ\w+"
    r"|больше|меньше|выше|ниже|опере\w+|обо[гш]\w+|кроме|except)\b"
)


class Pairs:
    def __init__(self, records):
        self.tables = [
            (record, table)
            for record in records
            if record.kind != "asserted" and record.traced
            for table in layouts(record)
        ]
        self.by_name, self.by_record = defaultdict(list), defaultdict(list)
        for number, (record, (rows, heads, _)) in enumerate(self.tables):
            self.by_record[id(record)].append(number)
            for name in {*rows, *heads}:
                self.by_name[name].append(number)

    def cell(self, numeral, siblings, agrees):
        """ "right", "swapped" or "" (nothing is known) of a number under names in a table or chart, and what
        the table has there.

        `siblings`: the names of all its rows, by `row_name`. `agrees(value, record, numeral)`: whether it is
        that number.
        """
        names = [row_name(name) for name in numeral.labels]
        wrong = None
        for record, (_, heads, cells) in self._like(names[0], siblings):
            there = _cells(names, heads, cells)
            if any(agrees(value, record, numeral) for value in there):
                return "right", None
            drawn = "cell" not in numeral.place and record.kind == "drawn" and same_file(record, numeral)
            if there and (drawn or any(agrees(value, record, numeral) for value in cells.values())):
                wrong = wrong or (record, names[0], there[0])
        return ("swapped", wrong) if wrong else ("", None)

    def _like(self, name, siblings):
        """Tables with that name; of a record with several layouts, those with the same rows."""
        found = defaultdict(list)
        for number in self.by_name.get(name, ()) if name else ():
            record, table = self.tables[number]
            found[id(record)].append((record, table))
        for ways in found.values():
            same = [(record, table) for record, table in ways if siblings.issuperset(table[0])]
            yield from same or ways

    def line(self, numeral, neighbours, hits, agrees):
        """The same of a number in a sentence: (record, name, its number), or None.

        `neighbours`: all numerals of the line; `hits`: what accounts for this one.
        """
        neighbours = list({one.start: one for one in neighbours}.values())
        if len(neighbours) > MAX_IN_LINE:
            return None
        wrong = None
        for ways in self._tables_of(hits):
            told = []
            for record, (rows, heads, cells) in ways:
                belongs = partial(_among, record, cells, agrees)
                name = _beside(numeral, neighbours, rows, belongs) if len(rows) <= MAX_ROWS else None
                there = [cells[name, head] for head in heads if (name, head) in cells]
                if any(agrees(value, record, numeral) for value in there):
                    return None
                told.append((record, name, there[0]) if there else None)
            if all(told):  # where a record may be read in two ways, both must say so
                wrong = wrong or told[0]
        if wrong and not self._elsewhere(numeral, wrong[1], agrees) and not _told(hits, wrong[1]):
            return wrong
        return None

    def _tables_of(self, hits):
        """The ways to read each record that has the number."""
        owners = dict.fromkeys(id(hit.record) for hit in hits if hit.entry.position >= 0)
        return [
            [self.tables[number] for number in self.by_record[owner]]
            for owner in owners
            if owner in self.by_record
        ]

    def _elsewhere(self, numeral, name, agrees):
        """Whether any table has the number under this name."""
        for number in self.by_name.get(name, ()):
            record, (_, _, cells) = self.tables[number]
            if any(name in key and agrees(value, record, numeral) for key, value in cells.items()):
                return True
        return False


def row_name(text):
    """A name as tables are searched for it, without the size of the group that a chart adds."""
    return SIZE.sub("", plain(text))


def _cells(names, heads, cells):
    row, head = names[0], names[1] if len(names) > 1 else ""
    if (row, head) in cells:
        return [cells[row, head]]
    if (head, row) in cells:
        return [cells[head, row]]
    found = [cells[row, one] for one in heads if (row, one) in cells]
    return found if len(found) == 1 else []


def _among(record, cells, agrees, numeral):
    return any(agrees(value, record, numeral) for value in cells.values())


def _told(hits, name):
    """Whether a fact that is the number speaks of the name itself."""
    return any(hit.entry.position < 0 and name in plain(hit.record.hints.replace("_", " ")) for hit in hits)


def _beside(numeral, neighbours, rows, belongs):
    """The name that a sentence gives to a number, where names and numbers take turns or come in two rows."""
    line = plain(numeral.context)
    marks = [(one.start, "n", one) for one in neighbours if one.kind == "claim" and belongs(one)]
    taken = [(one.start, one.start + len(one.text)) for _, _, one in marks]
    for name in rows:
        marks += [
            (start, "l", name)
            for start in _places(name, line, neighbours)
            if not any(begin < start + len(name) and start < end for begin, end in taken)
        ]
    marks.sort(key=lambda mark: mark[0])
    shape = "".join(kind for _, kind, _ in marks)
    place = next(
        (index for index, (_, kind, one) in enumerate(marks) if kind == "n" and one.start == numeral.start),
        None,
    )
    if place is None:
        return None
    half = len(shape) // 2
    if re.fullmatch("(?:ln)+", shape):
        other = place - 1
    elif re.fullmatch("(?:nl)+", shape):
        other = place + 1
    elif shape == "l" * half + "n" * half:
        return marks[place - half][2]
    else:
        return None
    first, last = sorted((marks[place], marks[other]), key=lambda mark: mark[0])
    begin = first[0] + len(first[2] if first[1] == "l" else first[2].text)
    between = line[begin : last[0]]
    if len(between) > NEAR or AGAINST.search(between) or re.search(r"[.!?;] ", between):
        return None
    return marks[other][2]


def _places(name, line, neighbours):
    """Where a sentence has a name. One that is a number is there as a year, in order (`3rd class`), or as a
    small number that something else is said of (`3: 24.2%`, `3 класс — 24,2 %`)."""
    if not name.isdigit():
        return (
            [match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", line)]
            if len(name) > 1
            else []
        )
    return [
        one.start
        for one in neighbours
        if one.text.strip() == name
        and (
            one.kind in ("year", "date", "ordinal")
            or (one.kind == "weak" and SAID.match(line[one.start + len(name) :]))
        )
    ]
