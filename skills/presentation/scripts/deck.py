"""The deck: each method adds a finished slide, or several where the text needs them."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import deck_theme as theme
from deck_brand import template_of
from deck_bullets import put_bullets
from deck_cards import cards_of, put_cards
from deck_charts import put_chart
from deck_columns import put_columns, side_of
from deck_data import chart_table, with_counts
from deck_flow import bullets_of
from deck_labels import FLAT, SILENT, crowding
from deck_method import has_method, method_of
from deck_options import ChartOptions, advised
from deck_pages import Pages, narrowed, required, room_below
from deck_plan import Kind, alt_of, plan
from deck_scatter import cloud_of, put_scatter
from deck_shapes import Line, describe, picture_size, put_picture, put_text
from deck_sources import calculations, value_of
from deck_table import cut_cells, frame_of, grid_of, put_table
from deck_table_fit import SENTENCE, SMALL, fit_table
from deck_takeaway import Takeaway
from deck_template import Page
from deck_text import one_line
from deck_theme import Box
from deck_words import words
from facts_drawn import Shown

_TALL_ENOUGH = 4.0
"""Inches that a chart keeps when its takeaway goes under it."""
_FEW = 6
"""Bars that may lie over a takeaway."""


class Deck:
    """A presentation with a cover. `source` is the footer of every slide that names no other, `rows` the size
    of that source, `slides` the number that was asked for, `template` a .pptx whose look is taken."""

    @advised
    def __init__(
        self, title, subtitle="", *, language="en", source="", rows=None, slides=None, template=None, notes=""
    ):
        self._words, self._charts, self._asked = words(language), 0, slides
        self._shown = Shown(language)
        name = required(title)
        look = template_of(template)
        theme.use(look.theme)
        self._pages = Pages(name, self._words, one_line(source), value_of(rows), look)
        self._pages.cover(title, subtitle, notes, page=Page.COVER, numbered=False)

    def _enter(self):
        """Several decks may be made by turns, each in its own look."""
        if "_pages" in self.__dict__:
            theme.use(self._pages.template.theme)

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
        """A share of 1, or a fact, in the deck's language: '74.2%', '74,2 %'."""
        return self._words.percent(value_of(x), decimals=digits, spaced=True)

    def number(self, x, digits=0):
        """A number in the deck's language: '1,234.5', '1 234,5'."""
        return self._words.number(value_of(x), decimals=digits)

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
        """A dark slide near the end: the one thing to remember, or what to do next."""
        self._pages.cover(title, subtitle, notes)

    @advised
    def kpis(self, title, items, *, takeaway="", source="", notes=""):
        """One to eight cards of (value, label)."""
        cards, takeaway = cards_of(items, self._words), Takeaway.of(takeaway)
        told = calculations([(card.given, card.label) for card in cards], self._words)
        slide, body = self._pages.add(title, source, notes, page=Page.FIGURES, told=told)
        room = body.height - room_below(takeaway)
        taken, cut = put_cards(slide, cards, Box(body.left, body.top, body.width, room))
        if cut:
            self._pages.tell("texts of cards were shortened")
        self._pages.below(slide, taken, takeaway)
        self._shown.cards(f"slide {self.slides}", items)

    @advised
    def bullets(self, title, items, *, source="", notes=""):
        """Strings, or (head, text) pairs; too many flow onto further slides. A later slide of few short ones
        has them on cards, or in two columns."""
        self._tell_flow(put_bullets(self._pages, title, bullets_of(items), source=source, notes=notes))

    @advised
    def two_columns(self, title, left, right, *, source="", notes=""):
        """Two (heading, bullets) pairs side by side."""
        self._tell_flow(
            put_columns(self._pages, title, (side_of(left), side_of(right)), source=source, notes=notes)
        )

    @advised
    def method(self, title="", items=(), assumptions=(), *, heading="", source="", notes=""):
        """The last slide: data, what `items` say of the method, and the assumptions, these and the registered
        ones. With a `heading` the items are about something else, and the method stands beside them."""
        title = title or self._words.method
        told = method_of(self._pages, title, items, assumptions, one_line(heading), one_line(source))
        options = {"source": source, "notes": f"{notes}\n\n{told.notes}".strip(), "page": Page.METHOD}
        self._tell_flow(put_columns(self._pages, title, told.sides, plain=True, **options))

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
            slide, body = self._pages.add(
                title, source, notes if part == 0 else "", page=Page.TABLE, part=part
            )
            place = narrowed(body) if fit.beside else body
            summary = f"{one_line(title)}. {', '.join(filter(None, grid.header))}. {'; '.join(rows[0])}"
            taken = put_table(slide, grid, rows, place, alt or summary, fit.look)
            if start + fit.rows < len(shown):
                continue
            if sentence := self._left_out(len(frame) - len(shown), len(frame), grid.left_out):
                line = Box(body.left, taken.bottom + 0.08, place.width, SENTENCE - 0.08)
                put_text(slide, line, [Line(sentence, theme.CAPTION_SIZE, theme.MUTED)], name="Left out")
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
        slide, body = self._pages.add(title, source, notes, page=Page.PICTURE)
        room = self._pages.beside(slide, body, Takeaway.of(takeaway))
        if put_picture(slide, str(path), size, room, alt or title):
            self._pages.tell("the picture has too few pixels to fill its room; save it with dpi=200")

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
        self._enter()
        self._finish()
        target.parent.mkdir(parents=True, exist_ok=True)
        self._pages.presentation.save(str(target))
        self._shown.save(target)
        print(f"saved {target}: {_counted(self.slides, 'slide')}, {_counted(self._charts, 'native chart')}")
        for sentence in self._pages.adapted:
            print(sentence)
        return str(target)

    def _finish(self) -> None:
        """Add the last slide where the author did not write it, and count."""
        if not has_method(self._pages):
            self.method()
            self._pages.tell("on method and assumptions was added; write it with d.method(title, items)")
        if self._asked and self.slides != self._asked:
            raise ValueError(
                f"{self._asked} slides were asked for; with the last, on method, these are {self.slides}. "
                "Add or leave out a slide; d.method(title, items) writes the last one."
            )
        self._pages.finish()

    def _chart(self, kind, title, data, keywords) -> None:
        options = ChartOptions.read(f"d.{kind}", keywords)
        table = with_counts(chart_table(data, self._words), options.n, self._words)
        options = options.with_unit(table.value_title or self._words.value)
        takeaway, body = Takeaway.of(options.takeaway), self._pages.room(title)
        under = Box(body.left, body.top, body.width, body.height - room_below(takeaway))
        # beside a chart the takeaway is read first; under it where the values need the whole width
        boxes, pages = ([narrowed(body)], [Page.BESIDE]) if takeaway else ([body], [Page.CHART])
        if takeaway and under.height >= min(_TALL_ENOUGH, body.height * 0.75):
            boxes, pages = [*boxes, under], [*pages, Page.BELOW]
        plans = [plan(kind, table, options, self._words, box.width) for box in boxes]
        crowded = [crowding(planned, box) for planned, box in zip(plans, boxes, strict=True)]
        flat = [place == 1 and p.kind in FLAT and len(p.table.labels) > _FEW for place, p in enumerate(plans)]
        # where both ways do, they take turns
        ways = zip(crowded, flat, [self._pages.used[page] for page in pages], strict=True)
        chosen = min(enumerate(ways), key=lambda way: way[1])[0]
        planned, box = plans[chosen], boxes[chosen]
        slide, body = self._pages.add(
            title, options.source, options.notes, page=pages[chosen], caption=planned.caption
        )
        frame = put_chart(slide, planned, options, self._words, box)
        describe(frame, options.alt or alt_of(title, planned, options, self._words))
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


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
