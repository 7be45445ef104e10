"""Methods of forecasting: each takes the past and gives the next values.

Exponential smoothing follows Hyndman and Athanasopoulos, Forecasting: Principles and Practice, chapter 8:
simple, Holt's damped trend, additive Holt-Winters. Parameters are those of the least squared error one step
ahead.
"""

import numpy as np
from scipy.optimize import minimize

LEAST_SEASONS = 2
"""Whole seasons that a seasonal method must have seen."""
BASE = ("naive", "seasonal naive")


def naive(past, steps, season):
    return np.repeat(past[-1], steps)


def seasonal_naive(past, steps, season):
    return np.array([past[len(past) - season + place % season] for place in range(steps)])


def drift(past, steps, season):
    """The straight line from the first to the last value."""
    return past[-1] + (past[-1] - past[0]) / (len(past) - 1) * np.arange(1, steps + 1)


def average(past, steps, season):
    return np.repeat(past.mean(), steps)


def simple(past, steps, season):
    (alpha,) = _fitted(lambda p: _holt(past, p[0], 0.0, 1.0, trend=False)[0], [(0.01, 0.99)], [0.3])
    level = _holt(past, alpha, 0.0, 1.0, trend=False)[1]
    return np.repeat(level, steps)


def damped(past, steps, season):
    """Holt's trend, damped."""
    alpha, beta, phi = _fitted(
        lambda p: _holt(past, *p, trend=True)[0],
        [(0.01, 0.99), (0.001, 0.5), (0.8, 0.98)],
        [0.3, 0.05, 0.9],
    )
    _, level, trend = _holt(past, alpha, beta, phi, trend=True)
    return level + trend * np.cumsum(phi ** np.arange(1, steps + 1))


def holt_winters(past, steps, season):
    """Additive season, damped trend."""
    bounds = [(0.01, 0.99), (0.001, 0.3), (0.001, 0.6), (0.8, 0.98)]
    best = _fitted(lambda p: _winters(past, *p, season)[0], bounds, [0.3, 0.02, 0.1, 0.9])
    _, level, trend, seasons = _winters(past, *best, season)
    ahead = np.arange(1, steps + 1)
    return level + trend * np.cumsum(best[3] ** ahead) + seasons[(len(past) + ahead - 1) % season]


METHODS = {
    "naive": naive,
    "average": average,
    "drift": drift,
    "simple smoothing": simple,
    "damped trend": damped,
    "seasonal naive": seasonal_naive,
    "Holt-Winters": holt_winters,
}
SEASONAL = frozenset({"seasonal naive", "Holt-Winters"})


def usable(length, season):
    """Names of the methods that a past of this length allows."""
    seasonal = season > 1 and length >= LEAST_SEASONS * season
    return [name for name in METHODS if seasonal or name not in SEASONAL]


def _fitted(error, bounds, start):
    found = minimize(error, start, bounds=bounds, method="L-BFGS-B", options={"maxiter": 40})
    return found.x


def _holt(past, alpha, beta, phi, *, trend):
    """(squared error one step ahead, level, trend)."""
    level, slope, error = past[0], (past[1] - past[0]) if trend else 0.0, 0.0
    for value in past[1:].tolist():
        expected = level + phi * slope
        error += (value - expected) ** 2
        new = alpha * value + (1 - alpha) * expected
        slope = beta * (new - level) + (1 - beta) * phi * slope if trend else 0.0
        level = new
    return error, level, slope


def _winters(past, alpha, beta, gamma, phi, season):
    """(squared error, level, trend, seasons by place in the season)."""
    level = past[:season].mean()
    slope = (past[season : 2 * season].mean() - level) / season
    seasons = (past[:season] - level).tolist()
    error = 0.0
    for place, value in enumerate(past.tolist()):
        expected = level + phi * slope + seasons[place % season]
        error += (value - expected) ** 2
        new = alpha * (value - seasons[place % season]) + (1 - alpha) * (level + phi * slope)
        slope = beta * (new - level) + (1 - beta) * phi * slope
        seasons[place % season] = gamma * (value - new) + (1 - gamma) * seasons[place % season]
        level = new
    return error, level, slope, np.array(seasons)
