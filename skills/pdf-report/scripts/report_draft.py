"""A report being written: the calls that a PDF and a Word document have in common."""

import io
from pathlib import Path

from deck_sources import assumptions, records, source_of, source_sentence, value_of
from deck_text import clean, one_line
from deck_words import words as words_of
from facts_drawn import Shown
from PIL import Image
from report_charts import chart_of, numbers_in, picture_of
from report_parts import Break, Bullets, Figures, Heading, Table, Text
from report_tables import table_of
from report_words import sayings
from workbook_frames import named, registered, sized

MOST_CARDS = 8
MOST_PARTS = 2_000
LONGEST_TITLE = 200
LONGEST_CODE = 15
_AT_ONCE = 50
"""Codes that are registered together: of a longer list, tracing asks for more than the number."""


class Draft:
    """Parts in the order of the calls; the section on method and assumptions comes last by itself."""

    chart_width = 9
    """Inches that a chart is drawn at; it is shown smaller, and its text with it."""

    def __init__(self, title, subtitle="", *, language="en", source="", rows=None):
        """`rows`: of the source, told in the footer."""
        self.words = words_of(language)
        self.said = sayings(self.words.code)
        self.title, self.subtitle = _title(title), one_line(subtitle)
        rows = value_of(rows)
        self.source = source_sentence(source_of(one_line(source), self.words), rows, self.words)
        self.parts, self._shown = [], Shown(language)
        self._shown.note("rows of the source", [rows])
        self._method, self._assumed = [], []
        self.figures = self.tables = 0

    def heading(self, text, level=1):
        """A section (1) or a part of it (2)."""
        if level not in (1, 2):
            raise ValueError("level is 1 or 2.")
        self._add(Heading(_title(text), level))

    def text(self, text, *, lead=False):
        """Paragraphs, parted by blank lines; lead=True for the sentence that says it all."""
        for block in clean(text).split("\n\n"):
            if told := one_line(block):
                self._add(Text(told, lead))

    def bullets(self, items):
        """Texts, or (bold head, text) pairs."""
        self._add(Bullets(_items(items)))

    def kpis(self, cards):
        """1 to 8 key figures: (value, label) pairs."""
        pairs = list(cards.items()) if isinstance(cards, dict) else list(cards)
        if isinstance(cards, dict):
            pairs = [(value, label) for label, value in pairs]
        if not 1 <= len(pairs) <= MOST_CARDS or any(
            not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in pairs
        ):
            raise ValueError(f"kpis takes 1 to {MOST_CARDS} pairs: [(rate, 'of orders come back'), ...].")
        self._shown.cards("key figures", pairs)
        self._add(Figures(tuple((self._figure(value), one_line(label)) for value, label in pairs)))

    def table(self, title, frame, *, percent=(), currency=None, digits=None, note=""):
        """A table of up to 12 columns; long ones go on over pages with their heads repeated."""
        made, drawn, whole = table_of(
            frame, title, self.words, percent=percent, currency=currency, digits=digits, note=note
        )
        self.tables += 1
        where = f"table {self.tables}"
        self._shown.table(where, registered(drawn), frame)
        for head, numbers, labels in named(drawn):
            self._shown.note(f"{where}, {head}", numbers, labels=labels, given=frame)
        # codes of digits are texts in the frame, and numbers to who reads the page
        codes = [
            int(cell) for row in made.rows for cell in row if cell.isdecimal() and len(cell) <= LONGEST_CODE
        ]
        for start in range(0, len(codes), _AT_ONCE):
            self._shown.note(
                f"{where}, codes from {start + 1} on", codes[start : start + _AT_ONCE], given=frame
            )
        if whole > len(drawn):
            self._shown.note(f"{where}, shown", [len(drawn), whole])
        self._add(made)

    def picture(self, title, path, *, alt, note=""):
        """A PNG or JPEG of the current folder; `alt` says what it shows."""
        if not one_line(alt):
            raise ValueError("alt says what the picture shows, for those who cannot see it.")
        with Image.open(Path(path)) as image:
            buffer = io.BytesIO()
            image.convert("RGB").save(buffer, "PNG")
        self.figures += 1
        self._add(picture_of(buffer.getvalue(), title, alt, note))

    def bar(self, title, data, **options):
        """Horizontal bars: names, rankings."""
        self._chart("bar", title, data, options)

    def column(self, title, data, **options):
        """Vertical bars: few short labels, time."""
        self._chart("column", title, data, options)

    def line(self, title, data, **options):
        self._chart("line", title, data, options)

    def pie(self, title, data, **options):
        self._chart("pie", title, data, options)

    def stacked(self, title, data, **options):
        self._chart("stacked", title, data, options)

    def scatter(self, title, data, **options):
        self._chart("scatter", title, data, options)

    def hist(self, title, data, **options):
        self._chart("hist", title, data, options)

    def box(self, title, data, **options):
        self._chart("box", title, data, options)

    def heatmap(self, title, data, **options):
        self._chart("heatmap", title, data, options)

    def page_break(self):
        self._add(Break())

    def method(self, lines=(), assumed=()):
        """More to say in the last section than the source and the assumptions that were registered."""
        self._method += _lines(lines)
        self._assumed += _lines(assumed)

    def percent(self, share, digits=1):
        """'74.2%', in a Russian report '74,2 %'."""
        return self.words.percent(share, decimals=digits, spaced=True)

    def number(self, value, digits=None):
        return self.words.number(value, decimals=digits)

    def closing(self, *, short=False):
        """The parts of the last section; `short` under one heading."""
        made = [
            self.source + ".",
            *([self.said.computed] if records() else []),
            *self._method,
            self.said.rounded,
        ]
        taken = list(dict.fromkeys([*self._assumed, *assumptions()])) or [self.said.unassumed]
        if short:
            return [Heading(self.said.method, 2), Bullets(_items([*dict.fromkeys(made), *taken]))]
        return [
            Heading(self.said.method, 1),
            Heading(self.said.made, 2),
            Bullets(_items(dict.fromkeys(made))),
            Heading(self.said.assumed, 2),
            Bullets(_items(taken)),
        ]

    def _chart(self, kind, title, data, options):
        if not one_line(title):
            raise ValueError("A chart needs a title that says the finding.")
        takeaway = options.pop("takeaway", "")
        note = " ".join(_lines(takeaway)) or options.pop("note", "")
        alt = options.pop("alt", "")
        made = chart_of(
            kind, _title(title), data, self.words, alt=alt, note=note, width=self.chart_width, **options
        )
        self.figures += 1
        numbers, labels = numbers_in(kind, data)
        unit = "%" if options.get("percent") or options.get("share") else ""
        self._shown.note(f"figure {self.figures}", numbers, labels=labels, given=data, unit=unit)
        counts = options.get("n")
        if counts is not None:
            self._shown.note(f"figure {self.figures}, n", numbers_in("bar", counts)[0], given=counts)
        for sizes, under in sized(numbers, labels):
            told = unit if sizes is numbers else ""
            self._shown.note(f"figure {self.figures}, bare names", sizes, labels=under, given=data, unit=told)
        self._add(made)

    def _figure(self, value):
        if isinstance(value, str):
            return one_line(value)
        return self.words.number(value)

    def _add(self, part):
        if len(self.parts) >= MOST_PARTS:
            raise ValueError(f"More than {MOST_PARTS} parts are no report. Put the rows into a workbook.")
        self.parts.append(part)

    def _registered(self, target):
        self._shown.save(target)
        charts, tables = self.figures, sum(isinstance(part, Table) for part in self.parts)
        return f"{charts} charts and pictures, {tables} tables"


def _title(text):
    told = one_line(text)
    if not told:
        raise ValueError("A title needs words.")
    return told if len(told) <= LONGEST_TITLE else told[: LONGEST_TITLE - 1].rstrip() + "…"


def _lines(given):
    return [told for line in ([given] if isinstance(given, str) else given) if (told := one_line(line))]


def _items(given):
    result = []
    for item in [given] if isinstance(given, str) else given:
        head, text = item if isinstance(item, (tuple, list)) and len(item) == 2 else ("", item)
        if one_line(text) or one_line(head):
            result.append((one_line(head), one_line(text)))
    if not result:
        raise ValueError("bullets needs texts, or (bold head, text) pairs.")
    return tuple(result)
