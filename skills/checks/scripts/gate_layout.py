"""Checks 3, 4, 5 and 13: places, measured text, overlaps, and whether all slides look alike."""

from collections import Counter

from gate_deck import Box
from gate_fit import ink, measure, text_room
from gate_model import finding, quoted
from gate_roles import is_caption

MARGIN = 0.5
"""Inches between content and the slide's edge."""
_SLACK = 0.02
"""Inches that rounding may take."""
_AT_EDGE = 0.05
_THIN = 0.15
"""Inches; a bar no thicker is decoration wherever it stands."""
_OVERFLOW = 3.0
"""Points that text may be higher than its box: the last line's gap holds no ink."""
_TOUCH = 0.05
"""Inches of overlap that nobody sees."""
_BAND = 0.9
"""Share of the slide's width or height from which on a ground is a band, that things may reach over."""
_ENOUGH = 20
"""Overlaps of one slide."""
_SLIDES_FOR_VARIETY = 4


def place_findings(view, file):
    """Check 3."""
    found = []
    canvas = Box(0, 0, view.width, view.height)
    for page in view.pages:
        for piece in page.pieces:
            if piece.kind == "empty" or not (piece.is_content or piece.painted or piece.kind == "line"):
                continue
            place = f"{page.place}, {piece.name}"
            if not canvas.contains(piece.box, _SLACK):
                box = piece.box
                detail = (
                    f"It reaches beyond the slide: left {box.left:.2f}, top {box.top:.2f}, right "
                    f"{box.right:.2f}, "
                    f"bottom {box.bottom:.2f} in on a slide of {view.width:.2f} x {view.height:.2f} in. "
                    "Move or shrink it."
                )
                found.append(finding("off_canvas", file, place, detail))
            elif (gap := _gap(piece, canvas)) < MARGIN - _SLACK:
                detail = (
                    f"It stands {gap:.2f} in from the edge of the slide; keep {MARGIN} in free on all sides."
                )
                found.append(finding("margin", file, place, detail))
    return found


def fit_findings(view, file):
    """Check 4."""
    found = []
    for page in view.pages:
        for piece in page.pieces:
            place = f"{page.place}, {piece.name}"
            if piece.words:
                found += _overflow(piece, page, view, file, place)
            if piece.kind == "table":
                found += _cells(piece, file, place)
    return found


def overlap_findings(view, file):
    """Check 5. A box inside another is intended where what is written there does not meet."""
    found = []
    for page in view.pages:
        pieces = [piece for piece in page.pieces if piece.is_content or piece.painted]
        areas = {piece.order: ink(piece, Box) if piece.words else piece.box for piece in pieces}
        before = len(found)
        for place, over in enumerate(pieces):
            for under in pieces[:place] if len(found) - before < _ENOUGH else ():
                across, down = over.box.common(under.box)
                if min(across, down) <= _TOUCH:
                    continue
                code = _clash(over, under, areas, view)
                if code:
                    where = f"{page.place}, {over.name} and {under.name}"
                    detail = (
                        f"{quoted(over.name, 40)} covers {across:.2f} x {down:.2f} in of "
                        f"{quoted(under.name, 40)}. "
                        "Move one of them, or make it smaller."
                    )
                    found.append(finding(code, file, where, detail))
    return found


def variety_findings(view, file):
    """Check 13."""
    if len(view.pages) < _SLIDES_FOR_VARIETY:
        return []
    looks = [composition(page, view) for page in view.pages]
    look, count = Counter(looks).most_common(1)[0]
    if count * 2 <= len(view.pages):
        return []
    numbers = [str(page.number) for page, other in zip(view.pages, looks, strict=True) if other == look]
    detail = (
        f"{count} of {len(view.pages)} slides are composed the same way ({look}): slides "
        f"{', '.join(numbers[:20])}. "
        "Vary: figures on cards, a table, a chart across the slide with its sentence below, two columns."
    )
    return [finding("monotonous", file, "", detail)]


def composition(page, view):
    """How a slide is put together: 'chart left, text beside'. A layout's name says nothing of it."""
    content = [
        piece
        for piece in page.content()
        if piece.kind != "title" and not piece.is_footer and not is_caption(piece, view)
    ]
    data = [piece for piece in content if piece.kind in ("chart", "table", "picture")]
    texts = [piece for piece in content if piece.kind == "text"]
    if not data:
        bulleted = [
            piece for piece in texts if any(p.bullet and p.words.strip() for p in piece.text.paragraphs)
        ]
        if bulleted:
            return f"bullets in {len(bulleted)} columns" if len(bulleted) > 1 else "bullets"
        if len(texts) >= 3:
            return f"{len(texts)} cards"
        return "text" if any(len(piece.words) > 200 for piece in texts) else "title alone"
    parts = sorted(f"{piece.kind} {_zone(piece, view)}" for piece in data)
    lowest = max(piece.box.bottom for piece in data)
    if texts:
        parts.append("text below" if min(piece.box.top for piece in texts) > lowest - 0.3 else "text beside")
    return ", ".join(parts)


