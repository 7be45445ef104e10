"""The PDF report: the conclusion, the figures, the findings as charts, the columns, the method."""

import json

import figures
import material
import story
from pdf_report import Report
from remarks import remarks as remarks_of
from task import LANGUAGE, ONE_PAGE, OUTPUTS
from wording import clip, say

EXHIBITS, COLUMNS = 8, 40
SHORT, LONG = 150, 400
"""Characters of a remark on one page, and in a report."""
CARDS, CHARTS, LINES = 4, 2, 3
"""What one page has room for."""


def begun(found, cards):
    table, whole = found.table, found.findings
    title = say("deck_title", name=clip(table.name.replace("_", " "), 60))
    options = {"language": LANGUAGE, "source": table.file, "rows": whole.overview.rows}
    report = Report(title, figures.size(whole), one_page=ONE_PAGE, **options)
    report.text(story.headline(whole), lead=True)
    report.kpis(cards)
    return report


def build(found):
    """(the report, how many charts it has)"""
    whole = found.findings
    report, charts = begun(found, figures.cards(whole)), 0
    report.heading(say("conclusions"))
    report.bullets(list(dict.fromkeys(story.facts(whole))))
    report.heading(say("report_findings"))
    for item in story.choose(whole, EXHIBITS):
        charts += draw(report, item)
    columns = figures.columns_exhibit(found.frame, whole)
    report.heading(say("sheet_columns"))
    report.table(columns.title, columns.data.head(COLUMNS))
    remarks = [say("association"), *(clip(remark, LONG) for remark in remarks_of(found))]
    report.method([say("deck_made")], remarks)
    return report, charts


def one_page(found, most):
    """A page with up to `most` charts and sentences."""
    whole = found.findings
    report, charts = begun(found, figures.cards(whole)[:CARDS]), 0
    for item in story.choose(whole, min(most, CHARTS)):
        charts += draw(report, item)
    report.bullets(list(dict.fromkeys(clip(fact, SHORT) for fact in story.facts(whole, most))))
    remarks = [clip(remark, SHORT) for remark in remarks_of(found)][: most - 1]
    report.method([say("deck_made")], [say("association"), *remarks])
    return report, charts


def draw(report, item):
    """How many charts it took."""
    if item.chart == "table":
        report.table(item.title, item.data, note=item.takeaway)
        return 0
    options = {"percent": item.percent, "x_title": item.x_title, "y_title": item.y_title}
    if item.highlight:
        options["highlight"] = item.highlight
    try:
        getattr(report, item.chart)(item.title, item.data, takeaway=item.takeaway, **options)
    except ValueError:  # what cannot be drawn is told by its title and takeaway
        report.text(f"{item.title}. {item.takeaway}")
        return 0
    return 1


def saved(found):
    """(the report, its path, how many charts it has)"""
    if not ONE_PAGE:
        report, charts = build(found)
        return report, report.save(OUTPUTS[0]), charts
    for most in range(LINES, 0, -1):
        report, charts = one_page(found, most)
        try:
            return report, report.save(OUTPUTS[0]), charts
        except ValueError:
            if most == 1:
                raise
    raise AssertionError("the last try returns or raises")


def main():
    found, failures = material.load()
    if found is None:
        print(json.dumps({"headline": "", "problem": " ".join(failures)}, ensure_ascii=False))
        return
    report, path, charts = saved(found)
    told = {"pages": report.pages, "charts": charts}
    result = {
        "headline": say("report_done", **told),
        "files": [f"{path}: {say('file_report', **told)}"],
    }
    print(json.dumps(result, ensure_ascii=False))


main()
