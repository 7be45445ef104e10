"""Exhibits of a small table, charted as it is."""

import pandas as pd
from exhibits import Exhibit, wanted
from exhibits_funnel import funnel
from wording import clip, number, percent, say

LINES = 5


def small(found):
    """A table of few rows is charted as it is, without its rows of totals."""
    item = found.small
    if item is None:
        return
    totals = {row.label for row in found.total_rows}
    frame = pd.DataFrame(list(item.values), index=list(item.labels), columns=list(item.series), dtype=float)
    frame = frame[[label not in totals for label in frame.index]]
    frame.index = [clip(label, 44) for label in frame.index]
    if len(frame) < 2:
        return
    if item.columns_are_time:
        yield from _over_columns(frame, item)
        return
    if not item.rows_are_time:
        yield from funnel(frame, item)
    for place, name in enumerate(frame.columns[:6]):
        series = frame[name].dropna()
        if len(series) < 2 or series.max() == series.min():
            continue
        top, low = series.idxmax(), series.idxmin()
        title = say(
            "small", column=clip(name), top=top, high=number(series.max()), last=low, low=number(series.min())
        )
        chart = (
            "line" if item.rows_are_time and len(series) > 6 else "column" if item.rows_are_time else "bar"
        )
        data = series if item.rows_are_time else series.sort_values(ascending=False)
        yield Exhibit(
            "small",
            chart,
            title,
            data.rename(clip(name)),
            96 - 3 * place + wanted(name),
            x_title=clip(item.label),
            y_title=clip(name),
        )


def _over_columns(frame, item):
    """Rows over the years of the columns: the largest as lines, the change of each as bars."""
    first, last = frame.columns[0], frame.columns[-1]
    largest = frame[last].dropna().sort_values(ascending=False)
    names = "; ".join(f"{clip(label, 40)} – {number(value)}" for label, value in largest.head(2).items())
    title = say("small_last", column=clip(last), names=names)
    lines = frame.loc[largest.index[:LINES]].T
    lines = lines.loc[:, ~lines.columns.duplicated()]
    yield Exhibit(
        "small", "line", title, lines, 98, say("small_lines", count=lines.shape[1]), x_title=clip(item.label)
    )
    growth = (frame[last] / frame[first])[(frame[first] > 0) & frame[last].notna()].sort_values(
        ascending=False
    )
    if len(growth) > 1:
        facts = {
            "first": clip(first),
            "last": clip(last),
            "top": growth.index[0],
            "low_name": growth.index[-1],
        }
        title = say(
            "small_growth",
            high=number(round(growth.iloc[0], 2)),
            low=number(round(growth.iloc[-1], 2)),
            **facts,
        )
        yield Exhibit(
            "small",
            "bar",
            title,
            growth.round(3).rename(say("times")),
            97,
            say("small_nominal"),
            x_title=clip(item.label),
            y_title=say("times"),
        )
    steps = frame.pct_change(axis="columns", fill_method=None).replace(
        [float("inf"), -float("inf")], float("nan")
    )
    steps = steps.iloc[:, 1:].dropna(how="all")
    if steps.size and float(steps.min().min()) < 0:
        column = steps.min().idxmin()
        fall = steps[column].dropna().sort_values()
        title = say("small_fall", column=clip(column), name=fall.index[0], change=percent(fall.iloc[0]))
        yield Exhibit(
            "small",
            "bar",
            title,
            fall.head(12).rename(say("change")),
            95,
            percent=True,
            x_title=clip(item.label),
            y_title=say("change"),
        )
