"""Dates written by people: one order of day and month per column, two-digit years, mixed formats."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

CENTURY_TURNS_AT = 35
"""Two-digit years below it are 20xx, the others 19xx. strptime's own turn (69) puts 1962 into the future."""

TIME = (
    r"(?:[ T,]+(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"\s?(?P<ap>[AaPp]\.?[Mm]\.?)?)?"
)
ZONE = r"\s?(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?"
YEAR_FIRST = re.compile(
    rf"(?P<y>\d{{4}})(?P<sep>[-/.])(?P<a>\d{{1,2}})(?:[-/.](?P<b>\d{{1,2}}))?{TIME}{ZONE}"
)
YEAR_LAST = re.compile(
    rf"(?P<a>\d{{1,2}})(?P<sep>[-/.])(?P<b>\d{{1,2}})(?P=sep)(?P<y>\d{{4}}|\d{{2}}){TIME}{ZONE}"
)
NAMED = re.compile(
    rf"(?:(?P<d1>\d{{1,2}})[ .-]+)?(?P<month>[A-Za-zА-Яа-яё]{{3,9}})\.?[ ,.-]+"
    rf"(?:(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? +)?"
    rf"(?P<y>\d{{4}})(?: ?г\.?)?{TIME}"
)
MONTHS = {
    stem: number
    for number, stems in enumerate(
        [
            "jan янв",
            "feb фев",
            "mar мар",
            "apr апр",
            "may мая май",
            "jun июн",
            "jul июл",
            "aug авг",
            "sep сен",
            "oct окт",
            "nov ноя",
            "dec дек",
        ],
        start=1,
    )
    for stem in stems.split()
}


@dataclass(frozen=True)
class Dates:
    """`values` is parallel to the texts. `order` is "DMY" or "MDY" where the year comes last."""

    values: list
    order: str = ""
    ambiguous: str = ""
    two_digit: bool = False
    zoned: bool = False
    odd: tuple = ()


@dataclass(frozen=True)
class _Conflict:
    """Some dates need the day first, others the month: nothing honest can be read."""


CONFLICT = _Conflict()


def read_dates(texts):
    """Dates for all texts; None when one of them is no date; CONFLICT when no single order fits."""
    matches = []
    for text in texts:
        match = _match(text.strip())
        if match is None:
            return None
        matches.append(match)
    short = [match for shape, match in matches if shape == "last"]
    order, ambiguous = _order(matches, short)
    if order is None:
        return CONFLICT
    try:
        values = [_value(shape, match, order) for shape, match in matches]
    except ValueError:
        return None
    shapes = Counter((shape, match.groupdict().get("sep")) for shape, match in matches)
    usual = shapes.most_common(1)[0][0] if shapes else None
    odd = [
        text for text, (s, m) in zip(texts, matches, strict=True) if (s, m.groupdict().get("sep")) != usual
    ]
    return Dates(
        values,
        order if short else "",
        ambiguous,
        any(len(m["y"]) == 2 for m in short),
        any(m.groupdict().get("zone") for _, m in matches),
        tuple(odd),
    )


def compact_format(texts):
    """The one way in which all eight-digit texts are dates, such as DDMMYYYY, or "" when none or several."""
    if not texts or not all(re.fullmatch(r"\d{8}", text) for text in texts):
        return ""
    fits = [
        shown
        for code, shown in (("%d%m%Y", "DDMMYYYY"), ("%m%d%Y", "MMDDYYYY"), ("%Y%m%d", "YYYYMMDD"))
        if all(_fits(text, code) for text in texts)
    ]
    return " or ".join(fits)


def from_serial(number):
    """An Excel day number (1900 system) as a date."""
    return datetime(1899, 12, 30) + timedelta(days=float(number))  # noqa: DTZ001 (a sheet has no time zone)


def _fits(text, code):
    try:
        return 1900 <= datetime.strptime(text, code).replace(tzinfo=UTC).year <= 2100
    except ValueError:
        return False


def _match(text):
    if len(text) < 6 or len(text) > 40:
        return None
    for shape, pattern in (("first", YEAR_FIRST), ("last", YEAR_LAST), ("named", NAMED)):
        match = pattern.fullmatch(text)
        if match and (shape != "named" or _month(match["month"])):
            if shape == "first" and match["b"] is None and match["sep"] == ".":
                return None  # 2024.5 is a number
            return shape, match
    return None


def _month(word):
    word = word.lower()
    return MONTHS.get(word[:3]) if word[:3] in MONTHS else None


def _order(matches, short):
    """("DMY" | "MDY" | None, an example when the choice is a guess)."""
    if not short:
        return "DMY", ""
    day_first = any(int(match["a"]) > 12 for match in short)
    month_first = any(int(match["b"]) > 12 for match in short)
    if day_first and month_first:
        return None, ""
    if day_first or month_first:
        return ("DMY" if day_first else "MDY"), ""
    if all(match["a"] == match["b"] for match in short):
        return "DMY", ""
    spans = {}
    for order in ("MDY", "DMY"):
        values = [_value(shape, match, order) for shape, match in matches]
        spans[order] = max(values) - min(values)
    if spans["MDY"] * 2 < spans["DMY"] or spans["DMY"] * 2 < spans["MDY"]:
        order = min(spans, key=lambda key: spans[key])
    else:
        order = "DMY" if short[0]["sep"] == "." else "MDY"
    return order, short[0][0]


def _value(shape, match, order):
    year = int(match["y"])
    if len(match["y"]) == 2:
        year += 2000 if year < CENTURY_TURNS_AT else 1900
    if shape == "first":
        month, day = int(match["a"]), int(match["b"] or 1)
    elif shape == "named":
        month, day = _month(match["month"]), int(match["d1"] or match["d2"] or 1)
    else:
        first, second = int(match["a"]), int(match["b"])
        day, month = (first, second) if order == "DMY" else (second, first)
    hour = int(match["H"] or 0)
    if match["ap"]:
        hour = hour % 12 + (12 if match["ap"][0] in "pP" else 0)
    micro = int((match["f"] or "0").ljust(6, "0")[:6])
    value = datetime(year, month, day, hour, int(match["M"] or 0), int(match["S"] or 0), micro)  # noqa: DTZ001
    zone = match.groupdict().get("zone")
    if zone and zone not in ("Z", "UTC"):
        digits = zone[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        sign = -1 if zone[0] == "-" else 1
        value = value.replace(tzinfo=timezone(sign * offset)).astimezone(UTC).replace(tzinfo=None)
    return value
