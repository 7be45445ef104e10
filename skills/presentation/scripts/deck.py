"""The deck: each method adds a finished slide, or several where the text needs them."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from itertools import zip_longest
from pathlib import Path

import deck_theme as theme
from deck_cards import cards_of, put_cards
from deck_charts import put_chart
from deck_data import chart_table
from deck_flow import bullets_of, flow, flow_together
from deck_options import ChartOptions, advised
from deck_pages import ROOM, TAKEAWAY_WIDTH, Pages, required
from deck_plan import Kind, plan
from deck_scatter import cloud_of, put_scatter
from deck_shapes import Line, describe, picture_size, points, put_picture, put_text
from deck_table import frame_of, grid_of, put_table, rows_that_fit
from deck_text import clean, one_line, shorten
from deck_theme import Box
from deck_words import words

_SENTENCE = 0.35
"""Inches for the sentence under a table that was cut."""
_TEXT_WIDTH = 11.2
"""Inches; longer lines are hard to read."""


class Deck:
    """A presentation with a cover. `source` is the footer of every slide that names no other."""

    @advised
    def __init__(self, title, subtitle="", *, language="en", source="", notes=""):
        self._words = words(language)
        self._charts = 0
        self._pages = Pages(required(title), self._words, one_line(source))
        self._pages.cover(title, subtitle, notes, numbered=False)

    def __getattr__(self, name):
        # only called for what is not there
        known = [method for method in dir(type(self)) if not method.startswith("_")]
        close = difflib.get_close_matches(name, known, n=1)
        guess = f" Did you mean d.{close[0]}?" if close else ""
        raise AttributeError(f"Deck has no {name!r}.{guess} It has: {', '.join(known)}.")

    @property
    def slides(self):
        """How many slides there are."""
        return self._pages.count

    @property
    def slide_width(self):
        """In EMU, as python-pptx counts."""
        return self._pages.presentation.slide_width

    @property
    def slide_height(self):
        return self._pages.presentation.slide_height

    @advised
    def section(self, title, subtitle="", *, notes=""):
        """A dark divider."""
        self._pages.cover(title, subtitle, notes)

    @advised
    def closing(self, title, subtitle="", *, notes=""):
        """A dark last slide: the one thing to remember, or what to do next."""
        self._pages.cover(title, subtitle, notes)

    @advised
    def kpis(self, title, items, *, takeaway="", source="", notes=""):
        """One to eight cards of (value, label)."""
        cards = cards_of(items, self._words)
        slide, body = self._pages.add(title, source, notes)
        room = body.height - self._pages.room_below(takeaway)
        taken = put_cards(slide, cards, Box(body.left, body.top, body.width, room))
        self._pages.below(slide, taken, takeaway)

    @advised
    def bullets(self, title, items, *, source="", notes=""):
        """Strings, or (head, text) pairs; too many flow onto further slides."""
        bullets = bullets_of(items)
        pages = flow(bullets, Box(ROOM.left, 0, _TEXT_WIDTH, ROOM.height))
        for place, lines in enumerate(pages):
            slide, body = self._pages.add(title, source, notes if place == 0 else "", part=place)
            put_text(slide, Box(body.left, body.top, _TEXT_WIDTH, body.height), lines, name="Bullets")

    @advised
    def two_columns(self, title, left, right, *, source="", notes=""):
        """Two (heading, bullets) pairs side by side."""
        width = (theme.CONTENT - 2 * theme.GAP) / 2
        sides = []
        for side in (left, right):
            if not isinstance(side, (tuple, list)) or len(side) != 2 or not isinstance(side[0], str):
                raise ValueError(
                    "two_columns takes two (heading, bullets) pairs: ('Before', ['one', 'two'])."
                )
            sides.append((one_line(side[0]), bullets_of(side[1])))
        room = Box(0, 0, width, ROOM.height - 0.55)
        flows = flow_together([bullets for _, bullets in sides], room)
        for part, pages in enumerate(zip_longest(*flows)):
            slide, body = self._pages.add(title, source, notes if part == 0 else "", part=part)
            for place, ((heading, _), lines) in enumerate(zip(sides, pages, strict=True)):
                if lines is None:
                    continue
                left_edge = body.left + place * (width + 2 * theme.GAP)
                head = Line(shorten(heading, 18, points(width), bold=True), 18, theme.ACCENT, bold=True)
                if heading:
                    put_text(slide, Box(left_edge, body.top, width, 0.4), [head], name="Heading")
                place_of_list = Box(left_edge, body.top + 0.55, width, body.height - 0.55)
                put_text(slide, place_of_list, lines, name="Bullets")

    @advised
    def table(self, title, data, *, percent=False, takeaway="", source="", notes="", alt="", pages=1):
        """On at most `pages` slides; what does not fit is counted. `percent`: True, or names of columns."""
        frame = frame_of(data)
        if not isinstance(percent, bool) and not isinstance(percent, Collection):
            raise ValueError("percent is True, False or a list of column names.")
        percent = {percent} if isinstance(percent, str) else percent
        fits = rows_that_fit(ROOM.height - self._pages.room_below(takeaway) - _SENTENCE)
        shown = min(len(frame), fits * max(1, int(pages)))
        grid = grid_of(frame.head(shown), self._words, percent)
        for part, start in enumerate(range(0, shown, fits)):
            rows = grid.rows[start : start + fits]
            slide, body = self._pages.add(title, source, notes if part == 0 else "", part=part)
            summary = f"{one_line(title)}. {', '.join(filter(None, grid.header))}. {'; '.join(rows[0])}"
            taken = put_table(slide, grid, rows, body, alt or summary)
            if start + fits < shown:
                continue
            missing = [(len(frame) - shown, self._words.rows), (grid.left_out, self._words.columns)]
            sentence = "; ".join(self._words.count(number, forms) for number, forms in missing if number)
            if sentence:
                place = Box(body.left, taken.bottom + 0.08, body.width, _SENTENCE - 0.08)
                put_text(slide, place, [Line(sentence, 12, theme.MUTED)], name="Left out")
                taken = Box(taken.left, taken.top, taken.width, taken.height + _SENTENCE)
            self._pages.below(slide, taken, takeaway)

    @advised
    def picture(self, title, path, alt="", *, takeaway="", source="", notes=""):
        """A PNG or JPEG file, its aspect ratio kept."""
        size = picture_size(str(path))
        slide, body = self._pages.add(title, source, notes)
        put_picture(slide, str(path), size, self._pages.beside(slide, body, takeaway), alt or title)

    @advised
    def bar(self, title, data, **options):
        """Horizontal bars: best for names."""
        self._chart(Kind.BAR, title, data, options)

    @advised
    def column(self, title, data, **options):
        """Vertical bars: best for few short labels, and for time. Long labels turn them into d.bar."""
        self._chart(Kind.COLUMN, title, data, options)

    @advised
    def line(self, title, data, **options):
        """Change over time."""
        self._chart(Kind.LINE, title, data, options)

    @advised
    def pie(self, title, data, **options):
        """Parts of one whole; more than six are added up into 'other'."""
        self._chart(Kind.PIE, title, data, options)

    @advised
    def stacked(self, title, data, **options):
        """Columns made of parts; share=True makes each of them 100%."""
        self._chart(Kind.STACKED, title, data, options)

    @advised
    def scatter(self, title, data, **options):
        """Two numbers of each thing: a DataFrame of x, y and maybe a group."""
        chosen = ChartOptions.read("d.scatter", options)
        cloud = cloud_of(data, self._words)
        slide, body = self._pages.add(title, chosen.source, chosen.notes, caption=cloud.caption)
        box = self._pages.beside(slide, body, chosen.takeaway)
        frame = put_scatter(slide, cloud, chosen, self._words, box)
        describe(frame, chosen.alt or f"Scatter: {one_line(title)}")
        self._charts += 1

    @advised
    def save(self, path="deck.pptx"):
        """Write the file and say so; returns its path as a string."""
        target = Path(str(path))
        if target.suffix.lower() != ".pptx":
            target = target.with_name(target.name + ".pptx")
        target.parent.mkdir(parents=True, exist_ok=True)
        self._pages.presentation.save(str(target))
        print(f"saved {target}: {_counted(self.slides, 'slide')}, {_counted(self._charts, 'native chart')}")
        return str(target)

    def _chart(self, kind, title, data, keywords) -> None:
        options = ChartOptions.read(f"d.{kind}", keywords)
        width = theme.CONTENT - (TAKEAWAY_WIDTH + theme.GAP if clean(options.takeaway) else 0)
        planned = plan(kind, chart_table(data, self._words), options, self._words, width)
        slide, body = self._pages.add(title, options.source, options.notes, caption=planned.caption)
        frame = put_chart(
            slide, planned, options, self._words, self._pages.beside(slide, body, options.takeaway)
        )
        describe(frame, options.alt or self._alt(title, planned, options))
        self._charts += 1

    def _alt(self, title, planned, options) -> str:
        """The finding, and the first numbers."""
        write = self._words.percent if options.percent or options.share else self._words.number
        first = planned.table.series[0]
        pairs = zip(planned.table.labels, first.values, strict=True)
        told = [f"{label.strip()} {write(value)}" for label, value in pairs if value is not None][:12]
        return f"{planned.kind.capitalize()} chart: {one_line(title)}. {'; '.join(told)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
