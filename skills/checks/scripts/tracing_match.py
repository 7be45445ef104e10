"""Whether a registered number is what a numeral says: rounded as it is written, in a unit that fits."""

import re
from dataclasses import dataclass

from numerals_words import FALL, PERCENT, SCALE, scale_of
from tracing_index import ROWS, Index
from tracing_labels import plain
from tracing_sheets import same_file
from tracing_units import CURRENCIES, share, wanted

CROWDED = 0.15
"""Where so large a share of possible numbers is registered, a match may be chance: words must agree."""
MANY = 60
"""Numbers of a table that a reader takes in as one."""
LOOSE = 2
"""Significant digits of a number that `about` or `more than` may stand before."""
ABOUT, BEYOND = 0.025, 0.1


@dataclass(frozen=True, slots=True)
class Hit:
    """`firm` when nothing but the number was needed to tell it."""

    entry: object
    record: object
    firm: bool


class Matcher:
    def __init__(self, records):
        self.records = records
        self.index = Index(records)
        self.words = {}

    def hits(self, numeral):
        """Registered numbers that account for a numeral, those with the best claim first."""
        found = []
        for reading in numeral.readings:
            for units, value, step, said in self._wanted(numeral, *reading):
                for low, high, sign in _spans(numeral, value, step):
                    for entry in self.index.between(low, high):
                        record = self.records[entry.record]
                        if self._fits(numeral, entry, record, units, said, value, sign):
                            found.append(Hit(entry, record, self._firm(numeral, entry, record, value, step)))
        return sorted(
            found,
            key=lambda hit: (not hit.firm, hit.record.kind == "asserted", hit.entry.position < ROWS + 1),
        )

    def nearest(self, numeral):
        """(record, entry) of the closest number in a fitting unit, or None: what may have been meant."""
        best = None
        for units, value, _, said in self._wanted(numeral, numeral.value, numeral.step):
            entry = self.index.nearest(
                value,
                lambda one, units=units, said=said, value=value: self._fits(
                    numeral, one, self.records[one.record], units, said, value, 1
                ),
            )
            if entry is not None and value and (best is None or abs(entry.value / value - 1) < best[0]):
                best = (abs(entry.value / value - 1), self.records[entry.record], entry)
        return best[1:] if best else None

    def _wanted(self, numeral, value, step):
        """Readings of one value by units; heads of tables and axes say thousands for all below."""
        found = list(wanted(numeral.unit, value, step))
        above = f"{' '.join(numeral.labels)} {numeral.around if numeral.labels else ''}"
        if numeral.labels and not numeral.unit and PERCENT.search(above):
            found += wanted("%", value / 100, step / 100)[:2]
        if numeral.labels and not numeral.scaled and (match := SCALE.search(above)):
            factor = scale_of(match)
            found += [
                (units, one * factor, size * factor, said)
                for units, one, size, said in wanted(numeral.unit, value, step)
            ]
        return found

    def _fits(self, numeral, entry, record, units, said, value, sign):
        if units is not None and entry.unit not in units:
            return False
        if units is None and entry.unit in ("%", "pp") and not numeral.exact and abs(entry.value) > 1.5:
            return False
        if entry.position == ROWS and numeral.unit and numeral.unit not in ("", "×"):
            return False
        if said == "share" and not (
            share(entry.value) and isinstance(entry.value, (float, int)) and entry.position != ROWS
        ):
            return False
        if said not in (None, "share") and not said.search(record.hints):
            return False
        if numeral.unit == "%" and said == "share" and entry.value in (0, 1) and record.kind == "fact":
            return False
        if sign < 0 and not (entry.value < 0 < value and FALL.search(f"{numeral.context} {record.hints}")):
            return False
        return not (numeral.unit in CURRENCIES and numeral.unit and entry.position == ROWS)

    def _firm(self, numeral, entry, record, value, step):
        if record.kind in ("fact", "asserted") and entry.position < 0:
            return True
        if same_file(record, numeral) and (numeral.exact or len(record.values) <= MANY):
            return True
        stated = record.kind != "computed"
        alike = numeral.unit != "%" or entry.unit == "%" or (stated and share(entry.value))
        lonely = alike and self.index.crowd(value, step, entry.unit, stated=stated) < CROWDED
        return lonely or self._told(numeral, entry, record)

    def _told(self, numeral, entry, record):
        """Whether a word of the record stands near the numeral."""
        if entry.record not in self.words:
            names = [record.id, *record.columns, *record.labels[:200], record.unit]
            self.words[entry.record] = stems(" ".join(names))
        return bool(
            self.words[entry.record] & stems(f"{numeral.context} {numeral.around} {' '.join(numeral.labels)}")
        )


def stems(text):
    """Beginnings of words, so that `women` and `women's`, `выживших` and `выжившие` are the same."""
    return {
        word[:5] for word in re.findall(r"[^\W\d_]{3,}", plain(text.replace("_", " "))) if word not in COMMON
    }


COMMON = frozenset(
    ("the", "and", "for", "with", "from", "that", "this", "all", "not", "are", "was", "mean", "sum", "count")
)


def significant(numeral):
    digits = re.sub(r"\D", "", numeral.text).lstrip("0")
    return len(digits.rstrip("0")) if not numeral.decimals else len(digits)


def _spans(numeral, value, step):
    """(low, high, sign) of what may be written so; the second span is of its negative."""
    slack = step / 2 * (1 + 1e-6) + abs(value) * 1e-9
    if numeral.exact:
        rounded = numeral.decimals <= 6 and (step < 1 or abs(value) >= 1_000)
        slack = step / 2 * (1 + 1e-6) if rounded else abs(value) * 1e-9 + 1e-12
    low, high = value - slack, value + slack
    if numeral.manner and significant(numeral) <= LOOSE:
        size = abs(value)
        if numeral.manner == "about":
            low, high = min(low, value - ABOUT * size), max(high, value + ABOUT * size)
        elif numeral.manner == "over":
            high = max(high, value + BEYOND * size)
        else:
            low = min(low, value - BEYOND * size)
    spans = [(low, high, 1)]
    if value > 0 and not numeral.exact and not numeral.text.startswith("+"):
        spans.append((-high, -low, -1))
    return spans
