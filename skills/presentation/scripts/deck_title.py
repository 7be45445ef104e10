"""The title of a slide: fitted to its lines, balanced, and as high as it is."""

from __future__ import annotations

from dataclasses import dataclass

import deck_theme as theme
from deck_shapes import Line, points, write
from deck_text import shorten, width, wrap
from deck_theme import Box
from deck_type import prose_line
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN

_ANCHORS = {"b": MSO_ANCHOR.BOTTOM, "ctr": MSO_ANCHOR.MIDDLE}
_ORPHAN = 0.3
"""A last line shorter than this share of the first is avoided."""
_EASE = 1.04
"""How much wider than need be a balanced title is set, for renderers that draw wider."""


@dataclass(frozen=True)
class Title:
    """What is shown, and where; `cut` when words had to go."""

    text: str
    size: int
    box: Box
    cut: bool


def fit_title(
    text: object,
    box: Box | None = None,
    *,
    sizes=theme.TITLE_SIZES,
    lines=2,
    suffix="",
    on_floor=False,
    fixed=None,
) -> Title:
    """The largest of `sizes` that needs at most `lines`; it stands at the top of the box, or `on_floor`."""
    fixed = bool(theme.TITLE_ANCHOR) if fixed is None else fixed
    box = box or theme.TITLE
    limit = points(box.width)

    def wrapped(shown: str, size: int) -> list[str]:
        return wrap(shown + suffix, size, limit, bold=True)

    title = prose_line(text)
    fitting = [size for size in sizes if len(wrapped(title, size)) <= lines]
    size = fitting[0] if fitting else sizes[-1]
    if len(fitting) > 1 and _has_orphan(wrapped(title, size), size) and len(wrapped(title, fitting[1])) == 1:
        size = fitting[1]
    shown = title if fitting else shorten(title, size, limit, lines=lines, bold=True)
    while len(wrapped(shown, size)) > lines and len(shown) > 1:
        # the suffix too wants its place: give up the last word, or half of a word that is a line long
        words = shown.rstrip("…").rsplit(" ", 1)
        shown = (words[0] if len(words) > 1 else shown[: len(shown) // 2]).rstrip(" ,;:.-–") + "…"
    used = len(wrapped(shown, size))
    if fixed:
        return Title(shown + suffix, size, box, cut=shown != title)
    # no higher than its lines, so that the content begins right under it
    height = min(box.height, used * size * theme.LINE_HEIGHT / 72 + 0.05)
    across = box.width if used == 1 else _balanced(shown + suffix, size, box.width, used)
    place = Box(box.left, box.bottom - height if on_floor else box.top, across, height)
    return Title(shown + suffix, size, place, cut=shown != title)


def put_title(slide, title: Title, *, color=None, anchor="", centered=False) -> None:
    """Fill the title placeholder."""
    shape = slide.shapes.title
    shape.left, shape.top, shape.width, shape.height = title.box.emu()
    line = Line(title.text, title.size, color or theme.INK, bold=theme.TITLE_BOLD)
    place = _ANCHORS.get(anchor or theme.TITLE_ANCHOR, MSO_ANCHOR.TOP)
    align = PP_ALIGN.CENTER if centered else PP_ALIGN.LEFT
    write(shape.text_frame, [line], anchor=place, align=align, family=theme.HEADING_FONT)


def _has_orphan(lines: list[str], size: int) -> bool:
    if len(lines) < 2:
        return False
    return width(lines[-1], size, bold=True) < _ORPHAN * width(lines[0], size, bold=True)


def _balanced(text: str, size: int, most: float, lines: int) -> float:
    """The least width, in inches, at which the title takes no more lines: they are then about as long."""
    low, high = most * 0.4, most
    for _ in range(12):
        middle = (low + high) / 2
        if len(wrap(text, size, points(middle), bold=True)) <= lines:
            high = middle
        else:
            low = middle
    return min(most, high * _EASE)
