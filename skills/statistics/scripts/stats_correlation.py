"""Correlation of two columns with an interval; Spearman's where single points would make Pearson's.

The interval is Fisher's z (1921), for ranks with the standard error of Bonett and Wright (2000).
"""

import math

import numpy as np
import pandas as pd
from scipy import stats
from stats_errors import StatsError
from stats_model import ALPHA, RUSSIAN_SIZE, Check, Test, number, shown_p, size_of

FEWEST = 10
APART = 0.1
"""Between the coefficients of values and of ranks, from which outliers or a bend are at work."""


def correlation(frame, x, y, ranks=None):
    """A Test of the link of two columns of numbers."""
    known = frame[[x, y]].dropna()
    for name in (x, y):
        if not pd.api.types.is_numeric_dtype(known[name].dtype):
            raise StatsError(f"{name!r} is not a column of numbers.")
    if len(known) < FEWEST:
        raise StatsError(f"{len(known)} rows have both values: too few, it takes {FEWEST}.")
    a, b = known[x].to_numpy(dtype=float), known[y].to_numpy(dtype=float)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        raise StatsError(f"{x if np.ptp(a) == 0 else y!r} has one value only.")
    plain, ranked = stats.pearsonr(a, b), stats.spearmanr(a, b)
    alike = abs(plain.statistic - ranked.statistic) < APART
    by_ranks = not alike if ranks is None else ranks
    found, name = (ranked, "Spearman's rho") if by_ranks else (plain, "Pearson's r")
    r, p, n = float(found.statistic), float(found.pvalue), len(known)
    low, high = interval(r, n, ranks=by_ranks)
    said = "values and ranks agree" if alike else "outliers or a bend: values and ranks disagree"
    size = size_of(r, 0.1, 0.3, 0.5)
    told = "goes with" if p < ALPHA else "shows no sure link to"
    way = f", {'more' if r > 0 else 'less'} of it with more {x}" if p < ALPHA else ""
    russian = "связано с" if p < ALPHA else "не имеет надёжной связи с"
    texts = {
        "en": (
            f"{x} {told} {y}{way}: r = {number(r)}, 95% interval {number(low)} to {number(high)}, "
            f"n = {n}, p {shown_p(p)}, {size} link. A link is not a cause."
        ),
        "ru": (
            f"«{x}» {russian} «{y}»: r = {number(r, 'ru')}, 95 %-й интервал от {number(low, 'ru')} до "
            f"{number(high, 'ru')}, n = {n}, p {shown_p(p, 'ru')}, "
            f"связь {RUSSIAN_SIZE[size].replace('ый', 'ая')}. "
            "Связь — ещё не причина."
        ),
    }
    checks = (Check("straight line, no outliers", alike, said),)
    return Test(name, r, low, high, p, r, r, name, size, n, checks=checks, texts=texts)


def interval(r, n, *, ranks=False, level=0.95):
    """(low, high) of a coefficient."""
    if abs(r) >= 1:
        return r, r
    error = math.sqrt((1 + r**2 / 2 if ranks else 1) / (n - 3)) * stats.norm.ppf((1 + level) / 2)
    return math.tanh(math.atanh(r) - error), math.tanh(math.atanh(r) + error)
