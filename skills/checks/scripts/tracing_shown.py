"""Tables and lists that show a registered table under names of their own: translated, shortened, ranked."""

import re
from collections import defaultdict

MANY = 60
"""Numbers of a table that a reader takes in as one."""
CLAUSE = re.compile(r"[;:.!?](?=\s)")
FEWEST, FEWEST_ALONG = 2, 3
"""Numbers of a column, and of a row or clause, that are no chance together."""


def shown(claims, hits):
    """Ids of the numerals whose column, row or clause shows numbers of one registered table, each place of
    it once, in its order or ranked.

    `claims`: those of one file; `hits(numeral)`: what may account for one. A wrong number would have to be
    another one of the same table, and two that were swapped are neither in its order nor ranked.
    """
    columns, rows = defaultdict(list), defaultdict(list)
    for one in claims:
        place = one.place.partition(", row")[0].partition(", cell")[0]
        if len(one.labels) > 1:
            columns[place, one.labels[1]].append(one)
        if one.labels:
            rows[place, one.labels[0]].append(one)
        else:
            clause = len(CLAUSE.findall(one.context[: one.start]))
            rows[one.place, one.context, clause, one.unit].append(one)
    done = set()
    for line in columns.values():
        done |= _line(line, hits, FEWEST, _in_order)
    for line in rows.values():
        done |= _line(line, hits, FEWEST_ALONG, _side_by_side)
    return done


def _line(line, hits, fewest, agree):
    if not fewest <= len(line) <= MANY:
        return set()
    places = defaultdict(dict)
    for number, one in enumerate(line):
        for hit in hits(one):
            record, place = hit.record, hit.entry.position
            if place >= 0 and record.kind != "asserted" and record.traced and len(record.values) <= MANY:
                places[id(record)].setdefault(number, (place, hit.entry.value))
    done = set()
    for found in places.values():
        spots = [found[number] for number in sorted(found)]
        if len(found) * 2 > len(line) and len(found) >= fewest and agree(spots):
            done |= {id(line[number]) for number in found}
    return done


def _in_order(spots):
    """Whether (position, value) pairs keep the positions' order, or that of the values."""
    positions, values = [spot[0] for spot in spots], [spot[1] for spot in spots]
    if len(set(positions)) < len(positions):
        return False
    ranked = len(values) > FEWEST and values in (sorted(values), sorted(values, reverse=True))
    return positions == sorted(positions) or ranked


def _side_by_side(spots):
    """Along a row stand numbers of several columns, so only neighbours of one column are in order."""
    positions = [spot[0] for spot in spots]
    return positions == list(range(positions[0], positions[0] + len(positions)))
