"""Names of the data: numbers that are part of one, and which number a table has under which name."""

import re
from collections import defaultdict

from numerals_text import clean

MAX_LABELS = 60_000
MAX_TABLE = 1_000
"""Numbers of a table whose names are told from each other."""
MAX_LABEL = 1_000
MAX_WORDS = 6
"""A longer text is no name: what it says of numbers is to be traced."""
AMOUNT = re.compile(
    r"[\s(+\-−–~≈<>]*[$€£₽¥]?\s?\d[\d.,\u00a0 '’]*\s?(?:%|[$€£₽¥]|п\.п\.|pp|[kKMB]|тыс\.?|млн)?[\s)]*"
)
LONE = re.compile(r"\d+")
CODE = 5
"""So many digits and more are a code when the data has it as a name."""


def plain(text):
    return " ".join(clean(str(text)).replace("–", "-").replace("—", "-").lower().split())


class Labels:
    """All names that are registered, and sentences that may be repeated: assumptions, texts of facts."""

    def __init__(self, records):
        self.by_digits = defaultdict(set)
        self.codes, self.dimensions, self.quantiles = set(), set(), set()
        room = MAX_LABELS
        for record in records:
            names = [*record.labels, *record.columns, record.id]
            if isinstance(record.value, str):
                names.append(record.value)
            self.dimensions |= {plain(one) for one in record.columns}
            if {"min", "max"} <= set(record.labels):  # what describe() gives has rows named 25%, 50%, 75%
                self.quantiles |= {
                    one for one in record.labels if AMOUNT.fullmatch(one) and one.endswith("%")
                }
            for name in names:
                room -= 1
                if room < 0:
                    break
                self._add(name, record.kind == "assumption")

    def _add(self, name, sentence):
        text = plain(name)
        if not sentence and text.count(" ") >= MAX_WORDS:
            return
        if LONE.fullmatch(text):
            self.codes.add(text)
        elif len(text) <= MAX_LABEL and not AMOUNT.fullmatch(text):
            for digits in LONE.findall(text):
                self.by_digits[digits].add(text)

    def hold(self, numeral):
        """Whether the numeral is part of a name, or is one."""
        if numeral.exact or re.search(r"(?<!\w)n\s?=\s?$", numeral.context[: numeral.start], re.IGNORECASE):
            return False
        digits = LONE.findall(numeral.text)
        if not digits:
            return False
        if numeral.text in self.quantiles and numeral.context.strip() == numeral.text:
            return True
        bare = LONE.fullmatch(numeral.text)
        if bare and numeral.text in self.codes and (len(numeral.text) >= CODE or self._named(numeral)):
            return True
        names = self.by_digits.get(digits[0])
        if not names:
            return False
        before = plain(numeral.context[: numeral.start] + "\x00")
        at = len(before.rstrip("\x00"))
        line = plain(numeral.context)
        return any(_covers(line, name, at, len(plain(numeral.text))) for name in names)

    def _named(self, numeral):
        """`Store 45`: the name of a column stands before or after."""
        word = re.search(r"([^\W\d_]+)[ \u00a0]?[#№]?$", numeral.context[: numeral.start])
        return any(one and one.lower() in self.dimensions for one in (word[1] if word else "", numeral.noun))


def _covers(line, name, at, length):
    start = line.find(name)
    while start >= 0:
        stop = start + len(name)
        edge = not (line[start - 1 : start].isalnum() and name[0].isalnum()) and not (
            line[stop : stop + 1].isalnum() and name[-1].isalnum()
        )
        if edge and start <= at + 1 and at + length <= stop + 1:
            return True
        start = line.find(name, start + 1)
    return False


def layouts(record):
    """[(rows, columns, {(row, column): value})]: the ways in which a record's flat lists can be a table.

    Numbers come column by column; names are those of the columns, then of the rows, then of the index.
    """
    labels, values = [plain(one) for one in record.labels], record.values
    if not values or record.cut or len(values) > MAX_TABLE:
        return []
    found = []
    columns = {plain(one) for one in record.columns}
    for width in range(min(len(values), 60) + 1):
        height = len(values) // max(width, 1)
        extra = len(labels) - width - height
        if height * max(width, 1) != len(values) or not 0 <= extra <= 1:
            continue
        heads, rows = labels[:width] or [""], labels[width : width + height]
        score = _known(heads, columns) + _known(labels[width + height :], columns) - _known(rows, columns)
        cells = {
            (row, head): values[place * height + line]
            for place, head in enumerate(heads)
            for line, row in enumerate(rows)
        }
        found.append((score, (rows, heads, cells)))
    best = max((score for score, _ in found), default=0)
    tables = [table for score, table in found if score == best]
    return [table for table in tables if len(table[0]) > 1] or tables


def _known(names, columns):
    """The share of names that are columns of the frame that was computed on."""
    return sum(name in columns for name in names) / len(names) if names else 0.0
