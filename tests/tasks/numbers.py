"""Numbers as people write them: `38,4 %`, `12 323`, `1,013`, `847.4K`, `×3.83`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SPACES = " \u00a0\u202f\u2009"
_NUMERAL = re.compile(
    rf"(?<![\w.,])[-−–]?[£$€₽]?\s?(?P<digits>\d{{1,3}}(?:[{_SPACES},.']\d{{3}})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?)"
    rf"[{_SPACES}]?(?P<unit>%|[KkКкMmМ](?![\w])|тыс\b|млн\b|thousand\b|million\b)?"
)
_SCALES = {"k": 1e3, "к": 1e3, "тыс": 1e3, "thousand": 1e3, "m": 1e6, "м": 1e6, "млн": 1e6, "million": 1e6}
MAX_ERROR = 0.006
"""Relative: `38%` does not tell 38.4%, `63%` tells 63.0%."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeral:
    start: int
    end: int
    text: str
    readings: tuple[tuple[float, float], ...]
    """Values with half a unit of the last place written. `1,013` may be a thousand and a bit, or one."""
    percent: bool

    def tells(self, value: float, *, percent: bool, places: int) -> bool:
        """Whether it is that number, rounded as it is written or as `value` is. Signs are left to words."""
        if percent != self.percent:
            return False
        value, given = abs(value), 0.5 * 10**-places
        return any(
            abs(read - value) <= max(half, given) * 1.0001
            and (abs(read - value) <= max(MAX_ERROR * value, given * 1.0001))
            for read, half in self.readings
        )


def numerals(text: str) -> Iterator[Numeral]:
    for found in _NUMERAL.finditer(text):
        unit = (found["unit"] or "").lower()
        scale = _SCALES.get(unit, 1.0)
        yield Numeral(
            start=found.start("digits"),
            end=found.end("digits"),
            text=found["digits"],
            readings=tuple((v * scale, half * scale) for v, half in _readings(found["digits"])),
            percent=unit == "%",
        )


def _readings(digits: str) -> Iterator[tuple[float, float]]:
    bare = re.sub(rf"[{_SPACES}']", "", digits)
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", bare):
        yield float(re.sub(r"[.,]", "", bare)), 0.5
    head, mark, tail = bare.rpartition("," if bare.rfind(",") > bare.rfind(".") else ".")
    if not mark:
        yield float(bare), 0.5
    elif not re.search(r"[.,]", head) or re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", head):
        yield float(f"{re.sub('[.,]', '', head)}.{tail}"), 0.5 * 10 ** -len(tail)


def places_of(value: float) -> int:
    """Decimals that a value is given with."""
    return len(f"{value:.6f}".rstrip("0").partition(".")[2])


def plain(value: float) -> str:
    """A cell's number, unrounded as far as that says something."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
