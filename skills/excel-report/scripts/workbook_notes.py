"""The first sheet, what the workbook says, and the last one, how its figures were made."""

import re

from deck_sources import assumptions, records, source_sentence
from facts_text import shown
from workbook_cells import Cells
from workbook_formats import code_of
from workbook_page import INK, MUTED, RULE

_WIDE = 100
"""Characters of the column of sentences."""
MOST_FACTS = 200


def write_summary(sheet, plan, sheets, formats, *, words, said, source):
    """Title, figures, sentences, and links to the sheets."""
    cells = Cells(sheet, formats)
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, _WIDE)
    sheet.set_row(0, 30)
    cells.text(0, 0, plan.title, bold=True, font_size=18, font_color=INK, valign="vcenter")
    cells.text(1, 0, source, font_size=9, font_color=MUTED)
    row = 3
    if plan.figures:
        row = _head(cells, row, said.figures)
        for value, label in plan.figures:
            sheet.set_row(row, 22)
            _figure(cells, row, value, words)
            cells.text(row, 1, label, valign="vcenter")
            row += 1
        row += 1
    for line in plan.lines:
        sheet.set_row(row, 16 * _rows(line, _WIDE + 24))
        sheet.merge_range(row, 0, row, 1, "", formats.of("", text_wrap=True))
        cells.text(row, 0, line, text_wrap=True)
        row += 1
    row = _head(cells, row + bool(plan.lines), said.contents)
    for name, title in sheets:
        link = "internal:'" + name.replace("'", "''") + "'!A1"
        sheet.set_row(row, 16 * _rows(title, _WIDE))
        sheet.write_url(row, 0, link, formats.of("", font_color="#1F5FA8", underline=1), name)
        cells.text(row, 1, title, text_wrap=True)
        row += 1


def write_method(sheet, formats, *, words, said, source, rows, adapted, method, assumed):
    """Data and method, assumptions, what was adapted, and the calculations."""
    cells = Cells(sheet, formats)
    for column, width in enumerate((34, 20, 70, 24)):
        sheet.set_column(column, column, width)
    sheet.set_row(0, 24)
    cells.text(0, 0, said.method, bold=True, font_size=14, font_color=INK, valign="vcenter")
    known = [
        record
        for record in records()
        if record.get("kind") in ("fact", "computed") and record.get("value") is not None
    ]
    made = [source_sentence(source, rows, words), *([said.computed] if known else []), *method, said.rounded]
    row = 2
    for head, lines in (
        (said.made, made),
        (said.assumed, [*assumed, *assumptions()] or [said.unassumed]),
        (said.adapted, adapted),
    ):
        if lines:
            row = _head(cells, row, head)
            for line in dict.fromkeys(lines):
                sheet.set_row(row, 16 * _rows(line, 148))
                sheet.merge_range(row, 0, row, 3, "", formats.of("", text_wrap=True))
                cells.text(row, 0, line, text_wrap=True)
                row += 1
            row += 1
    told = [record for record in known if _telling(record)][:MOST_FACTS]
    if told:
        row = _head(cells, row, said.calculated)
        look = {"bold": True, "font_color": "#FFFFFF", "bg_color": "#1F4E79"}
        for column, head in enumerate(said.head):
            cells.text(row, column, head, **look)
        for record in told:
            row += 1
            cells.text(row, 0, record["id"], text_wrap=True)
            _value(
                cells,
                row,
                1,
                record["value"],
                record.get("unit", ""),
                record.get("digits") or 0,
                words,
                {"align": "left"},
            )
            cells.text(row, 2, record["expression"], text_wrap=True, font_name="Consolas", font_size=9)
            cells.text(
                row,
                3,
                ", ".join(str(item.get("name", "")) for item in record.get("files", ())),
                text_wrap=True,
            )


def _telling(record):
    """Calculations with numbers of their own would read as figures."""
    return bool(record.get("expression")) and not re.search(r"\d", f"{record['expression']}{record['id']}")


def _head(cells, row, text):
    cells.text(row, 0, text, bold=True, font_size=12, font_color=INK, bottom=1, bottom_color=RULE)
    return row + 1


def _figure(cells, row, value, words):
    look = {"bold": True, "font_size": 14, "font_color": "#1F5FA8", "align": "left", "valign": "vcenter"}
    exact, unit = getattr(value, "value", value), getattr(value, "unit", "")
    digits = getattr(value, "digits", None)
    if digits is None:
        digits = 0 if not isinstance(exact, float) or exact.is_integer() else 2
    _value(cells, row, 0, exact, unit, digits, words, look)


def _value(cells, row, column, value, unit, digits, words, look):
    """A number as one; a text as it is."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        cells.put(row, column, value, code_of(unit, digits, words.code), **look)
    else:
        cells.text(
            row, column, shown(value, unit, digits, words) if not isinstance(value, str) else value, **look
        )


def _rows(text, width):
    return sum(max(1, -(-len(line) // width)) for line in str(text).splitlines() or [""])
