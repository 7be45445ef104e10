"""Numbers in a line of text, in English and Russian ways of writing."""

import re
from dataclasses import replace
from unicodedata import decimal

from numerals_digits import BODY, readings_of
from numerals_kinds import LIMIT, Written, kind_of
from numerals_masks import masks
from numerals_model import CLAIM, WEAK, Numeral
from numerals_spelled import in_digits
from numerals_words import (
    BEFORE,
    COUNTED,
    CURRENCY,
    CURRENCY_TEXT,
    PERCENT,
    POINTS,
    SCALE,
    TIMES,
    currency_of,
    measure_of,
    scale_of,
)

MAX_LINE = 1_000
"""Characters that are looked through at once: some patterns look around, which must stay cheap."""
_CLEAN = str.maketrans(
    {
        "\u202f": "\u00a0",
        "\u2007": "\u00a0",
        "\u2009": "\u00a0",
        "\u200a": "\u00a0",
        "\u2011": "-",
        "\u2010": "-",
        "％": "%",
        "٪": "%",
        "．": ".",
        "٫": ".",
        "٬": "'",
    }
    | dict.fromkeys(
        "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
"""Of another script, or of another width or face: a reader sees a digit."""
_LEFT_CURRENCY = re.compile(rf"(?<![^\W\d_])({CURRENCY_TEXT})\s?(?P<minus>[-−])?$", re.IGNORECASE)
_LEFT_TIMES = re.compile(r"(?<!\w)[×xх]\s?$")
_WORD = re.compile(r"[ \u00a0]?([^\W\d_][\w²-]*|°\s?[CFС])")
_LINK = re.compile(
    r"\s?(?:[-–—−/…]|\.\.\.?|to|and|vs\.?|against|or|до|и|против|или|по|,|;)\s?(?:до\s)?", re.IGNORECASE
)
_SPREAD = re.compile(r"\s?[-–—−…]\s?|\.\.\.?")
_HYPHENED = re.compile(r"[^\W\d_]-$")


def clean(text):
    """`text` with one no-break space, one hyphen and one kind of digits, and nothing invisible."""
    return _OTHER_DIGIT.sub(lambda digit: str(decimal(digit[0])), text.translate(_CLEAN))


def extract_text(text, place="", file=""):
    """The numbers of a text, line by line, in order."""
    found = []
    for line in in_digits(clean(text)).splitlines():
        for start in range(0, len(line), MAX_LINE):
            found += _of_line(line[start : start + MAX_LINE], place, file)
    return found


def _of_line(line, place, file):
    if not any(mark.isdigit() for mark in line):
        return []
    hidden = masks(line)
    found, spans = [], []
    for match in BODY.finditer(line):
        one, span = _numeral(line, match, hidden, place, file)
        if one is not None:
            found.append(one)
            spans.append(span)
    return _shared_units(line, found, spans)


def _numeral(line, match, hidden, place, file):
    start, end = match.span()
    kind = next((kind for begin, stop, kind in hidden if begin < end and start < stop), "")
    left, right = line[max(0, start - 60) : start], line[end : end + 60]
    if kind:
        return _structure(line, match, kind, place, file)
    glued = (left[-1:].isalpha() and right[:1] != "%") or left[-1:] == "_"
    times_before = _LEFT_TIMES.search(left)
    currency_before = _LEFT_CURRENCY.search(left)
    if (glued and not times_before and not currency_before) or re.match(r"_", right):
        return _structure(line, match, "identifier", place, file)
    unit, scale, scaled, used = _after(right)
    begin = start
    if currency_before and unit in ("", "×"):
        unit = currency_of(currency_before[1])
        begin -= len(currency_before[0])
    elif times_before and not unit:
        unit, begin = "×", begin - len(times_before[0])
    sign, begin = _sign(line, begin)
    if currency_before and currency_before["minus"]:
        sign = -1
    tail = right[used:]
    word = _WORD.match(tail)
    noun = word[1] if word else ""
    measure = measure_of(noun.lower()) if not unit and noun else ""
    unit = unit or measure
    whole, close = _parenthesised(line, begin, end + used)
    stop = close if whole else end + used + (word.end() if measure else 0)
    if _coded(left, right, match[0], unit) or (used == 0 and right[:1].isalpha() and not unit):
        return _structure(line, match, "identifier", place, file)
    values = readings_of(match[0], line)
    sign = -1 if whole else sign
    parts = 100 if unit in ("%", "pp") else 1
    readings = [(sign * scale * value / parts, scale * step / parts) for value, step, _ in values]
    before = line[max(0, begin - 30) : begin]
    manner = next((name for name, pattern in BEFORE if pattern.search(before)), "")
    text = line[(begin - 1 if whole else begin) : stop].strip()
    value, step = readings[0]
    bare = step >= 1 and not scaled and match[0].isdigit()
    written = Written(match[0], text, before, tail, noun, unit, value, bare, sign < 0)
    kind = kind_of(written)
    if kind == "year":
        return _structure(line, match, kind, place, file)
    numeral = Numeral(
        file=file,
        place=place,
        text=text,
        value=value,
        unit=unit,
        decimals=values[0][2],
        context=line,
        step=step,
        other=(-value, step) if whole else readings[1] if len(readings) > 1 else (),
        kind=kind,
        start=max(0, begin),
        noun=noun,
        manner=manner,
        scaled=scaled,
    )
    if " " in match[0] and not scaled:
        numeral = replace(numeral, parts=_parts(numeral, match[0]))
    return numeral, (begin, end + used)


def _coded(left, right, body, unit):
    """`COVID-19` and `4K` are names; `топ-10` counts."""
    hyphened = not unit and body.isdigit() and _HYPHENED.search(left) and not COUNTED.search(left)
    return hyphened or (not unit and body in ("4", "8") and re.match(r"K\b", right))


def _structure(line, match, kind, place, file):
    value = readings_of(match[0], line)[0][0]
    one = Numeral(file, place, match[0], value, context=line, kind=kind, start=match.start())
    return one, match.span()


def _after(right):
    """(unit, scale, whether a scale is written, characters used) of what follows the digits."""
    space = re.match(r"[ \u00a0]{0,2}", right)[0]
    at = len(space)
    scale, scaled = 1.0, False
    if (found := SCALE.match(right, at)) and not (space and len(found[0]) == 1):
        scale, scaled, at = scale_of(found), True, found.end()
        at += len(re.match(r"[ \u00a0]{0,2}", right[at:])[0])
        space = ""
    for unit, pattern in (("pp", POINTS), ("%", PERCENT)):
        if found := pattern.match(right, at):
            return unit, scale, scaled, found.end()
    hyphen = re.match(r"-", right[at:])
    if hyphen:
        for unit, pattern in (("pp", POINTS), ("%", PERCENT), ("×", re.compile("fold|кратн", re.I))):
            if found := pattern.match(right, at + 1):
                return unit, scale, scaled, found.end()
    if (found := CURRENCY.match(right, at)) and found[0]:
        return currency_of(found[0]), scale, scaled, found.end()
    if found := TIMES.match(right, at):
        return "×", scale, scaled, found.end()
    return "", scale, scaled, (at if scaled else 0)


def _sign(line, begin):
    """(-1 or 1, where the number begins with its sign). A hyphen between two things is no sign."""
    before = line[:begin]
    found = re.search(r"([+\-−–±])[ \u00a0]?$", before)
    if not found:
        return 1, begin
    mark, at = found[1], found.start()
    left = before[:at]
    spaced = found[0] != mark
    if mark == "±":
        return 1, at
    lone = not left or left[-1] in ' \u00a0([|:;=/→>«"\t' or CURRENCY.fullmatch(left[-1])
    if mark == "−" and (lone or left[-1].isspace()):
        return -1, at
    if not lone or spaced or (re.search(r"[0-9%][ \u00a0]$", left) and mark == "–"):
        return 1, begin
    return (1 if mark == "+" else -1), at


def _parenthesised(line, begin, end):
    """A line that is nothing but an amount in brackets is a negative one, as accountants write it."""
    whole = line.strip()
    if (
        whole.startswith("(")
        and whole.endswith(")")
        and line[:begin].strip() == "("
        and line[end:].strip() == ")"
    ):
        return True, line.rindex(")") + 1
    return False, end


def _parts(numeral, body):
    """The numbers of `314 233`, should they be two after all: an ordinary space may stand between them."""
    pieces, factor = body.split(" "), 0.01 if numeral.unit in ("%", "pp") else 1.0
    found = []
    for place, piece in enumerate(pieces, start=1):
        (value, step, decimals), *_ = readings_of(piece, "")
        last = place == len(pieces)
        value, step = (value * factor, step * factor) if last else (value, step)
        unit = numeral.unit if last else ""
        found.append(
            replace(
                numeral, text=piece, value=value, step=step, decimals=decimals, unit=unit, other=(), manner=""
            )
        )
    return tuple(found)


def _shared_units(line, found, spans):
    """`10–12 %`, `from 41 to 42%`, `63.0/47.3/24.2 %`: the unit written once belongs to all of them."""
    for index in range(len(found) - 2, -1, -1):
        one, after = found[index], found[index + 1]
        between = line[spans[index][1] : spans[index + 1][0]]
        if one.kind == "counted" and after.claims and _bare(after) and _SPREAD.fullmatch(between):
            found[index + 1] = replace(after, kind="counted")
        if not (one.claims and after.claims and _LINK.fullmatch(between)):
            continue
        spread = _SPREAD.fullmatch(between)
        linked = (
            spread
            or re.fullmatch(r"\s?/\s?", between)
            or re.search(r"(?:from|between|от|с|между) ?$", line[: spans[index][0]], re.I)
        )
        shared = (after.unit and after.unit != "×") or (after.scaled and not one.scaled)
        if linked and not one.unit and shared:
            parts = 100 if after.unit in ("%", "pp") else 1
            scale = 1.0 if one.scaled else _scale(after)
            found[index] = replace(
                one,
                value=one.value * scale / parts,
                step=one.step * scale / parts,
                unit=after.unit,
                other=tuple(part * scale / parts for part in one.other),
                scaled=after.scaled,
                kind=CLAIM if after.kind == CLAIM else one.kind,
            )
        elif linked and not after.unit and one.unit in ("$", "€", "£", "₽"):
            found[index + 1] = replace(after, unit=one.unit, kind=CLAIM)
        elif spread and _bare(one) and _bare(after):
            found[index], found[index + 1] = replace(one, kind=WEAK), replace(after, kind=WEAK)
    return found


def _scale(one):
    match = SCALE.search(one.text) if one.scaled else None
    return scale_of(match) if match else 1.0


def _bare(one):
    return not one.unit.strip("×") and one.decimals == 0 and abs(one.value) <= LIMIT
