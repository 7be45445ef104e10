"""The workbook: the figures, a sheet with numbers and chart for each exhibit, the columns, the data."""

import json

import figures
import material
import remarks
import story
from task import LANGUAGE, OUTPUTS
from wording import clip, percent, say
from workbook import Workbook

EXHIBITS = 10
MAX_ROWS, MAX_CELLS = 200_000, 2_000_000


def build(found):
    """(the workbook, how many charts it has, how many rows of the data)"""
    table, whole = found.table, found.findings
    title = say("deck_title", name=clip(table.name.replace("_", " "), 60))
    options = {"language": LANGUAGE, "source": table.file, "rows": whole.overview.rows}
    book, charts = Workbook(title, figures.size(whole), **options), 0
    book.summary(figures.cards(whole), list(dict.fromkeys([story.headline(whole), *story.facts(whole)])))
    for item in story.choose(whole, EXHIBITS):
        charts += draw(book, item)
    columns = figures.columns_exhibit(found.frame, whole)
    book.table(say("sheet_columns"), columns.data, title=columns.title)
    rows = min(MAX_ROWS, MAX_CELLS // max(1, found.frame.shape[1]))
    book.data(found.frame.head(rows).iloc[:, :16_000], say("sheet_data"))
    book.method([say("deck_made")], [*remarks.remarks(found), say("association")])
    return book, charts, rows


def draw(book, item):
    """How many native charts it took."""
    name = " – ".join(filter(None, (item.y_title, item.x_title))) or item.family
    if item.chart != "table":
        options = {"kind": item.chart, "x_title": item.x_title or say("column"), "y_title": item.y_title}
        options |= {"percent": item.percent, "highlight": item.highlight, "note": item.takeaway}
        try:
            book.chart(name, item.data, title=item.title, **options)
        except ValueError:  # more series than can be told apart; a table shows them all
            pass
        else:
            return 1
    book.table(name, item.data, title=item.title, note=item.takeaway)
    return 0


def main():
    found, failures = material.load()
    if found is None:
        print(json.dumps({"headline": "", "problem": " ".join(failures)}, ensure_ascii=False))
        return
    book, charts, rows = build(found)
    path = book.save(OUTPUTS[0])
    cut = len(found.frame) > rows
    told = {"sheets": book.sheets, "charts": charts}
    result = {
        "headline": say("workbook_done", **told),
        "mind": [say("data_cut", share=percent(rows / len(found.frame)))] if cut else [],
        "files": [f"{path}: {say('file_workbook', **told)}"],
    }
    print(json.dumps(result, ensure_ascii=False))


main()
