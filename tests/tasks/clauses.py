"""What a line of `must_have` claims, as clauses that a reading of the result fulfils or not.

A clause also knows how a result is spoilt so that it no longer holds: that is how the clauses are tested.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.tasks.numbers import Numeral, numerals, places_of
from tests.tasks.reading import Reading, Statement

NEAR = 90
"""Letters between a number and the word that says what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """That number stands in the result, and nearer to its own label than to a rival's."""

    value: float
    label: str
    """Pattern of the words that say whose number it is."""
    percent: bool = False
    about: str = ""
    """Pattern that its statement or the headings above must have besides."""
    rivals: Sequence[str] = ()
    places: int | None = None

    def holds(self, reading: Reading) -> bool:
        return any(self._said(statement) for statement in reading.statements)

    def spoil(self, text: str) -> str:
        """`text` with every writing of this number changed into another."""
        pieces: list[str] = []
        end = 0
        for numeral in numerals(text):
            if self._tells(numeral) or (self.percent and self._as_fraction(numeral)):
                pieces += [text[end : numeral.start], _other(numeral.text)]
                end = numeral.end
        return "".join([*pieces, text[end:]])

    def _said(self, statement: Statement) -> bool:
        if self.about and not _found(self.about, f"{statement.about} {statement.text}"):
            return False
        texts = [statement.text, statement.fraction] if statement.fraction else [statement.text]
        return any(
            self._tells(numeral) and self._is_its_own(text, numeral, statement.about)
            for text in texts
            for numeral in numerals(text)
        )

    def _tells(self, numeral: Numeral) -> bool:
        places = places_of(self.value) if self.places is None else self.places
        return numeral.tells(self.value, percent=self.percent, places=places)

    def _as_fraction(self, numeral: Numeral) -> bool:
        return any(abs(read - abs(self.value) / 100) <= 0.0006 for read, _ in numeral.readings)

    def _is_its_own(self, text: str, numeral: Numeral, about: str) -> bool:
        own = _distance(self.label, text, numeral)
        if own is None:
            return _found(self.label, about) and not any(_found(rival, text) for rival in self.rivals)
        others = [_distance(rival, text, numeral) for rival in self.rivals]
        return own <= NEAR and all(other is None or own <= other for other in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """One statement has all these patterns in it."""

    patterns: Sequence[str]

    def holds(self, reading: Reading) -> bool:
        return any(all(_found(p, f"{s.about} {s.text}") for p in self.patterns) for s in reading.statements)

    def spoil(self, text: str) -> str:
        return re.sub(self.patterns[-1], "…", text, flags=re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Something about the files themselves."""

    name: str
    true: Callable[[Reading], bool] = field(compare=False)
    spoilt_by: str
    """The name of a mutation of files: see `mutation`."""

    def holds(self, reading: Reading) -> bool:
        return self.true(reading)


Clause = Number | Says | Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """One of several ways to be right."""

    ways: Sequence[Clause]

    def holds(self, reading: Reading) -> bool:
        return any(way.holds(reading) for way in self.ways)

    def spoil(self, text: str) -> str:
        for way in self.ways:
            if not isinstance(way, Shape):
                text = way.spoil(text)
        return text


def number(value: float, label: str, about: str = "", *, places: int | None = None) -> Number:
    return Number(value=value, label=label, about=about, places=places)


def share(value: float, label: str, about: str = "") -> Number:
    return Number(value=value, label=label, about=about, percent=True)


def apart(values: Mapping[str, float], about: str = "", *, percent: bool = False) -> list[Number]:
    """Numbers of the same kind by label, none of which may stand at another's."""
    return [
        Number(
            value=value,
            label=label,
            about=about,
            percent=percent,
            rivals=[other for other in values if other != label],
        )
        for label, value in values.items()
    ]


def says(*patterns: str) -> Says:
    return Says(patterns=patterns)


def any_of(*ways: Clause) -> AnyOf:
    return AnyOf(ways=ways)


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _distance(pattern: str, text: str, numeral: Numeral) -> int | None:
    """How far the nearest of those words is from the number; None when there are none."""
    gaps = [
        _gap(text[found.end() : numeral.start] or text[numeral.end : found.start()])
        for found in re.finditer(pattern, text, re.IGNORECASE)
        if found.end() <= numeral.start or found.start() >= numeral.end
    ]
    return min(gaps, default=None)


def _gap(between: str) -> int:
    """Letters and digits; a mark that ends a part counts for several: `74.2% (women), 18.9% (men)`."""
    return len(re.sub(r"[\W_]", "", between)) + 5 * len(re.findall(r"[,;)](?=\W|$)|[.!?](?=\s)", between))


def _other(digits: str) -> str:
    """Another number, written the same way."""
    return "".join(str((int(c) + 5) % 10) if c.isdigit() else c for c in digits)
