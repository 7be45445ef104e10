"""Pages of a deck: the cover, and the slide with title, footer and notes whose middle is to be filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import deck_theme as theme
from deck_shapes import Line, darken, points, put_footer, put_text, write_notes
from deck_takeaway import STRIP, WIDTH, Takeaway, put_takeaway
from deck_text import clean, fit, one_line, shorten
from deck_theme import Box
from deck_title import fit_title, put_title
from deck_type import prose

if TYPE_CHECKING:
    from deck_words import Words

_COVER = Box(1.0, 1.9, 11.0, 2.2)
_UNDER_COVER = Box(1.0, 4.35, 11.0, 1.6)
_COVER_SIZES = (44, 40, 36, 32, 28)
_UNDER_TITLE = 0.2
"""Inches between a title and what it is about."""


class Pages:
    """The presentation as a row of pages; each call adds one."""

    def __init__(self, title: str, words: Words, source: str) -> None:
        self.words = words
        self.source = source
        self.presentation = theme.new_presentation(title)
        self.adapted: list[str] = []
        """What was changed to fit, a sentence each, for whoever wrote the script."""

    @property
    def count(self) -> int:
        return len(self.presentation.slides)

    def tell(self, what: str) -> None:
        """Remember that something of the newest slide was changed to fit."""
        sentence = f"slide {self.count}: {what}"
        if sentence not in self.adapted:
            self.adapted.append(sentence)

    def room(self, title, *, part=0) -> Box:
        """What a slide of this title has between title and footer."""
        title = fit_title(required(title), suffix=self._suffix(part))
        top = title.box.bottom + _UNDER_TITLE
        return Box(theme.MARGIN, top, theme.CONTENT, theme.BODY_BOTTOM - top)

    def add(self, title, source, notes, *, part=0, caption=""):
        """A new slide with title, footer and notes, and the room between them."""
        fitted = fit_title(required(title), suffix=self._suffix(part))
        slide = self.presentation.slides.add_slide(self.presentation.slide_layouts[0])
        put_title(slide, fitted)
        self._write_notes(slide, title, notes, cut=fitted.cut)
        source = one_line(source) or self.source
        named = f"{self.words.source}: {source}" if source else ""
        if put_footer(slide, self.words, ". ".join(filter(None, (named, caption))), self.count):
            self.tell("the source line was shortened")
        return slide, self.room(title, part=part)

    def cover(self, title, subtitle, notes, *, numbered=True) -> None:
        fitted = fit_title(required(title), _COVER, sizes=_COVER_SIZES, lines=3, on_floor=True)
        slide = self.presentation.slides.add_slide(self.presentation.slide_layouts[0])
        darken(slide)
        put_title(slide, fitted, color=theme.PAPER, on_floor=True)
        subtitle = prose(subtitle if isinstance(subtitle, str) else "\n".join(map(str, subtitle or ())))
        if subtitle:
            limit, room = points(_UNDER_COVER.width), _UNDER_COVER.height * 72
            size = fit(subtitle, (20, 18, 16), limit, room)
            shown = subtitle if size else shorten(subtitle, 16, limit, lines=5)
            put_text(slide, _UNDER_COVER, [Line(shown, size or 16, theme.SOFT)], name="Subtitle")
            if not size:
                self.tell("the subtitle was shortened")
        self._write_notes(slide, title, notes, cut=fitted.cut)
        if numbered:
            put_footer(slide, self.words, "", self.count, color=theme.SOFT)

    def beside(self, slide, body: Box, takeaway: Takeaway) -> Box:
        """Put the takeaway at the right; the room left of it."""
        if not takeaway:
            return body
        place = Box(body.right - WIDTH, body.top + 0.1, WIDTH, body.height - 0.2)
        self._put(slide, takeaway, place)
        return narrowed(body)

    def below(self, slide, content: Box, takeaway: Takeaway, *, largest=20) -> None:
        """Put the takeaway under what is there already."""
        if takeaway:
            place = Box(theme.MARGIN, content.bottom + theme.GAP, theme.CONTENT, STRIP)
            self._put(slide, takeaway, place, largest=largest)

    def _put(self, slide, takeaway: Takeaway, place: Box, *, largest=20) -> None:
        card = takeaway.card(place.width, place.height, largest=largest)
        put_takeaway(slide, card, place)
        if card.cut:
            self.tell("the takeaway was shortened; say it in fewer words")

    def _suffix(self, part: int) -> str:
        return f" {self.words.continued}" if part else ""

    def _write_notes(self, slide, title, notes, *, cut: bool) -> None:
        """A title that was cut is whole in the notes."""
        write_notes(slide, f"{one_line(title)}\n\n{clean(notes)}" if cut else notes)
        if cut:
            self.tell("the title was shortened, the whole of it is in the notes; about 90 characters fit")


def narrowed(body: Box) -> Box:
    """What a takeaway beside it leaves of the room."""
    return Box(body.left, body.top, body.width - WIDTH - theme.GAP, body.height)


def room_below(takeaway: Takeaway, *, largest=20) -> float:
    """Inches that `Pages.below` will take."""
    return theme.GAP + takeaway.card(theme.CONTENT, STRIP, largest=largest).height if takeaway else 0.0


def required(title: object) -> str:
    text = one_line(title)
    if not text:
        raise ValueError("Give the slide a title that says its finding, such as 'Sales grew by a third'.")
    return text
