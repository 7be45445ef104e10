"""A fact as text: '38.4%', '£847,368.30', '28 years'; in Russian '38,4 %', '847 368,30 £'."""

import math

SIGNS = "$£€¥₽₹₩₺₴₸₿"
_BEFORE = "$£€¥₹₩₺"
NBSP = "\u00a0"
MAX_DIGITS = 10


class Fact(str):
    """What to print; `value` is the exact number, and `float(fact)` too."""

    __slots__ = ("digits", "id", "unit", "value")

    def __new__(cls, text, *, id, value, unit, digits):
        made = super().__new__(cls, text)
        made.id, made.value, made.unit, made.digits = id, value, unit, digits
        return made

    def __float__(self):
        return float(self.value)

    def __getnewargs_ex__(self):
        return (str(self),), {"id": self.id, "value": self.value, "unit": self.unit, "digits": self.digits}


def default_digits(value, unit):
    """One for shares, two for money and for what is not whole, more for what is small; none for counts."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return 0
    if unit == "%":
        return 1 if value == 0 or abs(value) >= 0.0005 else 2 if abs(value) >= 0.00005 else 3
    money = bool(unit) and unit in SIGNS
    if isinstance(value, int) or (float(value).is_integer() and not money):
        return 0
    if unit == "×":
        return 1 if abs(value) >= 1 else 2
    if not value or abs(value) >= 0.1:
        return 2
    return min(MAX_DIGITS, 1 - math.floor(math.log10(abs(value))))


def shown(value, unit, digits, words):
    """The text of a value with its unit, as the language writes it."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if unit == "%":
        return words.percent(value, decimals=digits, spaced=True)
    number = words.number(value, decimals=digits)
    if not unit:
        return number
    if unit == "×":
        return f"{number}×"
    if unit in _BEFORE and words.code == "en":
        minus = "−" if number.startswith("−") else ""
        return f"{minus}{unit}{number.removeprefix('−')}"
    return f"{number}{NBSP}{unit}"
