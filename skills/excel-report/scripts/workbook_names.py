"""Names of sheets as Excel takes them: 31 characters, none of []:*?/\\, each once whatever its case."""

from deck_text import one_line

LONGEST = 31
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))
_RESERVED = {"history"}


def sheet_name(wanted, taken, fallback="Sheet"):
    """`taken` are the names so far. A long name is cut at a word where that leaves enough of it."""
    plain = one_line(one_line(wanted).translate(_FORBIDDEN).strip("'")) or fallback
    if plain.lower() in _RESERVED:
        plain += "_"
    used = {name.casefold() for name in taken}
    name, count = _cut(plain, LONGEST), 1
    while name.casefold() in used:
        count += 1
        tail = f" {count}"
        name = _cut(plain, LONGEST - len(tail)) + tail
    return name


def _cut(text, most):
    # Excel counts UTF-16 units, and an emoji has two
    while len(text.encode("utf-16-le")) // 2 > most:
        head = text.rpartition(" ")[0]
        text = head if len(head) > most // 2 else text[:-1]
    return text.rstrip(" '") or "_"
