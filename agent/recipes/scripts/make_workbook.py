"""The workbook: an overview, a sheet with numbers and chart for each exhibit, the columns, the data."""

import json

import figures
import material
import remarks
import story
from book import Book
from task import OUTPUTS
from wording import percent, say

EXHIBITS = 10
MAX_ROWS, MAX_CELLS = 200_000, 2_000_000


def main():
    found, failures = material.load()
    if found is None:
        print(json.dumps({"headline": "", "problem": " ".join(failures)}, ensure_ascii=False))
        return
    book, whole = Book(OUTPUTS[0]), found.findings
    sheet, _ = book.sheet(say("sheet_overview"))
    lines = [story.headline(whole), *story.facts(whole), "", *remarks.remarks(found), say("association")]
    for row, line in enumerate(lines):
        sheet.write_string(row, 0, line, book.title if row == 0 else None)
    chosen = story.choose(whole, EXHIBITS)
    for item in chosen:
        book.exhibit(item)
    sheet, _ = book.sheet(say("sheet_columns"))
    book.frame(sheet, figures.columns_table(found.frame, whole, 2_000))
    rows = min(MAX_ROWS, MAX_CELLS // max(1, found.frame.shape[1]))
    sheet, _ = book.sheet(say("sheet_data"))
    book.frame(sheet, found.frame.head(rows).iloc[:, :16_000])
    book.book.close()
    cut = len(found.frame) > rows
    mind = [say("data_cut", share=percent(rows / len(found.frame)))] if cut else []
    sheets = len(book.book.worksheets())
    told = {"sheets": sheets, "charts": len(chosen)}
    print(
        json.dumps(
            {
                "headline": say("workbook_done", **told),
                "mind": mind,
                "files": [f"{OUTPUTS[0]}: {say('file_workbook', **told)}"],
            },
            ensure_ascii=False,
        )
    )


main()
