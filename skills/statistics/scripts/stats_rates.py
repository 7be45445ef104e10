"""Proportions: Wilson intervals, chi-square or Fisher, A/B tests with power.

Wilson (1927); the difference of two by Newcombe's hybrid score interval (1998, method 10); the least
detectable difference by the normal approximation of two proportions (Fleiss 1981).
"""

import math

import numpy as np
import pandas as pd
from scipy import stats
from stats_errors import StatsError
from stats_model import ALPHA, RUSSIAN_SIZE, Check, Test, percent, points, shown_p, size_of

FEWEST_EXPECTED = 5
"""Of a cell, below which chi-square is not to be trusted (Cochran 1954)."""


def wilson(hits, n, level=0.95):
    """(low, high) of a share."""
    if not 0 <= hits <= n or n < 1:
        raise StatsError(f"{hits} of {n} is no share.")
    z = stats.norm.ppf((1 + level) / 2)
    share = hits / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def difference(hits, n, other_hits, other_n, level=0.95):
    """(low, high) of the first share minus the second."""
    one, other = hits / n, other_hits / other_n
    low, high = wilson(hits, n, level)
    other_low, other_high = wilson(other_hits, other_n, level)
    gap = one - other
    return (
        gap - math.hypot(one - low, other_high - other),
        gap + math.hypot(high - one, other - other_low),
    )


def detectable(base, n, other_n, power=0.8):
    """The least difference from a share `base` that such groups show with that power, two-sided at 5%."""
    spread = base * (1 - base) * (1 / n + 1 / other_n)
    return (stats.norm.ppf(1 - ALPHA / 2) + stats.norm.ppf(power)) * math.sqrt(spread)


def needed(base, gap, power=0.8):
    """Cases for each group, to show a difference `gap` from a share `base`, two-sided at 5%."""
    if not gap or not 0 < base < 1 or not 0 < base + gap < 1:
        raise StatsError("base and base + gap are shares between 0 and 1, gap is not 0.")
    z = stats.norm.ppf(1 - ALPHA / 2) + stats.norm.ppf(power)
    other = base + gap
    return math.ceil(z**2 * (base * (1 - base) + other * (1 - other)) / gap**2)


def power_of(one, other, n, other_n):
    """The chance that such groups show a true difference of these shares."""
    spread = math.sqrt(one * (1 - one) / n + other * (1 - other) / other_n)
    if not spread:
        return 1.0
    z = stats.norm.ppf(1 - ALPHA / 2)
    shift = abs(one - other) / spread
    return float(stats.norm.cdf(shift - z) + stats.norm.cdf(-shift - z))


def counts(frame, outcome, by, positive):
    """A frame by group: hits, n, rate, low, high."""
    known = frame[[outcome, by]].dropna()
    hits = known[outcome] == positive
    if not hits.any():
        raise StatsError(
            f"{outcome!r} is never {positive!r}; it is {', '.join(map(str, known[outcome].unique()[:6]))}."
        )
    found = pd.DataFrame({"hits": hits.groupby(known[by]).sum(), "n": hits.groupby(known[by]).size()}).astype(
        int
    )
    found["rate"] = found.hits / found.n
    bounds = [wilson(row.hits, row.n) for row in found.itertuples()]
    found["low"], found["high"] = [low for low, _ in bounds], [high for _, high in bounds]
    return found


def compare(table, first, second, name="A/B test"):
    """A Test of the share of `second` against that of `first`, from a frame of counts."""
    a, b = table.loc[first], table.loc[second]
    cells = np.array([[b.hits, b.n - b.hits], [a.hits, a.n - a.hits]])
    statistic, p, method, check = _tested(cells)
    low, high = difference(b.hits, b.n, a.hits, a.n)
    gap = float(b.rate - a.rate)
    effect = float(2 * (math.asin(math.sqrt(b.rate)) - math.asin(math.sqrt(a.rate))))
    least = detectable(min(max(float(a.rate), 1 / a.n), 1 - 1 / a.n), int(a.n), int(b.n))
    size = size_of(effect, 0.2, 0.5, 0.8)
    groups = {
        str(key): {"rate": float(row.rate), "low": float(row.low), "high": float(row.high), "n": int(row.n)}
        for key, row in table.loc[[first, second]].iterrows()
    }
    power = power_of(float(a.rate), float(b.rate), int(a.n), int(b.n))
    return Test(
        f"{name}, {method}", gap, low, high, p, statistic, effect, "Cohen's h", size, int(a.n + b.n),
        groups=groups, power=power, detectable=least, checks=(check,),
        texts=_texts(first, second, a, b, gap, low, high, p, size, least),
    )  # fmt: skip


