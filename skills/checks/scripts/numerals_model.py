"""A number as somebody wrote it, and what was found in one file."""

import time
from dataclasses import dataclass, field, replace

CLAIM = "claim"
"""It says something about the data."""
WEAK = "weak"
"""It may: `5 reasons`, `up to 16`. Nobody is told when nothing accounts for it."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """`value` is in plain units: `38.4%` is 0.384 and `1.2M` 1,200,000; `step` is one unit of the last digit
    that was written, in the same units. Any other `kind` than CLAIM and WEAK names a structure: a date, a
    page number, a version.
    """

    file: str
    place: str
    """For a person: `slide 4, notes`."""
    text: str
    value: float
    unit: str = ""
    """ "%", "pp", "×", a currency sign, a measure such as "days", or nothing."""
    decimals: int = 0
    context: str = ""
    """The line it stands in."""
    step: float = 1.0
    other: tuple = ()
    """(value, step) of the second way to read it: 1,234 may be a thousand, or little more than one."""
    kind: str = CLAIM
    start: int = 0
    """Where `text` begins in `context`."""
    noun: str = ""
    """The word that follows it."""
    manner: str = ""
    """What the words before it say of how exact it is: "about", "over", "under"."""
    scaled: bool = False
    """Its own words name thousands or millions."""
    around: str = ""
    """What else is written near it: the title of the slide, the heads of row and column."""
    labels: tuple = ()
    """Of a cell or a point of a chart: the names it stands under."""
    exact: bool = False
    """A cell's or a chart's own value, not written by anybody's rounding."""
    parts: tuple = ()
    """`314 233` may be two numbers after all."""

    @property
    def claims(self):
        return self.kind in (CLAIM, WEAK)

    @property
    def readings(self):
        return ((self.value, self.step), *((self.other,) if self.other else ()))


MAX_SECONDS = 45
"""For one file; what is left then stays unread, and is told."""


@dataclass(slots=True)
class Extraction:
    """`notes` says what could not be read, or was left out by a limit."""

    file: str
    numerals: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    until: float = field(default_factory=lambda: time.monotonic() + MAX_SECONDS)

    def late(self, what):
        """Whether the time is over; `what` then names the part of the file that is not read."""
        if time.monotonic() < self.until:
            return False
        self.notes.append(f"{what} not read: it would take too long")
        return True

    def add(self, numerals, **changes):
        self.numerals += [replace(one, file=self.file, **changes) for one in numerals]


class Unreadable(Exception):
    """The file is broken, locked, or larger than what may be unpacked."""
