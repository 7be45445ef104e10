"""An Excel workbook for a person: real numbers and dates, filters, native charts, how it was made.

from workbook import Workbook
w = Workbook("South returns the most", source="orders.csv")
w.table("Regions", frame, title="Returns by region", percent=["share"])
w.save("report.xlsx")
"""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import xlsxwriter
from deck_data import chart_table
from deck_sources import source_of, source_sentence, value_of
from deck_text import one_line
from deck_words import words as words_of
from facts_drawn import Shown
from facts_values import flat
from workbook_cells import Formats
from workbook_charts import KINDS, chart_height, put_chart
from workbook_formats import column_code
from workbook_frames import are_years, flattened, labels_of, named, registered, sized
from workbook_names import sheet_name
from workbook_notes import write_method, write_summary
from workbook_page import set_up_print, write_table
from workbook_plan import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, Chart, Sheet, Summary, planned_columns
from workbook_words import sayings

__all__ = ["Workbook"]

MOST_SHEETS = 60
LONGEST_TITLE = 200
_SAFE = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "nan_inf_to_errors": False,
    "remove_timezone": False,
}
_IN_MEMORY = 250_000
"""Cells; of more, rows go to the disk while they are written."""


class Workbook:
    """Sheets in the order of the calls, between a first one that sums up and a last one on method."""

    def __init__(self, title, subtitle="", *, language="en", source="", rows=None):
        """`rows`: of the source, told on the sheet on method."""
        self.words = words_of(language)
        self.said = sayings(self.words.code)
        self.source, self.rows = source_of(one_line(source), self.words), value_of(rows)
        self._summary = Summary(_title(title))
        self._subtitle, self._sheets, self._taken = (
            one_line(subtitle),
            [],
            [self.said.summary, self.said.method],
        )
        self._adapted, self._shown = [], Shown(language)
        self._shown.note("rows of the source", [self.rows])
        self._made, self._assumed = [], []

    def summary(self, figures=(), lines=()):
        """Key figures, (value, label) pairs, and sentences for the first sheet. A fact keeps its value."""
        pairs = list(figures.items()) if isinstance(figures, dict) else list(figures)
        if isinstance(figures, dict):
            pairs = [(value, label) for label, value in pairs]
        if any(not isinstance(pair, (tuple, list)) or len(pair) != 2 for pair in pairs):
            raise ValueError("figures are (value, label) pairs: [(rate, 'of orders come back'), ...].")
        self._shown.cards(self.said.summary, pairs)
        self._summary = Summary(
            self._summary.title,
            [*self._summary.figures, *pairs],
            [*self._summary.lines, *_lines(lines)],
        )

    def table(
        self, name, frame, *, title="", percent=(), currency=None, digits=None, bars=(), source="", note=""
    ):
        """A sheet of a table. percent: columns of shares of 1; currency: {column: "£"}; digits: {column: 2};
        bars: columns with a bar in each cell."""
        name, flat = self._name(name), flattened(frame)
        columns = planned_columns(
            flat, percent=percent, currency=currency, digits=digits, bars=bars, language=self.words.code
        )
        self._add(name, title, flat, columns, source, note, None, frame)
        return name

    def data(self, frame, name="", *, title="", source=""):
        """The rows themselves, as they were read: real numbers and dates, with filters."""
        return self.table(name or self.said.data, frame, title=title or name or self.said.data, source=source)

    def chart(
        self,
        name,
        data,
        *,
        title,
        kind="column",
        x_title="",
        y_title="",
        percent=False,
        unit="",
        digits=None,
        highlight=None,
        sort=False,
        source="",
        note="",
    ):
        """A sheet of a table with its native chart. Data as in a deck: {label: number}, a Series, a frame."""
        if kind not in KINDS:
            raise ValueError(f"kind={kind!r} is not known. There are: {', '.join(KINDS)}.")
        if not one_line(title):
            raise ValueError("A chart needs a title that says the finding: title='South returns the most'.")
        name = self._name(name)
        frame, x_title, y_title = self._drawn(data, kind, x_title, y_title, sort)
        unit = "%" if percent else unit
        columns = planned_columns(frame, language=self.words.code)
        values = pd.concat([frame.iloc[:, place] for place in range(1, frame.shape[1])])
        code = column_code(values, "", unit=unit, digits=digits, language=self.words.code)
        first = replace(columns[0], code="0") if are_years(frame.iloc[:, 0]) else columns[0]
        columns = (first, *(item.__class__(item.name, code, item.width, True) for item in columns[1:]))
        chosen = one_line(highlight) if highlight is not None else None
        chart = Chart(kind, x_title, y_title, code, chosen)
        self._add(name, title, frame, columns, source, note, chart, data, unit=unit)
        return name

    def method(self, lines=(), assumed=()):
        """More to say on the last sheet than the source and the assumptions that were registered."""
        self._made += _lines(lines)
        self._assumed += _lines(assumed)

    @property
    def sheets(self):
        return len(self._sheets) + 2

    def save(self, path="report.xlsx"):
        """Write the file; prints what it holds and what was adapted. Returns the path."""
        if not self._sheets:
            raise ValueError("The workbook has no sheet yet: w.table(...), w.chart(...) or w.data(...).")
        target = Path(str(path)).with_suffix(".xlsx")
        target.parent.mkdir(parents=True, exist_ok=True)
        cells = sum(plan.frame.size for plan in self._sheets)
        book = xlsxwriter.Workbook(str(target), _SAFE | {"constant_memory": cells > _IN_MEMORY})
        book.set_size(2400, 1400)
        book.set_properties(
            {"title": self._summary.title, "subject": self._subtitle, "comments": self._source_line()}
        )
        formats, told = Formats(book), {}
        first = book.add_worksheet(self.said.summary)
        listed = [*((plan.name, plan.title) for plan in self._sheets), (self.said.method, self.said.made)]
        head = " · ".join(filter(None, (self._subtitle, self._source_line())))
        write_summary(first, self._summary, listed, formats, words=self.words, said=self.said, source=head)
        set_up_print(first, self._source_line(), self.said.page)
        for plan in self._sheets:
            sheet = book.add_worksheet(plan.name)
            write_table(sheet, plan, formats, told, drawn=chart_height(plan) if plan.chart else 0)
            if plan.chart is not None:
                put_chart(book, sheet, plan)
            set_up_print(sheet, plan.source, self.said.page)
        last = book.add_worksheet(self.said.method)
        adapted = [
            *self._adapted,
            *(
                getattr(self.said, kind).format(column=column, zone=detail)
                for (kind, column), detail in told.items()
            ),
        ]
        write_method(
            last,
            formats,
            words=self.words,
            said=self.said,
            source=self.source,
            rows=self.rows,
            adapted=adapted,
            method=self._made,
            assumed=self._assumed,
        )
        set_up_print(last, self._source_line(), self.said.page)
        book.close()
        self._shown.save(target)
        charts = sum(plan.chart is not None for plan in self._sheets)
        print(f"saved {target}: {self.sheets} sheets, {charts} native charts")
        for line in adapted:
            print(f"adapted: {line}")
        return str(target)

    def _add(self, name, title, frame, columns, source, note, chart, given, unit=""):
        if len(self._sheets) >= MOST_SHEETS:
            raise ValueError(f"{MOST_SHEETS} sheets are too many to find one's way. Put tables together.")
        all_rows, all_columns = frame.shape
        if all_columns > MAX_COLUMNS:
            frame, columns = frame.iloc[:, :MAX_COLUMNS], columns[:MAX_COLUMNS]
            self._cut("cut_columns", name, MAX_COLUMNS, all_columns)
        room = MAX_ROWS - 8  # title, heads, note
        if all_rows > room:
            frame = frame.head(room)
            self._cut("cut_rows", name, room, all_rows)
        if frame.size > MAX_CELLS:
            frame = frame.head(MAX_CELLS // frame.shape[1])
            self._cut("wide", name, len(frame), all_rows)
        told = one_line(source) or self.source
        line = source_sentence(told, None if chart else all_rows, self.words)
        title = _title(title) if title else name
        self._sheets.append(Sheet(name, title, frame, columns, line, one_line(note), all_rows, chart))
        self._taken.append(name)
        numbers, labels = flat(registered(frame))
        if chart is not None:
            for sizes, under in sized(numbers, labels):
                of = unit if sizes is numbers else ""
                self._shown.note(f"sheet {name}, bare names", sizes, labels=under, given=given, unit=of)
        if unit == "%":
            self._shown.note(f"sheet {name}", numbers, labels=labels, given=given, unit="%")
        else:
            self._shown.table(f"sheet {name}", registered(frame), given)
            for head, numbers, labels in named(frame):
                self._shown.note(f"sheet {name}, {head}", numbers, labels=labels, given=given)

    def _drawn(self, data, kind, x_title, y_title, sort):
        """The frame of a chart: labels in the first column, and the titles of its axes."""
        if kind == "scatter":
            frame = flattened(
                data.reset_index(drop=True) if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
            )
            if frame.shape[1] != 2:
                raise ValueError("A scatter chart takes a frame of two columns, x and y.")
            frame = frame.dropna()
            names = [x_title or frame.columns[0], y_title or frame.columns[1]]
            return frame.set_axis(names, axis=1), *map(one_line, names)
        table = chart_table(data, self.words)
        if sort:
            table = table.take(table.by_size())
        if kind == "pie" and len(table.series) > 1:
            raise ValueError("A pie shows one series. Use kind='stacked'.")
        x_title = one_line(x_title) or table.label_title or self.words.category
        y_title = one_line(y_title) or table.value_title or table.series[0].name or self.words.value
        frame = pd.DataFrame({place: series.values for place, series in enumerate(table.series)}, dtype=float)
        frame.insert(0, "label", labels_of(table))
        names = [series.name for series in table.series]
        frame.columns = [x_title, *(names if len(names) > 1 else [y_title])]
        return flattened(frame), x_title, y_title

    def _cut(self, kind, name, kept, whole):
        number = self.words.number
        line = getattr(self.said, kind).format(sheet=name, shown=number(kept), all=number(whole))
        self._adapted.append(line)
        self._shown.note(f"sheet {name}, shown", [kept, whole])

    def _name(self, name):
        return sheet_name(name, self._taken, self.said.sheet)

    def _source_line(self):
        return source_sentence(self.source, self.rows, self.words)


def _lines(given):
    return [told for line in ([given] if isinstance(given, str) else given) if (told := one_line(line))]


def _title(text):
    told = one_line(text)
    return told if len(told) <= LONGEST_TITLE else told[: LONGEST_TITLE - 1].rstrip() + "…"
