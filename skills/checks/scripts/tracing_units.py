"""Which units go together: a share may be written as a percentage, a percentage never as points or money."""

import re
from functools import lru_cache

from numerals_words import CURRENCY, MEASURE, PERCENT, POINTS, SCALE, TIMES, currency_of, measure_of, scale_of

CURRENCIES = frozenset("$€£₽¥₴₸₹₩")
AS_PERCENT = re.compile(r"%|percent|pct|\*\s*100|mul\(100\)|процент", re.IGNORECASE)
"""A number whose author called it a percentage, though without that unit."""
DIFFERENCE = re.compile(
    r"diff|gap|delta|change|points?\b|\bpp\b|п\.п|разн|разриц|измен|\w\)? - |\]\s?-\s?|sub\(", re.IGNORECASE
)


@lru_cache(maxsize=4_096)
def of_record(unit):
    """(unit, factor) of what a script called the unit: `млн руб.` is roubles by the million."""
    text = unit.strip()
    if not text:
        return "", 1.0
    if POINTS.fullmatch(text):
        return "pp", 1.0
    if PERCENT.fullmatch(text):
        return "%", 1.0
    if TIMES.fullmatch(text) or text == "ratio":
        return "×", 1.0
    factor = 1.0
    if match := SCALE.search(text):
        factor, text = scale_of(match), (text[: match.start()] + text[match.end() :]).strip(" .,")
    if not text:
        return "", factor
    if match := CURRENCY.search(text):
        return currency_of(match[0]), factor
    if MEASURE.fullmatch(text):
        return measure_of(text), factor
    return text.lower(), factor


def wanted(unit, value, step):
    """[(units a record may have, value, step, what its author must have said)]; None as units: any."""
    if unit == "%":
        return [
            (("%",), value, step, None),
            (("",), value, step, "share"),
            (("",), value * 100, step * 100, AS_PERCENT),
        ]
    if unit == "pp":
        return [
            (("pp",), value, step, None),
            (("pp",), value * 100, step * 100, None),
            (("%", ""), value, step, DIFFERENCE),
        ]
    if unit == "×":
        return [(("×", ""), value, step, None)]
    if unit in CURRENCIES and unit:
        return [((unit, ""), value, step, None)]
    if unit:
        return [((unit, ""), value, step, None)]
    return [(None, value, step, None)]


def share(value):
    """Whether a number without a unit may be a share: whole numbers are counts, 0 and 1 aside."""
    return value in (0, 1) or (abs(value) <= 10 and value % 1 != 0)
