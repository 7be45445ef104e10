"""Measured text: how many lines it takes, how large it is, and where its ink lies in its box."""

import re
from dataclasses import dataclass
from functools import lru_cache

from gate_fonts import advance, pitch

LEAST_PITCH = 1.2
"""Points from line to line for each point of size, as LibreOffice sets every font: measured in its PDFs."""
_WIDE = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_TOKEN = re.compile(
    rf"[{_WIDE}]|[^\S\u00a0\u202f\n]+|\n|(?:[^\s{_WIDE}\-–]|[\u00a0\u202f])*[\-–]|(?:[^\s{_WIDE}\-–]|[\u00a0\u202f])+"
)
"""What a line break may come between; no-break spaces join, a hyphen ends a piece."""


@dataclass(frozen=True)
class Measure:
    """Points; `broken`: a word longer than a line."""

    lines: int
    width: float
    height: float
    broken: str = ""


@lru_cache(maxsize=4096)
def measure(block, limit):
    """Of a TextBlock in a frame whose text area is `limit` points wide."""
    lines, widest, height, broken = 0, 0.0, 0.0, ""
    for place, paragraph in enumerate(block.paragraphs):
        room = limit - paragraph.indent if block.wrapped else float("inf")
        count, width, word = _lines(paragraph, max(room, 1.0), paragraph.first)
        lead = max((run.size * max(LEAST_PITCH, pitch(run.family)) for run in paragraph.runs), default=0.0)
        step = paragraph.spacing if paragraph.exact else lead * paragraph.spacing
        height += count * step + paragraph.after + (paragraph.before if place else 0.0)
        lines, widest, broken = lines + count, max(widest, width + paragraph.indent), broken or word
    if block.paragraphs:
        height -= block.paragraphs[-1].after
    return Measure(lines, widest, height / block.columns, broken)


def text_room(piece):
    """Width and height in points that the text of a piece may fill."""
    across, down = (
        (piece.box.width, piece.box.height) if _level(piece) else (piece.box.height, piece.box.width)
    )
    left, top, right, bottom = _insets(piece, across, down)
    columns = piece.text.columns
    return max(0.0, across - left - right) * 72 / columns, max(0.0, down - top - bottom) * 72


def ink(piece, box_type):
    """The rectangle that the text itself covers, in inches; the whole box for text that is turned."""
    box = piece.box
    if not _level(piece) or piece.text.columns > 1:
        return box
    left, top, right, bottom = _insets(piece, box.width, box.height)
    taken = measure(piece.text, max(1.0, (box.width - left - right) * 72))
    width, height = taken.width / 72, taken.height / 72
    aligned = {paragraph.align for paragraph in piece.text.paragraphs if paragraph.words.strip()}
    start = box.left + left
    room = box.width - left - right
    if aligned <= {"ctr"}:
        start += (room - width) / 2
    elif aligned <= {"r"}:
        start += room - width
    elif aligned != {"l"} and width < room:
        width = room
    above = {"ctr": 0.5, "b": 1.0}.get(piece.text.anchor, 0.0)
    return box_type(start, box.top + top + (box.height - top - bottom - height) * above, width, height)


def _level(piece):
    return piece.text.upright and not 45 <= piece.turn % 180 < 135


def _insets(piece, across, down):
    """Of the frame, and of what the form of a shape takes of its corners."""
    left, top, right, bottom = piece.text.insets
    form = getattr(piece.shape, "_element", None)
    form = (
        form.find(".//{http://schemas.openxmlformats.org/drawingml/2006/main}prstGeom")
        if form is not None
        else None
    )
    kind = form.get("prst") if form is not None else "rect"
    if kind == "ellipse":
        return left + across * 0.146, top + down * 0.146, right + across * 0.146, bottom + down * 0.146
    if kind == "roundRect":
        corner = min(across, down) * 0.0488
        return left + corner, top + corner, right + corner, bottom + corner
    return left, top, right, bottom


def _lines(paragraph, limit, first):
    """(lines, the widest, a word that had to be broken); a bullet hangs in a negative first indent."""
    text, widths = [], []
    for run in paragraph.runs:
        for char in run.text:
            text.append(char)
            widths.append(0.0 if char == "\n" else advance(char, run.family, run.bold) * run.size)
    whole, sums = "".join(text), [0.0]
    for width in widths:
        sums.append(sums[-1] + width)
    lines, used, widest, broken = 1, 0.0 if paragraph.bullet else first, 0.0, ""
    for match in _TOKEN.finditer(whole):
        start, end = match.span()
        taken = sums[end] - sums[start]
        if match[0] == "\n":
            lines, used = lines + 1, 0.0
        elif match[0].isspace():
            used += taken
        elif used + taken <= limit + 0.5:
            used += taken
            widest = max(widest, used)
        elif taken <= limit + 0.5:
            lines, used = lines + 1, taken
            widest = max(widest, used)
        else:
            broken = broken or match[0]
            more = int(taken // limit)
            lines, used, widest = lines + more + (1 if used > 0 else 0), taken - more * limit, limit
    return lines, widest, broken
