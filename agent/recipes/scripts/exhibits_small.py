"""Exhibits of a small table, charted as it is."""

import pandas as pd
from exhibits import Exhibit, wanted
from exhibits_funnel import funnel
from exhibits_years import over_years
from wording import clip, number, say


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
        yield from over_years(frame, item)
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
