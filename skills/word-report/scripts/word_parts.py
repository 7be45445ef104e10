"""Parts of a report as paragraphs, tables and pictures of Word."""

import io

from deck_text import one_line
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Emu, RGBColor
from report_parts import Break, Bullets, Figures, Heading, Picture, Table, Text
from word_fields import put_bookmark, put_field
from word_style import HEAD, RULE, TINT, WIDTH, ZEBRA, shade

_CARDS = 4
_LEAST_DPI = 150
_EMU = 914_400
"""Of an inch."""
_MEASURED = 80
_SHORT = 12
"""Rows of a table that is not parted."""


class Writer:
    """Writes parts into a document. `headings` are (text, level, bookmark) as they come."""

    def __init__(self, document, said):
        self.document, self.said = document, said
        self.headings, self.figures, self.tables = [], 0, 0

    def put(self, part):
        match part:
            case Heading(text=text, level=level):
                made = self.document.add_heading(text, level)
                mark = f"_Toc{900_000 + len(self.headings)}"
                put_bookmark(made, len(self.headings) + 1, mark)
                self.headings.append((text, level, mark))
            case Text(text=text, lead=lead):
                self.document.add_paragraph(text, style="Lead" if lead else None)
            case Bullets(items=items):
                for head, text in items:
                    made = self.document.add_paragraph(style="List Bullet")
                    if head:
                        made.add_run(f"{head} ").bold = True
                    made.add_run(text)
            case Figures(cards=cards):
                self._cards(cards)
            case Table():
                self._table(part)
            case Picture():
                self._picture(part)
            case Break():
                self.document.add_page_break()

    def _cards(self, cards):
        across = 3 if len(cards) in (5, 6) else min(_CARDS, len(cards))
        rows = -(-len(cards) // across)
        grid = self._grid(rows, across, [1] * across)
        for place, (value, label) in enumerate(cards):
            cell = grid.cell(place // across, place % across)
            shade(cell, TINT)
            cell.paragraphs[0].style = "Figure Value"
            cell.paragraphs[0].add_run(value)
            cell.add_paragraph(label, style="Figure Label")
        _borders(grid, "FFFFFF", 36)
        self.document.add_paragraph(style="Note")

    def _table(self, part):
        self.tables += 1
        self._caption(self.said.table, "Table", self.tables, part.title)
        grid = self._grid(len(part.rows) + 1, len(part.heads), _weights(part))
        _borders(grid, RULE, 4)
        told = OxmlElement("w:tblCaption")
        told.set(qn("w:val"), part.title[:200])
        grid._tbl.tblPr.append(told)
        for number, (row, texts) in enumerate(zip(grid.rows, (part.heads, *part.rows), strict=True)):
            _keep(row, head=number == 0)
            for cell, text, right in zip(row.cells, texts, part.right, strict=True):
                paragraph = cell.paragraphs[0]
                paragraph.style = "Cell"
                paragraph.paragraph_format.keep_with_next = number < len(part.rows) <= _SHORT
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT if right else WD_ALIGN_PARAGRAPH.LEFT
                run = paragraph.add_run(text)
                if number == 0:
                    run.bold, run.font.color.rgb = True, RGBColor(0xFF, 0xFF, 0xFF)
                    shade(cell, HEAD)
                elif number % 2 == 0:
                    shade(cell, ZEBRA)
        self.document.add_paragraph(part.note, style="Note")

    def _picture(self, part):
        self.figures += 1
        self._caption(self.said.figure, "Figure", self.figures, part.title)
        width = min(WIDTH, Emu(int(part.width / _LEAST_DPI * _EMU)))
        paragraph = self.document.add_paragraph()
        paragraph.paragraph_format.keep_with_next = bool(part.note)
        made = paragraph.add_run().add_picture(io.BytesIO(part.png), width=width)
        properties = made._inline.docPr
        properties.set("descr", part.alt)
        properties.set("name", f"{one_line(self.said.figure.format(self.figures)).rstrip('.')}")
        if part.note:
            self.document.add_paragraph(part.note, style="Note")

    def _caption(self, form, series, number, title):
        before, after = form.split("{}")
        made = self.document.add_paragraph(style="Caption")
        made.add_run(before)
        put_field(made, f"SEQ {series} \\* ARABIC", str(number))
        made.add_run(f"{after} {title}")

    def _grid(self, rows, columns, weights):
        grid = self.document.add_table(rows, columns)
        grid.alignment, grid.autofit = WD_TABLE_ALIGNMENT.LEFT, False
        total = sum(weights)
        for column, weight in zip(grid.columns, weights, strict=True):
            column.width = Emu(int(WIDTH * weight / total))
            for cell in column.cells:
                cell.width = column.width
        return grid


def _weights(part):
    """Of columns: by the lengths of their texts, none too narrow for its head's longest word."""
    found = []
    for place, head in enumerate(part.heads):
        longest = max((len(row[place]) for row in part.rows[:_MEASURED]), default=1)
        word = max(map(len, head.split()), default=1)
        found.append(min(40, max(longest, word * 1.15, 4)) + 2)
    return found


def _keep(row, *, head):
    """A row is not parted; that of the heads is repeated on each page."""
    properties = row._tr.get_or_add_trPr()
    for name in ("w:cantSplit", *(("w:tblHeader",) if head else ())):
        properties.append(OxmlElement(name))


def _borders(grid, color, size):
    made = OxmlElement("w:tblBorders")
    for side in ("top", "bottom", "insideH", *(("insideV",) if size > 10 else ())):
        line = OxmlElement(f"w:{side}")
        for key, value in (("val", "single"), ("sz", str(size)), ("space", "0"), ("color", color)):
            line.set(qn(f"w:{key}"), value)
        made.append(line)
    grid._tbl.tblPr.append(made)
