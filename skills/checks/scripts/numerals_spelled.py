"""Amounts that are written out, "ninety-seven percent" or «сорока тысяч», in digits: readers take both alike.

Only before a percentage or a large unit: "two options" and "one of them" claim nothing that data could tell.
"""

import re

_BELOW_TEN = {
    1: "one|один|одного|одна|одной",
    2: "two|два|две|двух",
    3: "three|три|трех|трёх",
    4: "four|четыре|четырех|четырёх",
    5: "five|пять|пяти",
    6: "six|шесть|шести",
    7: "seven|семь|семи",
    8: "eight|восемь|восьми",
    9: "nine|девять|девяти",
}
_BELOW_TWENTY = {
    10: "ten|десять|десяти",
    11: "eleven|одиннадцат[ьи]",
    12: "twelve|двенадцат[ьи]",
    13: "thirteen|тринадцат[ьи]",
    14: "fourteen|четырнадцат[ьи]",
    15: "fifteen|пятнадцат[ьи]",
    16: "sixteen|шестнадцат[ьи]",
    17: "seventeen|семнадцат[ьи]",
    18: "eighteen|восемнадцат[ьи]",
    19: "nineteen|девятнадцат[ьи]",
}
_TENS = {
    20: "twenty|двадцат[ьи]",
    30: "thirty|тридцат[ьи]",
    40: "forty|сорока?",
    50: "fifty|пятьдесят|пятидесяти",
    60: "sixty|шестьдесят|шестидесяти",
    70: "seventy|семьдесят|семидесяти",
    80: "eighty|восемьдесят|восьмидесяти",
    90: "ninety|девяност[оа]",
}


def _named(words):
    return "|".join(f"(?P<n{value}>{text})" for value, text in words.items())


_UNIT = (
    r"(?=[ \u00a0-](?:per[ -]?cent\b|percentage points?\b|%|процент|thousand|million|billion|тысяч|миллион"
    r"|миллиард|млн|млрд|тыс))"
)
_WRITTEN = re.compile(
    rf"(?<![\w-])(?:(?:{_named(_TENS)})(?:[ \u00a0-](?:{_named(_BELOW_TEN)}))?"
    rf"|{_named(_BELOW_TWENTY)}|(?P<small>{'|'.join(_BELOW_TEN.values())})){_UNIT}",
    re.IGNORECASE,
)
_SMALL = [(value, re.compile(text, re.IGNORECASE)) for value, text in _BELOW_TEN.items()]


def in_digits(text):
    return _WRITTEN.sub(_value, text)


def _value(match):
    if small := match["small"]:
        return next(str(value) for value, words in _SMALL if words.fullmatch(small))
    return str(sum(int(name[1:]) for name, found in match.groupdict().items() if found and name[0] == "n"))
