"""The deck: each method adds a finished slide, or several where the text needs them."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import deck_theme as theme
from deck_cards import cards_of, put_cards
from deck_charts import put_chart
from deck_data import chart_table, with_counts
from deck_flow import bullets_of, flow, flow_together
from deck_labels import SILENT, crowding
from deck_options import ChartOptions, advised
from deck_pages import Pages, narrowed, required, room_below
from deck_plan import Kind, plan
from deck_scatter import cloud_of, put_scatter
from deck_shapes import Line, describe, picture_size, points, put_picture, put_text
from deck_table import cut_cells, frame_of, grid_of, put_table
from deck_table_fit import SENTENCE, SMALL, fit_table
from deck_takeaway import Takeaway
from deck_text import one_line, shorten
from deck_theme import Box
from deck_type import prose_line
from deck_words import words
from facts_drawn import Shown

_TALL_ENOUGH = 4.0
"""Inches that a chart keeps when its takeaway goes under it."""
_UNDER_HEADING = 0.5
"""Inches from the top of a column's heading to its bullets."""
_TEXT_WIDTH = 11.2
"""Inches; longer lines are hard to read."""


class Deck:
    """A presentation with a cover. `source` is the footer of every slide that names no other."""

    @advised
    def __init__(self, title, subtitle="", *, language="en", source="", notes=""):
        self._words = words(language)
        self._charts = 0
        self._shown = Shown(language)
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

    def percent(self, x, digits=1):
        """A share of 1 in the deck's language: '74.2%', '74,2 %'."""
        return self._words.percent(x, decimals=digits, spaced=True)

    def number(self, x, digits=0):
        """A number in the deck's language: '1,234.5', '1 234,5'."""
        return self._words.number(x, decimals=digits)

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
        cards, takeaway = cards_of(items, self._words), Takeaway.of(takeaway)
        slide, body = self._pages.add(title, source, notes)
        room = body.height - room_below(takeaway)
        taken, cut = put_cards(slide, cards, Box(body.left, body.top, body.width, room))
        if cut:
            self._pages.tell("texts of cards were shortened")
        self._pages.below(slide, taken, takeaway)
        self._shown.cards(f"slide {self.slides}", items)

    @advised
    def bullets(self, title, items, *, source="", notes=""):
        """Strings, or (head, text) pairs; too many flow onto further slides."""
        bullets = bullets_of(items)
        pages = flow(bullets, Box(theme.MARGIN, 0, _TEXT_WIDTH, self._pages.room(title, part=0).height))
        if len(pages) > 1:
            height = self._pages.room(title, part=1).height
            pages = flow(bullets, Box(theme.MARGIN, 0, _TEXT_WIDTH, height))
        for place, lines in enumerate(pages):
            slide, body = self._pages.add(title, source, notes if place == 0 else "", part=place)
            put_text(slide, Box(body.left, body.top, _TEXT_WIDTH, body.height), lines, name="Bullets")
        self._tell_flow(len(pages))

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
            sides.append((prose_line(side[0]), bullets_of(side[1])))
        texts = [bullets for _, bullets in sides]
        for part in (0, 1):
            room = Box(0, 0, width, self._pages.room(title, part=part).height - _UNDER_HEADING)
            flows = flow_together(texts, room)
            if max(map(len, flows)) == 1:
                break
        for part, pages in enumerate(zip_longest(*flows)):
            slide, body = self._pages.add(title, source, notes if part == 0 else "", part=part)
            for place, ((heading, _), lines) in enumerate(zip(sides, pages, strict=True)):
                if lines is None:
                    continue
                left_edge = body.left + place * (width + 2 * theme.GAP)
                head = Line(shorten(heading, 18, points(width), bold=True), 18, theme.ACCENT, bold=True)
                if head.text != heading:
                    self._pages.tell("a heading was shortened")
                if heading:
                    put_text(slide, Box(left_edge, body.top, width, 0.4), [head], name="Heading")
                place_of_list = Box(left_edge, body.top + _UNDER_HEADING, width, body.height - _UNDER_HEADING)
                put_text(slide, place_of_list, lines, name="Bullets")
        self._tell_flow(max(map(len, flows)))

    @advised
    def table(self, title, data, *, percent=False, takeaway="", source="", notes="", alt="", pages=1):
        """On at most `pages` slides; what does not fit is counted. `percent`: True, or names of columns."""
        frame = frame_of(data)
        if not isinstance(percent, bool) and not isinstance(percent, Collection):
            raise ValueError("percent is True, False or a list of column names.")
        percent = {percent} if isinstance(percent, str) else percent
        takeaway, pages = Takeaway.of(takeaway), max(1, int(pages))
        room = min(
            (self._pages.room(title, part=part) for part in range(min(pages, 2))), key=lambda b: b.height
        )
        grid = grid_of(frame.head(int(room.height / SMALL.row) * pages), self._words, percent)
        fit = fit_table(grid, len(frame), room, takeaway, pages)
        shown = grid.rows[: fit.rows * pages]
        for part, start in enumerate(range(0, len(shown), fit.rows)):
            rows = shown[start : start + fit.rows]
            slide, body = self._pages.add(title, source, notes if part == 0 else "", part=part)
            place = narrowed(body) if fit.beside else body
            summary = f"{one_line(title)}. {', '.join(filter(None, grid.header))}. {'; '.join(rows[0])}"
            taken = put_table(slide, grid, rows, place, alt or summary, fit.look)
            if start + fit.rows < len(shown):
                continue
            if sentence := self._left_out(len(frame) - len(shown), len(frame), grid.left_out):
                line = Box(body.left, taken.bottom + 0.08, place.width, SENTENCE - 0.08)
                put_text(slide, line, [Line(sentence, 12, theme.MUTED)], name="Left out")
                taken = Box(taken.left, taken.top, taken.width, taken.height + SENTENCE)
            if cut := cut_cells(replace(grid, rows=shown), place.width, fit.look):
                self._pages.tell(f"{cut} cells were shortened; use fewer columns or shorter texts")
            if fit.beside:
                self._pages.beside(slide, body, takeaway)
            else:
                self._pages.below(slide, taken, takeaway, largest=fit.largest)
        self._shown.table(f"slide {self.slides}", frame, data)

    @advised
    def picture(self, title, path, alt="", *, takeaway="", source="", notes=""):
        """A PNG or JPEG file, its aspect ratio kept."""
        size = picture_size(str(path))
        slide, body = self._pages.add(title, source, notes)
        put_picture(
            slide, str(path), size, self._pages.beside(slide, body, Takeaway.of(takeaway)), alt or title
        )

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
        if cloud.caption:
            self._pages.tell("not every point is drawn, evenly thinned")
        box = self._pages.beside(slide, body, Takeaway.of(chosen.takeaway))
        frame = put_scatter(slide, cloud, chosen, self._words, box)
        describe(frame, chosen.alt or f"Scatter: {one_line(title)}")
        self._shown.cloud(f"slide {self.slides}", cloud, data)
        self._charts += 1

    @advised
    def save(self, path="deck.pptx"):
        """Write the file and say so, with a line for each thing changed to fit; returns its path."""
        target = Path(str(path))
        if target.suffix.lower() != ".pptx":
            target = target.with_name(target.name + ".pptx")
        target.parent.mkdir(parents=True, exist_ok=True)
        self._pages.presentation.save(str(target))
        self._shown.save(target)
        print(f"saved {target}: {_counted(self.slides, 'slide')}, {_counted(self._charts, 'native chart')}")
        for sentence in self._pages.adapted:
            print(sentence)
        return str(target)

    def _chart(self, kind, title, data, keywords) -> None:
        options = ChartOptions.read(f"d.{kind}", keywords)
        table = with_counts(chart_table(data, self._words), options.n, self._words)
        takeaway, body = Takeaway.of(options.takeaway), self._pages.room(title)
        under = Box(body.left, body.top, body.width, body.height - room_below(takeaway))
        # beside a chart the takeaway is read first; under it where the values need the whole width
        boxes = [narrowed(body), *([under] if under.height >= _TALL_ENOUGH else [])] if takeaway else [body]
        plans = [plan(kind, table, options, self._words, box.width) for box in boxes]
        crowded = [crowding(planned, box) for planned, box in zip(plans, boxes, strict=True)]
        chosen = crowded.index(min(crowded))
        planned, box = plans[chosen], boxes[chosen]
        slide, body = self._pages.add(title, options.source, options.notes, caption=planned.caption)
        frame = put_chart(slide, planned, options, self._words, box)
        describe(frame, options.alt or self._alt(title, planned, options))
        if chosen:
            self._pages.below(slide, box, takeaway)
        else:
            self._pages.beside(slide, body, takeaway)
        if crowded[chosen] >= SILENT and not table.timed:
            self._pages.tell("no room for the values at the bars, so an axis shows them")
        for sentence in planned.adapted:
            self._pages.tell(sentence)
        self._shown.chart(f"slide {self.slides}", planned, options, data)
        self._charts += 1

    def _left_out(self, rows: int, every: int, columns: int) -> str:
        """What the reader is told of a table that was cut; the author is told too."""
        if rows:
            self._pages.tell(f"{rows} of {every} rows left out; use pages=2 or a shorter takeaway")
        if columns:
            self._pages.tell(f"{columns} columns left out; choose at most 8")
        missing = [(rows, self._words.rows), (columns, self._words.columns)]
        return "; ".join(self._words.count(number, forms) for number, forms in missing if number)

    def _tell_flow(self, pages: int) -> None:
        if pages > 1:
            self._pages.tell(f"is the last of {pages} that the bullets take; fewer words fit one")

    def _alt(self, title, planned, options) -> str:
        """The finding, and the first numbers."""
        write = self.percent if options.percent or options.share else self._words.number
        first = planned.table.series[0]
        pairs = zip(planned.table.labels, first.values, strict=True)
        told = [f"{one_line(label)} {write(value)}" for label, value in pairs if value is not None][:12]
        return f"{planned.kind.capitalize()} chart: {one_line(title)}. {'; '.join(told)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
