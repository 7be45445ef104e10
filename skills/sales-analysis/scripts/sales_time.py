"""Sales by period, with those periods marked that the data only begin or end in."""

import numpy as np
import pandas as pd
from facts_columns import register
from findings_time import GRAINS, is_partial
from sales_errors import SalesError
from sales_words import assume


def by_period(lines, grain="month"):
    """A frame by period ("2011-03"): gross, returned, net, rows, orders, partial, change.

    `change` is of gross against the period before, and missing where one of the two is partial. Periods
    without a row are there with zeros. Raises SalesError.
    """
    if grain not in GRAINS:
        raise SalesError(f"grain is one of {', '.join(GRAINS)}, not {grain!r}.")
    name = lines.column("date")
    dates = lines.frame[name]
    if not pd.api.types.is_datetime64_any_dtype(dates.dtype):
        raise SalesError(f"{name!r} is not a column of dates: see the notes of the table.")
    known = dates.notna()
    if not known.any():
        raise SalesError(f"{name!r} has no date.")
    if not known.all():
        assume("undated", count=int((~known).sum()))
    periods = dates[known].dt.to_period(GRAINS[grain])
    every = pd.period_range(periods.min(), periods.max(), freq=GRAINS[grain])
    values = lines.amount.fillna(0)[known]
    sold, returned = lines.sold[known], lines.returned[known]

    def summed(part):
        return values.where(part, 0).groupby(periods).sum().reindex(every, fill_value=0.0)

    found = pd.DataFrame(
        {"gross": summed(sold), "returned": summed(returned), "net": summed(pd.Series(True, values.index))}
    )
    found["rows"] = sold.groupby(periods).sum().reindex(every, fill_value=0).astype(int)
    if lines.order:
        orders = lines.frame.loc[known, lines.order][sold].groupby(periods[sold]).nunique()
        found["orders"] = orders.reindex(every, fill_value=0)
    found["partial"] = partial_periods(dates[known], every)
    whole = ~found.partial & ~found.partial.shift(1, fill_value=True)
    before = found.gross.shift(1)
    found["change"] = (
        (found.gross / before - 1).where(whole & (before > 0)).replace([np.inf, -np.inf], np.nan)
    )
    found.index = pd.Index([_named(period, grain) for period in every], name=grain)
    if found.partial.any():
        first, last = (f"{day:%Y-%m-%d}" for day in (dates.min(), dates.max()))
        assume("not_whole", first=first, last=last, periods=", ".join(found.index[found.partial]))
    return register(
        f"sales by {grain}",
        found,
        how=f"{' × '.join(lines.amount_columns)} by {grain} of {name}; {lines.rule}",
        of=lines.frame,
        units={"change": "%", "rows": "", "orders": ""},
        unit=lines.unit,
        columns=lines.used("date", "order"),
    )


def partial_periods(dates, every):
    """Whether each period is one that the dates begin late or end early in."""
    first, last = dates.min(), dates.max()
    if (dates == dates.dt.normalize()).all():
        last += pd.Timedelta(days=1)  # a date without a time is the whole day
    counts = dates.dt.to_period(every.freqstr).value_counts().reindex(every, fill_value=0)
    usual = max(1.0, float(counts.median()))
    return [is_partial(period, place, len(every), first, last, usual) for place, period in enumerate(every)]


def _named(period, grain):
    return f"{period.start_time:%Y-%m-%d}" if grain in ("day", "week") else str(period)
