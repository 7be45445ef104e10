"""The analysis as files and as one line: a summary of the columns, all findings, and what they say."""

import json
from pathlib import Path

import figures
import material
import remarks
import story
from task import OUTPUTS
from wording import clip, plural, say

MOST = 900
"""Columns whose summary is written."""
LONG = 200
"""Characters of a remark in the answer."""


def harmless(text):
    """A spreadsheet takes a cell that begins so for a formula; behind an apostrophe it is text."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def main():
    found, failures = material.load()
    if found is None:
        print(json.dumps({"headline": "", "problem": " ".join(failures)}, ensure_ascii=False))
        return
    summary, raw = OUTPUTS
    columns = figures.columns_table(found.frame, found.findings, MOST)
    columns.isetitem(0, [harmless(name) for name in columns.iloc[:, 0]])
    columns.to_csv(summary, index=False, encoding="utf-8-sig")
    Path(raw).write_text(
        json.dumps(found.findings.to_dict(), ensure_ascii=False, indent=1, default=str), encoding="utf-8"
    )
    others = [
        say(
            "other_table",
            name=clip(item.name),
            rows=plural(len(item.frame), "row"),
            columns=plural(item.frame.shape[1], "column_n"),
        )
        for item in found.others
        if not item.hidden
    ][:4]
    result = {
        "headline": story.headline(found.findings),
        "facts": [*story.facts(found.findings), *others],
        "mind": [*(clip(remark, LONG) for remark in remarks.remarks(found)[:6]), say("association")],
        "files": [f"{summary}: {say('file_summary')}"],
    }
    print(json.dumps(result, ensure_ascii=False))


main()
