"""Tables and lists that show a registered table under names of their own: translated, shortened, ranked."""

import re
from collections import defaultdict

MANY = 60
"""Numbers of a table that a reader takes in as one."""
CLAUSE = re.compile(r"[;:.!?](?=\s)")
FEWEST, FEWEST_SAID = 2, 3
"""Numbers of a column, and of a clause, that are no chance together."""


def shown(claims, hits):
    """Ids of the numerals whose column, row or clause shows numbers of one registered table, each place of
    it once, in its order or ranked.

    `claims`: those of one file; `hits(numeral)`: what may account for one. A wrong number would have to be
    another one of the same table, and two that were swapped are neither in its order nor ranked.
    """
    lines = defaultdict(list)
    for one in claims:
        if not one.labels:
            clause = len(CLAUSE.findall(one.context[: one.start]))
            lines[one.place, one.context, clause, one.unit].append(one)
        place = one.place.partition(", row")[0].partition(", cell")[0]
        for side, name in enumerate(one.labels[:2]):
            lines[place, side, name].append(one)
    done = set()
    for line in lines.values():
        fewest = FEWEST if line[0].labels else FEWEST_SAID
        if fewest <= len(line) <= MANY:
            done |= _line(line, hits, fewest)
    return done


def _line(line, hits, fewest):
    places = defaultdict(dict)
    for number, one in enumerate(line):
        for hit in hits(one):
            record, place = hit.record, hit.entry.position
            if place >= 0 and record.kind != "asserted" and record.traced and len(record.values) <= MANY:
                places[id(record)].setdefault(number, (place, hit.entry.value))
    done = set()
    for found in places.values():
        spots = [found[number] for number in sorted(found)]
        if len(found) * 2 > len(line) and len(found) >= fewest and _in_order(spots):
            done |= {id(line[number]) for number in found}
    return done


def _in_order(spots):
    """Whether (position, value) pairs keep the positions' order, or that of the values."""
    positions, values = [spot[0] for spot in spots], [spot[1] for spot in spots]
    if len(set(positions)) < len(positions):
        return False
    ranked = len(values) > FEWEST and values in (sorted(values), sorted(values, reverse=True))
    return positions == sorted(positions) or ranked
