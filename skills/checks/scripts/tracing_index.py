"""Registered numbers in order, to be found by value."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from tracing_records import is_number
from tracing_units import of_record

SCALAR = -1
ROWS = -2
"""In place of a position among a record's values: its one value, the count of rows it is computed from."""
MAX_HITS = 400
REACH = 40
"""Numbers of the same precision side by side that are looked at as a neighbourhood."""


@dataclass(frozen=True, slots=True)
class Entry:
    value: float
    unit: str
    record: int
    position: int


class Index:
    def __init__(self, records):
        entries = []
        for number, record in enumerate(records):
            unit, factor = of_record(record.unit)
            if is_number(record.value):
                entries.append(Entry(record.value * factor, unit, number, SCALAR))
            if is_number(record.rows) and record.kind != "asserted":
                entries.append(Entry(record.rows, "", number, ROWS))
            entries += [
                Entry(value * factor, unit, number, place) for place, value in enumerate(record.values)
            ]
        self.entries = sorted(entries, key=lambda one: one.value)
        self.values = [one.value for one in self.entries]
        plain = {number for number, record in enumerate(records) if record.kind != "computed"}
        self.distinct = {
            (share, stated): sorted(
                {
                    one.value
                    for one in self.entries
                    if (one.unit == "%") is share and (one.record in plain or not stated)
                }
            )
            for share in (True, False)
            for stated in (True, False)
        }
        self.crowds = {}

    def between(self, low, high):
        start, stop = bisect_left(self.values, low), bisect_right(self.values, high)
        return self.entries[start : min(stop, start + MAX_HITS)]

    def crowd(self, value, step, unit, *, stated=False):
        """Which share of the numbers that could be written near `value` is registered in a like unit: the
        chance of a wrong one to be taken for right. `stated`: by scripts themselves, without what standard
        calculations register by the hundred."""
        if not abs(value) < step * 1e12:
            return 0.0
        stretch = int(value // (step * REACH))
        key, numbers = (step, stretch, unit == "%", stated), self.distinct[unit == "%", stated]
        if key not in self.crowds:
            low = stretch * step * REACH
            start, stop = bisect_left(numbers, low), bisect_right(numbers, low + step * REACH)
            kept = numbers[start : min(stop, start + MAX_HITS * REACH)]
            self.crowds[key] = len({round((one - low) / step) for one in kept}) / REACH
        return self.crowds[key]

    def nearest(self, value, fits):
        """The entry that is closest to `value` of those that fit, within a fifth of it; or None."""
        place, best = bisect_left(self.values, value), None
        for walk in (
            range(place, min(place + 200, len(self.values))),
            range(place - 1, max(place - 201, -1), -1),
        ):
            for index in walk:
                one = self.entries[index]
                far = abs(one.value - value)
                if far > abs(value) * 0.2 or (best is not None and far >= abs(best.value - value)):
                    break
                if fits(one):
                    best = one
        return best
