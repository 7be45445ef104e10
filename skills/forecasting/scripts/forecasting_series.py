"""The series of a forecast: sums by whole periods."""

from dataclasses import dataclass

import facts
import pandas as pd
from facts_columns import register
from facts_origin import FILES, files_of, loaded_files
from findings_time import GRAINS, is_partial
from forecasting_errors import ForecastError

SEASONS = {"day": 7, "week": 52, "month": 12, "quarter": 4, "year": 1}
AGGREGATES = ("sum", "mean", "count")


@dataclass(frozen=True)
class Series:
    """`values` by period, all of them whole; `left_out` names those at the ends that are not."""

    values: pd.Series
    grain: str
    left_out: tuple
    gaps: int
    """Periods without a row, whose sum is zero."""

    @property
    def season(self):
        return SEASONS[self.grain]

    def labels(self, periods):
        return [named(period, self.grain) for period in periods]


def series(frame, date, value=None, grain="month", how="sum"):
    """Values by period of a frame of rows; `how` is "sum", "mean" or "count" (of rows, without a `value`).

    First and last periods that the data only begin or end in are left out. A period without a row is zero for
    sums and counts; for means it is a ForecastError. Raises ForecastError.
    """
    frame = getattr(frame, "frame", frame)
    if grain not in GRAINS or how not in AGGREGATES:
        raise ForecastError(f"grain is one of {', '.join(GRAINS)}; how is one of {', '.join(AGGREGATES)}.")
    for name in [date, *([value] if how != "count" else [])]:
        if name not in frame.columns:
            raise ForecastError(f"There is no column {name!r}; there are: {', '.join(map(str, frame))}.")
    if not pd.api.types.is_datetime64_any_dtype(frame[date].dtype):
        raise ForecastError(f"{date!r} is not a column of dates: see the notes of the table.")
    known = frame[frame[date].notna()]
    if known.empty:
        raise ForecastError(f"{date!r} has no date.")
    days, periods = known[date], known[date].dt.to_period(GRAINS[grain])
    every = pd.period_range(periods.min(), periods.max(), freq=GRAINS[grain])
    counts = periods.value_counts().reindex(every, fill_value=0)
    if how == "count":
        sums = counts.astype(float)
    else:
        sums = known[value].astype(float).groupby(periods).agg(how).reindex(every)
    gaps = int((counts == 0).sum())
    if gaps and how == "mean":
        raise ForecastError(f"{gaps} periods have no row, and a mean of nothing is not known.")
    sums = sums.fillna(0.0)
    partial = _partial(days, every, counts)
    whole = sums[[not item for item in partial]]
    left_out = tuple(named(period, grain) for period, item in zip(every, partial, strict=True) if item)
    if left_out:
        facts.assume(f"The forecast leaves out {', '.join(left_out)}: the data do not hold the whole of it")
    if gaps:
        facts.assume(f"{gaps} periods without a row count as zero in the forecast")
    whole.name = value or "rows"
    told = register(
        f"{grain}s of {whole.name}",
        pd.Series(whole.to_numpy(), index=[named(period, grain) for period in whole.index], name=whole.name),
        how=f"{how} of {value or 'rows'} by {grain} of {date}",
        of=frame,
        columns=[name for name in (date, value) if name],
    )
    whole.attrs[FILES] = told.attrs.get(FILES, files_of(frame) or loaded_files())
    return Series(whole, grain, left_out, gaps)


def named(period, grain):
    return f"{period.start_time:%Y-%m-%d}" if grain in ("day", "week") else str(period)


def _partial(days, every, counts):
    first, last = days.min(), days.max()
    if (days == days.dt.normalize()).all():
        last += pd.Timedelta(days=1)  # a date without a time is the whole day
    usual = max(1.0, float(counts.median()))
    return [is_partial(period, place, len(every), first, last, usual) for place, period in enumerate(every)]
