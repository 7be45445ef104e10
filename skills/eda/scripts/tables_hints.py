"""What is said of a text column that is nearly numbers or dates: what stands in the way."""

import re

from tables_dates import read_dates
from tables_numbers import CODE, is_number

MOSTLY = 0.8
"""From this share of number-like (date-like) values on, a text column is worth a note."""
MARKED = re.compile(r"(.*\d)\s*(?:\*+|[†‡]|[¹²³⁰⁴-⁹]+|\(?\d{1,2}\)|\[\w{1,2}\]|[a-zр]\)?)")


def tell_near_misses(name, values, counts, facts):
    filled = [(value, int(n)) for value, n in zip(values, counts, strict=True) if value is not None]
    sample = filled[:: max(1, len(filled) // 300)]
    for code, fits in (("not_all_numbers", is_number), ("not_all_dates", _is_date)):
        few = sample[:: max(1, len(sample) // 40)]
        if sum(fits(value) for value, _ in few) < 0.6 * len(few):
            continue
        good = sum(fits(value) for value, _ in sample)
        if MOSTLY * len(sample) <= good < len(sample) or (good == len(sample) and len(sample) < len(filled)):
            bad = [(value, n) for value, n in filled if not fits(value)]
            if bad and not any(CODE.fullmatch(value) for value, _ in sample):
                told = "footnote_marks" if all(_is_marked(value) for value, _ in bad) else code
                facts.note(told, column=name, count=sum(n for _, n in bad), examples=[v for v, _ in bad[:5]])


def _is_date(text):
    return bool(read_dates([text]))


def _is_marked(text):
    """A number with the mark of a footnote behind it."""
    match = MARKED.fullmatch(text.strip())
    return bool(match) and is_number(match[1])
