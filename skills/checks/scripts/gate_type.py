"""Checks 6, 7 and 12: sizes and families of type, contrast, and characters that no font draws."""

import re

from gate_chart_parts import ground_of, strings, text_colors, type_sizes, typefaces
from gate_colors import LEAST_CONTRAST, contrast
from gate_fit import ink
from gate_fonts import drawable
from gate_model import finding, quoted
from gate_pieces import Box
from gate_roles import is_caption

LEAST_BODY, LEAST_CELL, LEAST_CAPTION, LEAST_TITLE = 14, 12, 10, 28
"""Points. Cells of tables lie between body and caption; texts of charts count as captions."""
MOST_FAMILIES = 2
_WEIGHTS = re.compile(
    r"\s+(?:light|thin|medium|semi-?bold|demi|bold|black|heavy|extra-?bold|regular|display)\b", re.I
)


def size_findings(view, file):
    """Check 6."""
    found, families = [], {}
    for page in view.pages:
        for piece in page.pieces:
            place = f"{page.place}, {piece.name}"
            if piece.words:
                role = _role(piece, view)
                found += _small(piece.text, *role, file, place)
                _note(families, piece.text.runs, page)
            for cell in piece.cells:
                where = f"{place}, row {cell.row}, column {cell.column}"
                found += _small(cell.text, "small_body", LEAST_CELL, "cells of tables", file, where)
                _note(families, cell.text.runs, page)
            if piece.kind == "chart":
                sizes = type_sizes(piece.shape.chart)
                if sizes and min(sizes) < LEAST_CAPTION:
                    detail = f"The chart has text of {min(sizes):g} pt; {LEAST_CAPTION} is the least."
                    found.append(finding("small_caption", file, place, detail))
                for typeface in typefaces(piece.shape.chart):
                    families.setdefault(_family(view.palette.family(typeface)), page.number)
    if len(families) > MOST_FAMILIES:
        named = ", ".join(f"{family} (slide {number})" for family, number in sorted(families.items())[:8])
        detail = f"{len(families)} families of type are used: {named}. Keep to {MOST_FAMILIES}."
        found.append(finding("many_fonts", file, "", detail))
    return found


def contrast_findings(view, file):
    """Check 7. Where a ground is a picture or a gradient, nothing can be said without rendering."""
    found = []
    for page in view.pages:
        for piece in page.pieces:
            place = f"{page.place}, {piece.name}"
            if piece.words:
                area = ink(piece, Box)
                grounds = [piece.fill] if piece.painted else _grounds(page, piece, area)
                found += _faint(piece.text.runs, grounds, file, place)
            for cell in piece.cells:
                grounds = [cell.fill] if cell.fill else _grounds(page, piece, piece.box)
                found += _faint(
                    cell.text.runs, grounds, file, f"{place}, row {cell.row}, column {cell.column}"
                )
            if piece.kind == "chart":
                found += _faint_chart(piece, page, view, file, place)
    return found


def glyph_findings(view, file):
    """Check 12."""
    found = []
    for page in view.pages:
        for piece in page.pieces:
            runs = list(piece.text.runs) if piece.text else []
            runs += [run for cell in piece.cells for run in cell.text.runs]
            missing = {char for run in runs for char in set(run.text) if not drawable(char, run.family)}
            if piece.kind == "chart":
                written = set("".join(strings(piece.shape.chart)))
                missing |= {char for char in written if not drawable(char, "Calibri")}
            if missing:
                named = ", ".join(f"U+{ord(char):04X}" for char in sorted(missing)[:8])
                detail = (
                    f"No font of the image draws {named}; a reader sees boxes. Write it in "
                    "words, or leave it out."
                )
                found.append(finding("no_glyph", file, f"{page.place}, {piece.name}", detail))
    return found


def _role(piece, view):
    if piece.kind == "title":
        return "small_title", LEAST_TITLE, "titles"
    if is_caption(piece, view):
        return "small_caption", LEAST_CAPTION, "captions"
    return "small_body", LEAST_BODY, "body text"


def _small(text, code, least, what, file, place):
    sizes = [run for run in text.runs if run.size < least - 0.05]
    if not sizes:
        return []
    run = min(sizes, key=lambda other: other.size)
    detail = (
        f"{quoted(run.text, 40)} is set in {run.size:g} pt; {what} need {least} or more. Enlarge "
        "it, or cut words."
    )
    return [finding(code, file, place, detail)]


def _note(families, runs, page):
    for run in runs:
        families.setdefault(_family(run.family), page.number)


def _family(name):
    return _WEIGHTS.sub("", str(name)).strip()


def _grounds(page, piece, area):
    """Colours under an area, from the front: all that touch it, down to the first that holds it whole."""
    grounds = []
    below = [*page.backdrop, *(other for other in page.pieces if other.order < piece.order)]
    for other in reversed(below):
        if not other.painted or other.kind in ("chart", "table"):
            continue
        across, down = other.box.common(area)
        if min(across, down) <= 0.05:
            continue
        grounds.append(other.fill)
        if other.box.contains(area, 0.05):
            return grounds
    return [*grounds, page.ground]


def _faint(runs, grounds, file, place):
    for run in runs:
        for ground in grounds:
            if run.color and ground and contrast(run.color, ground) < LEAST_CONTRAST:
                ratio = contrast(run.color, ground)
                detail = (
                    f"{quoted(run.text, 40)} is #{run.color} on #{ground}, {ratio:.1f}:1; "
                    f"{LEAST_CONTRAST}:1 is the least. "
                    "Take a darker text on a light ground, or a lighter one on a dark ground."
                )
                return [finding("low_contrast", file, place, detail)]
    return []


def _faint_chart(piece, page, view, file, place):
    own = ground_of(piece.shape.chart, view.palette)
    grounds = [ground for ground in ([own] if own else _grounds(page, piece, piece.box)) if ground]
    for what, color, bars in text_colors(piece.shape.chart, view.palette):
        for ground in bars if bars is not None else grounds:
            ratio = contrast(color, ground)
            if ratio < LEAST_CONTRAST:
                detail = f"{what} is #{color} on #{ground}, {ratio:.1f}:1; {LEAST_CONTRAST}:1 is the least."
                return [finding("low_contrast", file, place, detail)]
    return []