def _zone(piece, view):
    if piece.box.width > view.width * 0.7:
        return "across"
    return "left" if piece.box.left + piece.box.width / 2 < view.width / 2 else "right"


def _gap(piece, canvas):
    """Inches to the nearest edge; infinite for what may reach it. A band, and a place that the
    template gave, are judged by their text."""
    box = piece.box
    sides = (box.left, box.top, canvas.right - box.right, canvas.bottom - box.bottom)
    if piece.is_footer and piece.inherited_place:
        return float("inf")
    bleeds = min(sides) <= _AT_EDGE
    if not piece.is_content:
        thin = min(box.width, box.height) <= _THIN
        return float("inf") if bleeds or thin or piece.kind == "line" else min(sides)
    if (
        piece.kind == "picture"
        and bleeds
        and (box.height >= canvas.height - 0.1 or box.width >= canvas.width - 0.1)
    ):
        return float("inf")
    if piece.words and ((piece.painted and bleeds) or piece.inherited_place):
        written = ink(piece, Box)
        sides = (
            written.left, written.top, canvas.right - written.right, canvas.bottom - written.bottom
        )  # fmt: skip
    return min(sides)


def _overflow(piece, page, view, file, place):
    width, height = text_room(piece)
    taken = measure(piece.text, max(1.0, width))
    words = quoted(piece.words, 40)
    if not piece.text.wrapped:
        if taken.width > max(width, 0) + 2:
            return [
                finding(
                    "text_overflow",
                    file,
                    place,
                    f"{words} does not wrap and is {taken.width / 72:.2f} in wide in a "
                    f"box of {width / 72:.2f} in. Turn word wrap on, or widen the box.",
                )
            ]
    elif taken.broken:
        detail = (
            f"{quoted(taken.broken, 40)} is longer than a line of its box and breaks. Widen the "
            "box or shorten it."
        )
        if taken.height <= height + _OVERFLOW:
            return [finding("word_broken", file, place, detail)]
    if taken.height <= height + _OVERFLOW:
        return []
    size = piece.text.largest
    detail = (
        f"{words} takes {taken.lines} lines, {taken.height / 72:.2f} in, at {size:g} pt; its box has "
        f"{height / 72:.2f} in. Cut words, enlarge the box, or choose a smaller size that is still allowed."
    )
    return [finding("text_overflow", file, place, detail)]


def _cells(piece, file, place):
    found = []
    for cell in piece.cells:
        left, top, right, bottom = cell.text.insets
        if not cell.text.words:
            continue
        taken = measure(cell.text, max(1.0, (cell.width - left - right) * 72))
        room = (cell.height - top - bottom) * 72
        where = f"{place}, row {cell.row}, column {cell.column}"
        if taken.height > room + _OVERFLOW:
            detail = (
                f"{quoted(cell.text.words, 40)} takes {taken.lines} lines, {taken.height:.0f} pt, in a "
                "row with room for "
                f"{room:.0f}. Widen the column, shorten the text, or make the row higher."
            )
            found.append(finding("cell_overflow", file, where, detail))
        elif taken.broken:
            detail = (
                f"{quoted(taken.broken, 40)} is longer than its cell is wide and breaks. Widen the column."
            )
            found.append(finding("word_broken", file, where, detail))
    return found


def _clash(over, under, areas, view):
    """The code of what the front piece does to the one behind, if anything."""
    if not over.is_content:
        # decoration in front: a ground that hides what is written, or a bar across it
        across, down = over.box.common(areas[under.order])
        hides = over.painted and under.is_content and min(across, down) > _TOUCH
        return "overlap" if hides else None
    if not under.is_content:
        # a card: all of what is written stands on it, or none of it
        if under.box.contains(areas[over.order], 0.08) or min(under.box.width, under.box.height) <= _THIN:
            return None
        across, down = under.box.common(areas[over.order])
        band = under.box.width >= view.width * _BAND or under.box.height >= view.height * _BAND
        return "overlap" if min(across, down) > _TOUCH and not band else None
    across, down = areas[over.order].common(areas[under.order])
    meet = min(across, down) > _TOUCH
    if meet and under.kind == "picture" and over.words and under.box.contains(over.box):
        return "text_over_picture"
    if meet:
        return "overlap"
    inside = under.painted and under.words and under.box.contains(over.box)
    return None if inside else "boxes_overlap"
