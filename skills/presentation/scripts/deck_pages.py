"""Pages of a deck: the cover, and the slide with title, footer and notes whose middle is to be filled."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import deck_theme as theme
from deck_shapes import Line, fill_holder, fill_shapes, mirror, paint, points, put_footer, write_notes
from deck_sources import source_of, source_sentence
from deck_takeaway import STRIP, Takeaway, put_takeaway
from deck_template import Page, Template, describe_file
from deck_text import clean, fit, one_line, shorten
from deck_theme import Box
from deck_title import fit_title, put_title
from deck_type import prose
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN

if TYPE_CHECKING:
    from deck_words import Words

_UNDER_TITLE = 0.2
"""Inches between a title and what it is about."""


class Pages:
    """The presentation as a row of pages; each call adds one."""

    def __init__(self, title: str, words: Words, source: str, rows: int | None, template: Template) -> None:
        self.words = words
        self.source, self.rows = source, rows
        self.template = template
        self.presentation = template.presentation
        describe_file(self.presentation, title)
        self.adapted: list[str] = []
        """What was changed to fit, a sentence each, for whoever wrote the script."""
        self.used: Counter[Page] = Counter()
        self.cut = False
        """Some slide shows a part of its data."""
        self.last = Page.COVER
        self._turnable: list = []
        """Slides with something at the left and a takeaway at the right."""
        self._titles: dict[str, int] = {}

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
        top = max(theme.BODY_TOP, title.box.bottom + _UNDER_TITLE)
        return Box(theme.MARGIN, top, theme.CONTENT, theme.BODY_BOTTOM - top)

    def add(self, title, source, notes, *, page=Page.CHART, part=0, caption="", told=()):
        """A new slide with title, footer and notes, and the room between them; `told` is for the notes: how
        the figures were made."""
        fitted = fit_title(required(title), suffix=self._suffix(part))
        slide = self._slide(page)
        put_title(slide, fitted)
        self._check_title(one_line(title) + self._suffix(part))
        source = one_line(source) or self.source
        shown = f"{self.words.source}: {source}" if source else ""
        if caption:
            self.cut = True
        said = clean(notes)
        origin = source_sentence(source_of(source, self.words), self.rows, self.words)
        lines = [said, *told, *([] if source and source in said else [origin])]
        self._write_notes(slide, title, "\n".join(filter(None, lines)), cut=fitted.cut)
        if put_footer(slide, self.words, ". ".join(filter(None, (shown, caption))), self.count):
            self.tell("the source line was shortened")
        return slide, self.room(title, part=part)

    def cover(self, title, subtitle, notes, *, page=Page.SECTION, numbered=True) -> None:
        look = self.template.section if page is Page.SECTION else self.template.cover
        fitted = fit_title(
            required(title), look.title, sizes=theme.COVER_SIZES, on_floor=look.on_floor, fixed=look.centered
        )
        slide = self._slide(page)
        if look.ground is not None:
            paint(slide, look.ground)
        put_title(
            slide,
            fitted,
            color=look.title_color,
            anchor="b" if look.on_floor else "t",
            centered=look.centered,
        )
        subtitle = prose(subtitle if isinstance(subtitle, str) else "\n".join(map(str, subtitle or ())))
        if subtitle:
            limit, room = points(look.subtitle.width), look.subtitle.height * 72
            size = fit(subtitle, (20, 18, 16, 14), limit, room)
            most = max(1, int(room / (14 * theme.LINE_HEIGHT)))
            shown = subtitle if size else shorten(subtitle, 14, limit, lines=most)
            line = Line(shown, size or 14, look.subtitle_color)
            align = PP_ALIGN.CENTER if look.centered else PP_ALIGN.LEFT
            anchor = MSO_ANCHOR.BOTTOM if look.subtitle.top < look.title.top else MSO_ANCHOR.TOP
            fill_holder(slide, look.subtitle, [line], name="Subtitle", align=align, anchor=anchor)
            if not size:
                self.tell("the subtitle was shortened")
        if look.panel is not None:
            fill_shapes(slide, look.panel)
        self._write_notes(slide, title, notes, cut=fitted.cut)
        if numbered:
            put_footer(slide, self.words, "", self.count, color=look.subtitle_color)

    def text(self, slide, box: Box, lines) -> None:
        """Bullets in the layout's own place for text, where it has one, so that outlines show them."""
        fill_holder(slide, box, lines, name="Bullets")

    def beside(self, slide, body: Box, takeaway: Takeaway) -> Box:
        """Put the takeaway at the right; the room left of it."""
        if not takeaway:
            return body
        place = Box(body.right - theme.BESIDE, body.top + 0.1, theme.BESIDE, body.height - 0.2)
        self._put(slide, takeaway, place)
        self._turnable.append(slide)
        return narrowed(body)

    def below(self, slide, content: Box, takeaway: Takeaway, *, largest=22) -> None:
        """Put the takeaway under what is there already."""
        if takeaway:
            place = Box(theme.MARGIN, content.bottom + theme.GAP, theme.CONTENT, STRIP)
            self._put(slide, takeaway, place, largest=largest)

    def finish(self) -> None:
        """Turn slides round where more than half would look the same, and take away what a layout offered and
        no slide used."""
        excess = len(self._turnable) - self.count // 2
        for slide in self._turnable[1::2][: max(0, excess)]:
            mirror(slide)
        self._turnable = self._turnable if excess <= 0 else []
        for slide in self.presentation.slides:
            for holder in list(slide.placeholders):
                if holder.has_text_frame and not holder.text_frame.text.strip():
                    holder._element.getparent().remove(holder._element)

    def _slide(self, page: Page):
        self.used[page] += 1
        self.last = page
        return self.presentation.slides.add_slide(self.template.layouts[page])

    def _put(self, slide, takeaway: Takeaway, place: Box, *, largest=22) -> None:
        card = takeaway.card(place.width, place.height, largest=largest)
        put_takeaway(slide, card, place)
        if card.cut:
            self.tell("the takeaway was shortened; say it in fewer words")

    def _suffix(self, part: int) -> str:
        return f" {self.words.continued}" if part == 1 else f" {self.words.continued} {part}" if part else ""

    def _check_title(self, title: str) -> None:
        earlier = self._titles.setdefault(title.casefold(), self.count)
        if earlier != self.count:
            self.tell(f"has the title of slide {earlier}; say what is different")

    def _write_notes(self, slide, title, notes, *, cut: bool) -> None:
        """A title that was cut is whole in the notes."""
        write_notes(slide, f"{one_line(title)}\n\n{clean(notes)}" if cut else notes)
        if cut:
            self.tell("the title was shortened, the whole of it is in the notes; about 100 characters fit")


def narrowed(body: Box) -> Box:
    """What a takeaway beside it leaves of the room."""
    return Box(body.left, body.top, body.width - theme.BESIDE - theme.GAP, body.height)


def room_below(takeaway: Takeaway, *, largest=22) -> float:
    """Inches that `Pages.below` will take."""
    return theme.GAP + takeaway.card(theme.CONTENT, STRIP, largest=largest).height if takeaway else 0.0


def required(title: object) -> str:
    text = one_line(title)
    if not text:
        raise ValueError("Give the slide a title that says its finding, such as 'Sales grew by a third'.")
    return text
