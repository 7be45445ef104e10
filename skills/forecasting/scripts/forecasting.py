"""Forecasts with honest intervals: methods chosen by a backtest, intervals from its errors.

`series = forecasting.series(df, "Date", "Amount")`, `forecasting.forecast(series, 3)`.
"""

import math
from dataclasses import dataclass

import facts
import numpy as np
import pandas as pd
from facts_columns import register
from forecasting_backtest import backtest, bounds, coverage, is_better, needed, origins_of
from forecasting_errors import ForecastError, TooShort
from forecasting_methods import BASE, METHODS, usable
from forecasting_series import Series, series
from forecasting_words import WORDS, sentence

__all__ = ["Forecast", "ForecastError", "Series", "TooShort", "forecast", "series"]

LEAST = 12
"""Whole periods; half of them are the past of the first origin."""
PART = 3
"""A forecast is of a third of the past at most."""


@dataclass(frozen=True)
class Forecast:
    """`table` by period: forecast, low, high. `errors` by method: mean absolute error (mae), its part of
    the best naive one (relative). `coverage` is the share of actual values that lay in such intervals."""

    table: pd.DataFrame
    method: str
    beats_naive: bool
    errors: pd.DataFrame
    level: float
    coverage: float
    tested: int
    """Forecasts that the coverage was measured by."""
    notes: tuple

    def sentence(self, language="en"):
        """One plain sentence on the method, its error, and how far the interval holds."""
        return sentence(self, language)


def forecast(past, steps, level=0.8, unit=""):
    """A Forecast of the next `steps` periods of a Series. Raises TooShort, ForecastError.

    All methods that the length allows forecast from each of the last half of periods; the one of the least
    mean absolute error is chosen if it is clearly better than naive and seasonal naive, else the better of
    these is.
    """
    if not isinstance(past, Series):
        raise ForecastError("Give the result of forecasting.series(df, date, value, grain).")
    if not 0.5 <= level <= 0.95 or not isinstance(steps, int) or steps < 1:
        raise ForecastError("steps is a whole number from 1, level a share from 0.5 to 0.95.")
    values = past.values.to_numpy(dtype=float)
    if len(values) < max(LEAST, PART * steps):
        raise TooShort(
            f"{len(values)} whole {past.grain}s are too few for {steps} ahead: it takes "
            f"{max(LEAST, PART * steps)}. Show the past and say that it is too short for a forecast."
        )
    origins = origins_of(len(values), steps, past.season)
    names = usable(origins[0], past.season)
    tests = {name: backtest(values, name, steps, past.season, origins) for name in names}
    naive = min((name for name in BASE if name in tests), key=lambda name: tests[name].mae)
    best = min(tests, key=lambda name: tests[name].mae)
    beats = is_better(tests[best], tests[naive])
    chosen = tests[best if beats else naive]
    told, count = coverage(chosen.errors, level)
    table = _table(past, steps, chosen, level)
    scale = tests[naive].mae
    errors = pd.DataFrame(
        {
            "mae": {name: test.mae for name, test in tests.items()},
            "relative": {name: test.mae / scale if scale else math.nan for name, test in tests.items()},
        }
    ).sort_values("mae")
    notes = tuple(_notes(past, steps, names, chosen, level, beats))
    found = Forecast(table, chosen.method, beats, errors, level, told, count, notes)
    _register(past, found, unit)
    return found


def _table(past, steps, chosen, level):
    values = past.values.to_numpy(dtype=float)
    middle = METHODS[chosen.method](values, steps, past.season)
    low, high = bounds(chosen.errors, level)
    ahead = pd.period_range(past.values.index[-1] + 1, periods=steps, freq=past.values.index.freq)
    low, high = middle + low, middle + high
    if (values >= 0).all():
        middle, low, high = (np.maximum(part, 0) for part in (middle, low, high))
    labels = pd.Index(past.labels(ahead), name=past.grain)
    return pd.DataFrame({"forecast": middle, "low": low, "high": high}, index=labels)


def _notes(past, steps, names, chosen, level, beats):
    values = past.values
    if not beats:
        yield f"No method clearly beat the {chosen.method} forecast in the backtest: it is what is given."
    if past.season > 1 and "seasonal naive" not in names:
        yield (
            f"{len(values)} {past.grain}s do not hold two seasons before the backtest: no season is modelled."
        )
    last = chosen.errors[:, steps - 1]
    if int((~np.isnan(last)).sum()) < needed(level):
        yield (
            f"Only {int((~np.isnan(last)).sum())} backtest errors {steps} {past.grain}s ahead: the intervals "
            "share the errors of all steps, and are rough."
        )
    if past.left_out:
        yield f"Left out, since not whole: {', '.join(past.left_out)}."


def _register(past, found, unit):
    how = f"{found.method}, intervals of {found.level:.0%} from backtest errors"
    of = past.values.to_frame()
    of.attrs = dict(past.values.attrs)
    asked = {"of": of, "words": WORDS}
    register("forecast", found.table, how=how, unit=unit, **asked)
    units = {"mae": unit, "relative": "%"}
    register("forecast errors", found.errors, how="backtest of each method", units=units, **asked)
    told = {"level": found.level, "coverage": found.coverage}
    register("forecast intervals", told, how="share of actual values inside", unit="%", **asked)
    register("forecasts tested", {"tested": found.tested}, how=how, **asked)
    facts.assume(found.sentence())
    for note in found.notes:
        facts.assume(note)
