"""The charts as pictures: one PNG for each of the weightiest exhibits."""

import json

import charts
import material
import story
from task import CHARTS, OUTPUTS
from wording import say

MOST = 4
KINDS = {"bar": charts.hbar, "column": charts.bar, "line": charts.line}


def main():
    found, failures = material.load()
    if found is None:
        print(json.dumps({"headline": "", "problem": " ".join(failures)}, ensure_ascii=False))
        return
    files = []
    for number, item in enumerate(story.choose(found.findings, CHARTS or MOST), start=1):
        path = OUTPUTS[0].replace("_1.png", f"_{number}.png")
        options = {"percent": item.percent, "x_title": item.x_title, "y_title": item.y_title}
        options |= {"source": found.table.file}
        if item.highlight:
            options["highlight"] = item.highlight
        KINDS[item.chart](item.data, item.title, path, **options)
        files.append(f"{path}: {item.title}")
    result = {"headline": say("charts_done", count=len(files)), "files": files}
    if not files:
        result["problem"] = say("no_charts")
    print(json.dumps(result, ensure_ascii=False))


main()
