"""Exhibits of a small table, charted as it is."""

import pandas as pd
from asked import is_asked
from exhibits import Exhibit
from exhibits_funnel import funnel
from exhibits_years import over_years
from labels import apart, shown_name
from wording import clip, number, say

MOST = 4
"""Columns that are charted one by one, unless the request names more."""


def small(found):
    """A table of few rows is charted as it is, without its rows of totals."""
    item = found.small
    if item is None:
        return
    totals = {row.label for row in found.total_rows}
    frame = pd.DataFrame(list(item.values), index=list(item.labels), columns=list(item.series), dtype=float)
    frame = frame[[label not in totals for label in frame.index]]
    if len(frame) < 2:
        return
    if item.columns_are_time:
        yield from over_years(frame, item)
        return
    frame.index = apart(frame.index, 44)
    stages = [] if item.rows_are_time else list(funnel(frame, item))
    yield from stages
    columns = [name for place, name in enumerate(frame.columns) if is_asked(name) or place < MOST]
    for place, name in enumerate(
        [] if stages else columns
    ):  # that the first stage is largest goes without saying
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
            96 - 3 * place,
            x_title=shown_name(item.label),
            y_title=clip(name),
            about=(name,),
        )
