"""The backtest: forecasts from many earlier ends of the series, and how wrong they were.

The intervals are those of the errors themselves: split conformal (Vovk et al. 2005), so their width claims
no normal distribution. Errors of one origin are not independent of the next one's; coverage is therefore
measured and told, not promised.
"""

import math
from dataclasses import dataclass

import numpy as np
from forecasting_methods import METHODS

MAX_ORIGINS = 24
MARGIN = 0.02
CLEAR = 1.5
"""Standard errors by which a method must be better: the best of seven is ahead of naive by chance too."""


@dataclass(frozen=True)
class Backtest:
    """`errors`: actual minus forecast, by origin and step; NaN beyond the end of the series."""

    method: str
    errors: np.ndarray

    @property
    def mae(self):
        return float(np.nanmean(np.abs(self.errors)))

    @property
    def origins(self):
        return len(self.errors)


def origins_of(length, steps, season):
    """Lengths of the past from which is forecast: those with half of the series before them, and two seasons
    where there is one and room for it."""
    least = max(6, length // 2)
    if season > 1 and 2 * season + max(4, steps) <= length:
        least = max(least, 2 * season)
    ends = list(range(least, length))
    return ends[-MAX_ORIGINS:]


def backtest(values, method, steps, season, origins):
    """A Backtest of a method over the same origins as the others."""
    errors = np.full((len(origins), steps), np.nan)
    for row, end in enumerate(origins):
        ahead = min(steps, len(values) - end)
        errors[row, :ahead] = values[end : end + ahead] - METHODS[method](values[:end], ahead, season)
    return Backtest(method, errors)


def is_better(one, other):
    """Whether the mean absolute error of one is less by MARGIN, and by CLEAR standard errors over origins."""
    gain = np.nanmean(np.abs(other.errors), axis=1) - np.nanmean(np.abs(one.errors), axis=1)
    noise = gain.std(ddof=1) / math.sqrt(len(gain)) if len(gain) > 1 else math.inf
    return bool(one.mae < (1 - MARGIN) * other.mae and gain.mean() > CLEAR * noise)


def bounds(errors, level):
    """(low, high) to add to a forecast of each step. Steps with too few errors of their own share those of
    all steps, scaled by the root of the step; a later step is never narrower than an earlier one."""
    steps = errors.shape[1]
    scale = np.sqrt(np.arange(1, steps + 1))
    pooled = (errors / scale)[~np.isnan(errors)]
    low, high = np.zeros(steps), np.zeros(steps)
    for step in range(steps):
        own = errors[:, step][~np.isnan(errors[:, step])]
        enough = len(own) >= needed(level)
        found = own if enough else pooled * scale[step]
        low[step], high[step] = _quantiles(found, level)
    return np.minimum.accumulate(low), np.maximum.accumulate(high)


def needed(level):
    """Errors below which a quantile of that level is beyond the largest of them."""
    return math.ceil(2 / (1 - level)) - 1


def coverage(errors, level):
    """(share, count) of the actual values that lay inside the interval made of the other origins' errors."""
    inside = total = 0
    for row in range(len(errors)):
        others = np.delete(errors, row, axis=0)
        if np.isnan(others).all():
            continue
        low, high = bounds(others, level)
        known = ~np.isnan(errors[row])
        inside += int(((errors[row] >= low) & (errors[row] <= high))[known].sum())
        total += int(known.sum())
    return (inside / total if total else math.nan), total


def _quantiles(errors, level):
    """The conformal ones: of n errors the k-th from each end, k = floor((n + 1)(1 - level) / 2), ≥ 1."""
    ordered = np.sort(errors)
    place = max(1, math.floor((len(ordered) + 1) * (1 - level) / 2 + 1e-9))
    return ordered[place - 1], ordered[len(ordered) - place]
