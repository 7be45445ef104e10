"""Cells as text: what can be drawn of them, and which of them are numbers."""

import re

UNDRAWN = re.compile(
    "[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff]"
)
"""Joiners, marks of direction, variants and skin tones: a picture would show boxes."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
GAPS = "\u00a0\u202f\u2009 "
PLAIN = re.compile(r"[-−+]?\d+(?:\.\d+)?")


def clean(text):
    """Without what neither a picture nor a workbook can hold."""
    return CONTROL.sub("", str(text)).encode("utf-8", "replace").decode("utf-8").strip()


def drawable(text):
    return " ".join(UNDRAWN.sub("", clean(text)).split())


def number(text, language):
    """(value, decimals, is a percentage), or None. What has leading zeros or many digits is a name."""
    bare = clean(text)
    percent = bare.endswith("%")
    bare = bare.removesuffix("%").strip(GAPS)
    if language == "ru":
        bare = re.sub(r"(?<=\d),(?=\d+$)", ".", bare)
    elif re.fullmatch(r"[-−+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", bare):
        bare = bare.replace(",", "")
    if re.fullmatch(rf"[-−+]?\d{{1,3}}(?:[{GAPS}]\d{{3}})+(?:\.\d+)?", bare):
        bare = re.sub(f"[{GAPS}]", "", bare)
    digits = bare.lstrip("-−+")
    if not PLAIN.fullmatch(bare) or len(digits) > 16 or bare.startswith("+") or re.match(r"0\d", digits):
        return None
    decimals = len(digits.partition(".")[2])
    value = float(bare.replace("−", "-"))
    return (value / 100 if percent else value), decimals, percent
