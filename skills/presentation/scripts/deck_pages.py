"""Pages of a deck: the cover, and the slide with title, footer and notes whose middle is to be filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import deck_theme as theme
from deck_shapes import (
    Line,
    darken,
    points,
    put_footer,
    put_takeaway,
    put_text,
    put_title,
    takeaway_height,
    write_notes,
)
from deck_text import clean, fit, one_line, shorten
from deck_theme import Box

if TYPE_CHECKING:
    from deck_words import Words

TAKEAWAY_WIDTH = 3.5
"""Of the card beside a chart or picture, in inches."""
_STRIP = 1.25
"""The most height of the card under a table or KPI cards."""
_COVER = Box(1.0, 1.9, 11.0, 2.2)
_UNDER_COVER = Box(1.0, 4.35, 11.0, 1.6)
_COVER_SIZES = (44, 40, 36, 32, 28)
ROOM = Box(theme.MARGIN, 1.75, theme.CONTENT, theme.BODY_BOTTOM - 1.75)
"""What every slide has for its content, even under a title of two lines."""


class Pages:
    """The presentation as a row of pages; each call adds one."""

    def __init__(self, title: str, words: Words, source: str) -> None:
        self.words = words
        self.source = source
        self.presentation = theme.new_presentation(title)

    @property
    def count(self) -> int:
        return len(self.presentation.slides)

    def add(self, title, source, notes, *, part=0, caption=""):
        """A new slide with title, footer and notes, and the room between them."""
        title = required(title)
        slide = self.presentation.slides.add_slide(self.presentation.slide_layouts[0])
        lines, cut = put_title(slide, title, suffix=f" {self.words.continued}" if part else "")
        write_notes(slide, f"{title}\n\n{clean(notes)}" if cut else notes)
        source = one_line(source) or self.source
        named = f"{self.words.source}: {source}" if source else ""
        put_footer(slide, self.words, ". ".join(filter(None, (named, caption))), self.count)
        top = 1.35 if lines == 1 else 1.75
        return slide, Box(theme.MARGIN, top, theme.CONTENT, theme.BODY_BOTTOM - top)

    def cover(self, title, subtitle, notes, *, numbered=True) -> None:
        slide = self.presentation.slides.add_slide(self.presentation.slide_layouts[0])
        darken(slide)
        _, cut = put_title(
            slide, required(title), _COVER, sizes=_COVER_SIZES, color=theme.PAPER, lines=3, on_floor=True
        )
        subtitle = clean(subtitle if isinstance(subtitle, str) else "\n".join(map(str, subtitle or ())))
        if subtitle:
            limit, room = points(_UNDER_COVER.width), _UNDER_COVER.height * 72
            size = fit(subtitle, (20, 18, 16), limit, room)
            shown = subtitle if size else shorten(subtitle, 16, limit, lines=5)
            put_text(slide, _UNDER_COVER, [Line(shown, size or 16, theme.SOFT)], name="Subtitle")
        write_notes(slide, f"{one_line(title)}\n\n{clean(notes)}" if cut else notes)
        if numbered:
            put_footer(slide, self.words, "", self.count, color=theme.SOFT)

    def beside(self, slide, body: Box, takeaway) -> Box:
        """Put the takeaway at the right; the room left of it."""
        if not clean(takeaway):
            return body
        left = body.right - TAKEAWAY_WIDTH
        put_takeaway(slide, takeaway, Box(left, body.top + 0.3, TAKEAWAY_WIDTH, body.height - 0.6))
        return Box(body.left, body.top, body.width - TAKEAWAY_WIDTH - theme.GAP, body.height)

    def room_below(self, takeaway) -> float:
        """Inches that `below` will take."""
        return theme.GAP + takeaway_height(takeaway, theme.CONTENT, _STRIP) if clean(takeaway) else 0.0

    def below(self, slide, content: Box, takeaway) -> None:
        """Put the takeaway under what is there already."""
        if clean(takeaway):
            put_takeaway(
                slide, takeaway, Box(theme.MARGIN, content.bottom + theme.GAP, theme.CONTENT, _STRIP)
            )


def required(title: object) -> str:
    text = one_line(title)
    if not text:
        raise ValueError("Give the slide a title that says its finding, such as 'Sales grew by a third'.")
    return text
