"""Numbers written by people: decimal commas, thousands marks, currency and percent signs."""

import math
import re
from dataclasses import dataclass

PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
WHOLE = re.compile(r"[+-]?\d{1,15}")
CODE = re.compile(r"0\d+|\d{16,}|\+\d{7,}")
"""Digits that are names, not amounts: leading zeros, more digits than a float holds, phone numbers."""
CURRENCY = r"[$€£¥₽₴₸₹₩]|руб\.?|р\.|USD|EUR|RUB"
WRITTEN = re.compile(
    rf"(?P<open>\()?(?P<sign>[+\-−–])?\s?(?P<before>{CURRENCY})?\s?(?P<sign2>[\-−–])?"
    rf"(?P<body>\d[\d.,'’ ]*|\.\d+|,\d+)\s?(?P<after>%|{CURRENCY})?(?(open)\))"
)
GROUPED = re.compile(r"\d{1,3}(?:(?P<mark>[ '’.,])\d{3})(?:(?P=mark)\d{3})*(?:[.,]\d+)?")
SURE = 5
"""So many different values, all with three digits after the comma, are thousands beyond doubt."""
SPACES = {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2007": " "}
SPACE_TABLE = str.maketrans(SPACES)
MARK_NAMES = {
    " ": "space",
    "\u00a0": "no-break space",
    "\u202f": "narrow no-break space",
    "\u2009": "thin space",
    "\u2007": "figure space",
    "'": "apostrophe",
    "’": "apostrophe",
    ",": "comma",
    ".": "dot",
}


@dataclass(frozen=True)
class Numbers:
    """`values` is parallel to the texts. `decimal` is the mark in use, `marks` names the thousands marks."""

    values: list
    whole: bool
    decimal: str = "."
    marks: tuple = ()
    ambiguous: str = ""
    percent: bool = False
    currency: str = ""


def is_number(text):
    """Whether one text looks like a number in any convention."""
    text = text.translate(SPACE_TABLE).strip()
    return bool(PLAIN.fullmatch(text)) or _parts(text) is not None


def sign_of(text):
    """The currency or percent sign of a number, "" without one or when it is no number."""
    parts = _parts(text.translate(SPACE_TABLE).strip())
    return parts[2] if parts else ""


def read_numbers(texts, comma_file=False):
    """Numbers for all texts, or None when one of them is no number.

    A convention is a property of the whole column: 1,234 is a thousand beside 12,345,678 and a decimal beside
    1,5. Where the column does not tell, `comma_file` (another column has decimal commas) decides.
    """
    if all(PLAIN.fullmatch(text) for text in texts):
        if all(WHOLE.fullmatch(text) for text in texts):
            return Numbers([int(text) for text in texts], whole=True)
        values = [float(text) for text in texts]
        return Numbers(values, whole=False) if all(map(math.isfinite, values)) else None
    parts = []
    for text in texts:
        part = _parts(text.translate(SPACE_TABLE).strip())
        if part is None:
            return None
        parts.append(part)
    signs = {part[2] for part in parts if part[2]}
    if len(signs - {"%"}) > 1 or (signs and "%" in signs and len(signs) > 1):
        return None
    decimal, ambiguous = _decimal([part[1] for part in parts], comma_file)
    if decimal is None:
        return None
    values = [sign * _value(body, decimal) for sign, body, _ in parts]
    thousands = "," if decimal == "." else "."
    marks = sorted({MARK_NAMES[mark] for text in texts for mark in _marks(text, thousands)})
    whole = all(value.is_integer() for value in values) and not any(decimal in part[1] for part in parts)
    currency = next(iter(signs - {"%"}), "")
    return Numbers(
        [int(value) for value in values] if whole else values,
        whole,
        decimal,
        tuple(marks),
        ambiguous,
        "%" in signs,
        currency,
    )


def _parts(text):
    """(sign, digits and marks, currency or percent sign) of one text, or None."""
    if PLAIN.fullmatch(text):
        negative = text.startswith("-")
        return (-1 if negative else 1), text.lstrip("+-"), ""
    match = WRITTEN.fullmatch(text)
    if not match:
        return None
    body = match["body"].strip()
    if not re.fullmatch(r"\d*[.,]?\d+|\d+[.,]", body) and not GROUPED.fullmatch(body):
        return None
    negative = match["open"] or match["sign"] in tuple("-−–") or match["sign2"]
    return (-1 if negative else 1), body, match["before"] or match["after"] or ""


def _decimal(bodies, comma_file):
    """The column's decimal mark, and an example when that is a guess; (None, "") when bodies disagree."""
    evidence = {body: _evidence(body) for body in bodies}
    proof = {mark for mark in evidence.values() if mark in (",", ".")}
    doubt = next((body for body, mark in evidence.items() if mark == "comma?"), "")
    dots = "dot?" in evidence.values()
    if len(proof) > 1:
        return None, ""
    if proof:
        return proof.pop(), ""
    if doubt and dots:
        return ".", doubt
    if doubt and len(bodies) >= SURE and not comma_file:
        return ".", ""
    if doubt:
        return ("," if comma_file else "."), doubt
    return ".", ""


def _evidence(body):
    """ "," or "." when the digits prove that decimal mark, "comma?" or "dot?" when three digits follow it."""
    comma, dot = body.count(","), body.count(".")
    if comma and dot:
        return "," if body.rfind(",") > body.rfind(".") else "."
    if comma > 1 or dot > 1:
        return "." if comma else ","
    if comma:
        doubtful = re.fullmatch(r"[1-9]\d{0,2},\d{3}", body) and not re.search(r"[ '’]", body)
        return "comma?" if doubtful else ","
    if dot:
        return "dot?" if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", body) else "."
    return ""


def _value(body, decimal):
    thousands = "," if decimal == "." else "."
    if "e" in body or "E" in body:
        return float(body)
    for mark in (" ", "'", "’", thousands):
        body = body.replace(mark, "")
    return float(body.replace(decimal, "."))


def _marks(text, thousands):
    inner = re.findall(r"(?<=\d)[\u00a0\u202f\u2009\u2007 '’.,](?=\d{3})", text)
    return {mark for mark in inner if mark not in ".," or mark == thousands}