def several(table, by):
    """A Test of whether the shares of several groups are the same."""
    cells = np.array([table.hits, table.n - table.hits])
    if len(table) == 2:
        return compare(table, *table.index, name="two shares")
    statistic, p, method, check = _tested(cells)
    total = int(table.n.sum())
    effect = math.sqrt(statistic / total / (min(cells.shape) - 1))
    best, worst = table.rate.idxmax(), table.rate.idxmin()
    size = size_of(effect, 0.1, 0.3, 0.5)
    groups = {
        str(key): {"rate": float(row.rate), "low": float(row.low), "high": float(row.high), "n": int(row.n)}
        for key, row in table.iterrows()
    }
    high, low = percent(table.rate[best]), percent(table.rate[worst])
    told = "differ more than chance explains" if p < ALPHA else "do not differ more than chance explains"
    said = (
        "различаются сильнее, чем объяснила бы случайность"
        if p < ALPHA
        else "не различаются сильнее случайного"
    )
    texts = {
        "en": (
            f"The shares by {by} {told} (p {shown_p(p)}, {size} effect): "
            f"from {low} ({worst}) to {high} ({best})."
        ),
        "ru": (
            f"Доли по «{by}» {said} (p {shown_p(p, 'ru')}, {RUSSIAN_SIZE[size]} эффект): от "
            f"{percent(table.rate[worst], 'ru')} ({worst}) до "
            f"{percent(table.rate[best], 'ru')} ({best})."
        ),
    }
    gap = float(table.rate[best] - table.rate[worst])
    return Test(
        f"several shares, {method}", gap, math.nan, math.nan, p, statistic, effect, "Cramér's V", size, total,
        groups=groups, checks=(check,), texts=texts,
    )  # fmt: skip


def _tested(cells):
    """(statistic, p, method, Check): chi-square without a correction, or Fisher's where cells are few."""
    if (cells.sum(axis=0) == 0).any() or (cells.sum(axis=1) == 0).any():
        raise StatsError("Everybody has the same outcome: there is nothing to compare.")
    found = stats.chi2_contingency(cells, correction=False)
    least = float(found.expected_freq.min())
    if least >= FEWEST_EXPECTED:
        check = Check("expected counts", True, f"the least is {least:.1f}, {FEWEST_EXPECTED} or more")
        return float(found.statistic), float(found.pvalue), "chi-square", check
    if cells.shape == (2, 2):
        said = f"the least is {least:.1f}, below {FEWEST_EXPECTED}: Fisher's exact test"
        p = float(stats.fisher_exact(cells).pvalue)
        return float(found.statistic), p, "Fisher's exact", Check("expected counts", False, said)
    said = f"the least is {least:.1f}, below {FEWEST_EXPECTED}: p is rough, join small groups"
    return float(found.statistic), float(found.pvalue), "chi-square", Check("expected counts", False, said)


def _texts(first, second, a, b, gap, low, high, p, size, least):
    sure = p < ALPHA
    english = (
        f"{percent(b.rate)} ({second}, n = {b.n:.0f}) against {percent(a.rate)} ({first}, n = {a.n:.0f}): "
        f"{points(gap)}, 95% interval {points(low, unit=False)} to {points(high)}, p {shown_p(p)}, "
        f"{size} effect; "
    )
    english += (
        "more than chance explains."
        if sure
        else f"not more than chance explains. So few cases show a difference of {points(least)[1:]} or more."
    )
    russian = (
        f"{percent(b.rate, 'ru')} ({second}, n = {b.n:.0f}) против {percent(a.rate, 'ru')} ({first}, "
        f"n = {a.n:.0f}); разница {points(gap, 'ru')}, 95 %-й интервал от {points(low, 'ru', unit=False)} до "
        f"{points(high, 'ru')}, p {shown_p(p, 'ru')}, эффект {RUSSIAN_SIZE[size]}; "
    )
    russian += (
        "сильнее, чем объяснила бы случайность."
        if sure
        else f"случайностью это объяснимо. На таких группах видна разница от {points(least, 'ru')[1:]}"
    )
    return {"en": english, "ru": russian}
