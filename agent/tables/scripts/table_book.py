"""One workbook with a sheet for each table: numbers are numbers, and no text becomes a formula or a link."""

import re
from datetime import datetime

import xlsxwriter
from table_text import clean, number

SAFE = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
LONGEST = 32_000
"""Characters of a cell; Excel takes 32,767."""


def write(path, tables, language, sheet_name):
    """`sheet_name`, with a place for {number}, is for tables without a title."""
    with xlsxwriter.Workbook(str(path), SAFE) as book:
        book.set_properties({"created": datetime(2000, 1, 1)})  # noqa: DTZ001 - the same tables are the same bytes
        formats = _Formats(book)
        names = set()
        for place, table in enumerate(tables, start=1):
            title = clean(table["title"]) or sheet_name.replace("{number}", str(place))
            sheet = book.add_worksheet(_free(title, names))
            for column, text in enumerate(table["header"]):
                sheet.write_string(0, column, clean(text)[:LONGEST], formats.head)
            for row, cells in enumerate(table["rows"], start=1):
                for column, text in enumerate(cells):
                    found = number(text, language)
                    if found is None:
                        sheet.write_string(row, column, clean(text)[:LONGEST], formats.text)
                    else:
                        sheet.write_number(row, column, found[0], formats.number(*found[1:]))
            sheet.freeze_panes(1, 0)
            sheet.autofit(420)
            if table["rows"] and table["header"]:
                sheet.autofilter(0, 0, len(table["rows"]), len(table["header"]) - 1)


def _free(title, names):
    """A name that Excel takes and no other sheet has."""
    base = re.sub(r"[\[\]:*?/\\]", "_", title).strip("' ")[:28] or "_"
    name = base if base.lower() != "history" else f"{base}_"
    count = 1
    while name.lower() in names:
        count += 1
        name = f"{base[:26]} {count}"
    names.add(name.lower())
    return name


class _Formats:
    def __init__(self, book):
        self.book = book
        self.head = book.add_format(
            {"bold": True, "bg_color": "#E8EEF4", "bottom": 1, "text_wrap": True, "valign": "top"}
        )
        self.text = book.add_format({"text_wrap": True, "valign": "top"})
        self.numbers = {}

    def number(self, decimals, percent):
        key = (decimals, percent)
        if key not in self.numbers:
            shown = (
                ("0" if percent else "#,##0")
                + ("." + "0" * decimals if decimals else "")
                + ("%" if percent else "")
            )
            self.numbers[key] = self.book.add_format({"num_format": shown, "valign": "top"})
        return self.numbers[key]
