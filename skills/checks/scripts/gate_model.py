"""Findings of the gate: what each code means, which check it belongs to, and whether it stops a delivery."""

from dataclasses import asdict, dataclass

MOST_A_CODE = 12
"""Findings of one code in one file; the rest would say the same again."""
MOST_A_FILE = 100

CODES = {
    # code: (check, blocking)
    "unreadable": (1, True),
    "broken_package": (1, True),
    "too_large": (1, True),
    "page_count": (1, True),
    "empty": (1, True),
    "empty_placeholder": (2, True),
    "leftover_text": (2, True),
    "missing_value": (2, True),
    "off_canvas": (3, True),
    "margin": (3, True),
    "text_overflow": (4, True),
    "cell_overflow": (4, True),
    "word_broken": (4, False),
    "overlap": (5, True),
    "boxes_overlap": (5, False),
    "text_over_picture": (5, False),
    "small_body": (6, True),
    "small_caption": (6, True),
    "small_title": (6, True),
    "many_fonts": (6, True),
    "low_contrast": (7, True),
    "picture_of_chart": (8, True),
    "chart_without_data": (8, True),
    "chart_cache": (8, True),
    "chart_unregistered": (8, True),
    "chart_missing_value": (8, True),
    "axis_untitled": (8, True),
    "axis_generic": (8, False),
    "chart_3d": (8, True),
    "alt_missing": (9, True),
    "alt_file_name": (9, True),
    "distorted": (9, True),
    "low_resolution": (9, True),
    "blank_picture": (9, True),
    "notes_missing": (10, True),
    "notes_without_source": (10, True),
    "method_missing": (10, True),
    "title_missing": (11, True),
    "title_repeated": (11, True),
    "title_long": (11, True),
    "many_bullets": (11, True),
    "title_topic": (11, False),
    "no_glyph": (12, True),
    "font_not_embedded": (12, True),
    "monotonous": (13, True),
    "untraced": (14, True),
    "asserted": (14, False),
    "formula_error": (15, True),
    "formula_unchecked": (15, False),
    "formula_from_text": (15, True),
    "number_as_text": (15, True),
    "no_headings": (11, False),
    "no_page_numbers": (11, False),
    "no_text": (2, True),
    "not_checked": (1, False),
}
"""`not_checked` carries the number of the check that could not be made."""


@dataclass(frozen=True)
class Finding:
    """One thing to mend. `place` is for a person, `detail` for the author: what it is, and how to mend it."""

    check: int
    code: str
    file: str
    place: str
    detail: str
    blocking: bool

    def as_dict(self):
        return asdict(self)


def finding(code, file, place, detail, *, check=None):
    """Of a code above; `check` only where the code serves several."""
    number, blocking = CODES[code]
    return Finding(check or number, code, file, one_line(place, 120), one_line(detail, 400), blocking)


def bounded(findings):
    """At most a dozen of a code, blocking ones first among equals of a check, in the order of the checks."""
    counts, kept = {}, []
    for item in findings:
        counts[item.code] = counts.get(item.code, 0) + 1
        if counts[item.code] <= MOST_A_CODE:
            kept.append(item)
    return sorted(kept, key=lambda item: (item.check, not item.blocking))[:MOST_A_FILE]


def one_line(text, most):
    """Printable and bounded, whatever the file held."""
    line = str(text)[: most * 4]
    if not line.isprintable():
        line = "".join(char if char.isprintable() else " " for char in line)
    line = " ".join(line.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def quoted(text, most=60):
    return f"'{one_line(text, most)}'"
