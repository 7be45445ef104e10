"""Exhibits of links between measures, and of frequent values."""

import pandas as pd
from exhibits import Exhibit, surely_summed
from wording import clip, number, percent, plural, say

FEW_ROWS = 20
"""Fewer show links by chance."""
SAME = 0.9995
"""From here on two columns are one in other units."""


def correlations(found):
    pairs = [pair for pair in found.correlations if 0.2 <= abs(pair.r) < SAME and pair.n >= FEW_ROWS]
    if len(pairs) < 2:
        return
    top = pairs[0]
    title = say(
        "correlation",
        first=clip(top.first, 30),
        second=clip(top.second, 30),
        r=number(round(top.r, 2)),
        n=number(top.n),
    )
    labels = [f"{clip(pair.first, 22)} × {clip(pair.second, 22)}" for pair in pairs[:10]]
    data = pd.Series([round(pair.r, 3) for pair in pairs[:10]], index=labels, name="r")
    yield Exhibit(
        "correlation",
        "bar",
        title,
        data,
        58,
        say("correlation_takeaway"),
        x_title=say("pair"),
        y_title=say("correlation_axis"),
    )


def categories(found):
    amounts = any(surely_summed(found, item.measure) for item in found.totals)
    for place, item in enumerate(found.categories[:6]):
        if item.distinct < 2 or not item.levels or item.levels[0].n < 2:
            continue
        top = item.levels[0]
        title = say(
            "category",
            column=clip(item.column),
            top=clip(top.value, 32),
            rows=plural(top.n, "row"),
            share=percent(top.share),
        )
        labels = [clip(level.value, 40) for level in item.levels]
        data = pd.Series([level.n for level in item.levels], index=labels, name=say("rows_counted"))
        takeaway = say("category_takeaway", values=plural(item.distinct, "level"))
        if item.other:
            takeaway += " " + say("category_other", rows=plural(item.other, "row"))
        weight = (48 if amounts else 68) - 3 * place - (15 if item.distinct > 60 else 0)
        yield Exhibit(
            "category",
            "bar",
            title,
            data,
            weight,
            takeaway,
            x_title=clip(item.column),
            y_title=say("rows_counted"),
            highlight=labels[0],
            about=(item.column,),
        )
