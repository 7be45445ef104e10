"""Means of two groups and of several; Welch's tests, Mann-Whitney or Kruskal-Wallis where means mislead.

Welch (1947, 1951); Hedges' g (1981); pairs adjusted by Holm (1979).
"""

import math
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats
from stats_errors import StatsError
from stats_model import ALPHA, RUSSIAN_SIZE, Check, Pair, Test, number, shown_p, size_of

FEW = 30
"""Cases of a group, from which a mean is nearly normal unless the tail is heavy."""
SKEWED = 2.0
"""Skewness from which, in small groups, ranks are compared and not means."""
HEAVY = 5.0
"""The same for groups of any size: one case then moves the mean."""
FEWEST = 3
MAX_GROUPS = 12


def groups_of(frame, value, by):
    """{group: values}, by the order of their size in rows."""
    known = frame[[value, by]].dropna()
    if not pd.api.types.is_numeric_dtype(known[value].dtype):
        raise StatsError(f"{value!r} is not a column of numbers.")
    found = {str(key): part.to_numpy(dtype=float) for key, part in known.groupby(by)[value]}
    small = [key for key, part in found.items() if len(part) < FEWEST]
    if small:
        raise StatsError(f"Too few cases in {', '.join(small[:5])}: leave these groups out, or join them.")
    if not 2 <= len(found) <= MAX_GROUPS:
        raise StatsError(f"{by!r} has {len(found)} groups; two to {MAX_GROUPS} can be compared.")
    if all(np.ptp(part) == 0 for part in found.values()):
        raise StatsError(f"{value!r} does not vary within the groups.")
    return found


def two(parts, value, ranks=None):
    """A Test of the second group's mean against the first's; by ranks where the means mislead."""
    (first, a), (second, b) = parts.items()
    checks = _checks(parts)
    by_ranks = not checks[0].holds if ranks is None else ranks
    gap = float(b.mean() - a.mean())
    welch = stats.ttest_ind(b, a, equal_var=False)
    interval = welch.confidence_interval(0.95)
    if by_ranks:
        found = stats.mannwhitneyu(b, a)
        statistic, p = float(found.statistic), float(found.pvalue)
        effect = 2 * statistic / (len(a) * len(b)) - 1
        name, effect_name, size = "Mann-Whitney", "rank-biserial correlation", size_of(effect, 0.1, 0.3, 0.5)
    else:
        statistic, p = float(welch.statistic), float(welch.pvalue)
        effect = hedges(a, b)
        name, effect_name, size = "Welch's t", "Hedges' g", size_of(effect, 0.2, 0.5, 0.8)
    return Test(
        name, gap, float(interval.low), float(interval.high), p, statistic, effect, effect_name, size,
        len(a) + len(b), groups=_described(parts), checks=checks,
        texts=_texts(value, first, second, a, b, gap, interval, p, size, by_ranks),
    )  # fmt: skip


def several(parts, value, by, ranks=None):
    """A Test of whether the groups are alike, with pairs adjusted by Holm."""
    if len(parts) == 2:
        return two(parts, value, ranks)
    checks, arrays = _checks(parts), list(parts.values())
    by_ranks = not checks[0].holds if ranks is None else ranks
    total = sum(map(len, arrays))
    if by_ranks:
        found = stats.kruskal(*arrays)
        statistic, p, name = float(found.statistic), float(found.pvalue), "Kruskal-Wallis"
        effect = max(0.0, (statistic - len(arrays) + 1) / (total - len(arrays)))
    else:
        statistic, p = welch_anova(arrays)
        name, whole = "Welch's ANOVA", np.concatenate(arrays)
        between = sum(len(part) * (part.mean() - whole.mean()) ** 2 for part in arrays)
        effect = float(between / ((whole - whole.mean()) ** 2).sum())
    pairs = _pairs(parts, by_ranks)
    size = size_of(effect, 0.01, 0.06, 0.14)
    means = {key: float(part.mean()) for key, part in parts.items()}
    best, worst = max(means, key=means.get), min(means, key=means.get)
    apart = [f"{pair.first}–{pair.second}" for pair in pairs if pair.p < ALPHA]
    told = "differs by" if p < ALPHA else "does not differ more than chance explains by"
    said = "различается" if p < ALPHA else "не различается сильнее случайного"
    texts = {
        "en": (
            f"{value} {told} {by} (p {shown_p(p)}, {size} effect): mean from "
            f"{number(means[worst])} ({worst}) to {number(means[best])} ({best}). "
            f"Pairs that differ: {', '.join(apart) or 'none'}."
        ),
        "ru": (
            f"«{value}» по «{by}» {said} (p {shown_p(p, 'ru')}, эффект {RUSSIAN_SIZE[size]}): среднее от "
            f"{number(means[worst], 'ru')} ({worst}) до {number(means[best], 'ru')} ({best}). "
            f"Различаются пары: {', '.join(apart) or 'никакие'}."
        ),
    }
    return Test(
        name, means[best] - means[worst], math.nan, math.nan, p, statistic, effect,
        "epsilon squared" if by_ranks else "eta squared", size, total,
        groups=_described(parts), pairs=pairs, checks=checks, texts=texts,
    )  # fmt: skip


def hedges(a, b):
    """Hedges' g of b against a: the difference in pooled standard deviations, corrected for few cases."""
    count = len(a) + len(b) - 2
    pooled = math.sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / count)
    return float((b.mean() - a.mean()) / pooled * (1 - 3 / (4 * count - 1))) if pooled else 0.0


def welch_anova(arrays):
    """(F, p) of means with variances that differ. Raises StatsError where a group does not vary."""
    if any(part.var(ddof=1) == 0 for part in arrays):
        raise StatsError("A group does not vary: compare by ranks=True.")
    weights = np.array([len(part) / part.var(ddof=1) for part in arrays])
    means = np.array([part.mean() for part in arrays])
    k, whole = len(arrays), weights.sum()
    grand = (weights * means).sum() / whole
    spread = sum((1 - w / whole) ** 2 / (len(part) - 1) for w, part in zip(weights, arrays, strict=True))
    top = (weights * (means - grand) ** 2).sum() / (k - 1)
    value = top / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return float(value), float(stats.f.sf(value, k - 1, (k**2 - 1) / (3 * spread)))


def holm(values):
    """p values adjusted for their number, in their order."""
    order = np.argsort(values)
    adjusted, running = [0.0] * len(values), 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (len(values) - place) * float(values[index])))
        adjusted[index] = running
    return adjusted


def _pairs(parts, by_ranks):
    raw = []
    for (first, a), (second, b) in combinations(parts.items(), 2):
        test = stats.mannwhitneyu(a, b) if by_ranks else stats.ttest_ind(a, b, equal_var=False)
        raw.append((first, second, float(a.mean() - b.mean()), float(test.pvalue)))
    adjusted = holm([item[3] for item in raw])
    return tuple(Pair(*item[:3], p) for item, p in zip(raw, adjusted, strict=True))


def _checks(parts):
    skews = {key: abs(float(stats.skew(part))) if np.ptp(part) else 0.0 for key, part in parts.items()}
    bad = [key for key, part in parts.items() if skews[key] > (SKEWED if len(part) < FEW else HEAVY)]
    tail = (
        f"skewed: {', '.join(bad[:4])}; ranks are compared, not means"
        if bad
        else "no heavy tail for its size"
    )
    spreads = [part.std(ddof=1) for part in parts.values()]
    even = min(spreads) > 0 and max(spreads) / min(spreads) <= 2
    least = min(map(len, parts.values()))
    return (
        Check("shape", not bad, tail),
        Check("equal spread", even, "not needed: Welch's tests do without"),
        Check("cases", least >= FEW, f"the smallest group has {least}"),
    )


def _described(parts):
    return {
        key: {
            "mean": float(part.mean()),
            "median": float(np.median(part)),
            "std": float(part.std(ddof=1)),
            "n": len(part),
        }
        for key, part in parts.items()
    }


def _texts(value, first, second, a, b, gap, interval, p, size, by_ranks):
    sure = p < ALPHA
    ranked, ranked_ru = (" by ranks", " по рангам") if by_ranks else ("", "")
    return {
        "en": (
            f"{value}: mean {number(b.mean())} ({second}, n = {len(b)}), {number(a.mean())} ({first}, "
            f"n = {len(a)}); difference {number(gap)}, 95% interval {number(interval.low)} to "
            f"{number(interval.high)}, p {shown_p(p)}{ranked}, {size} effect; "
            f"{'more' if sure else 'not more'} than chance explains."
        ),
        "ru": (
            f"«{value}»: среднее {number(b.mean(), 'ru')} ({second}, n = {len(b)}), "
            f"{number(a.mean(), 'ru')} ({first}, n = {len(a)}); разница {number(gap, 'ru')}, 95 %-й интервал "
            f"от {number(interval.low, 'ru')} до {number(interval.high, 'ru')}, "
            f"p {shown_p(p, 'ru')}{ranked_ru}, эффект {RUSSIAN_SIZE[size]}; "
            f"{'сильнее, чем объяснила бы' if sure else 'не сильнее, чем объяснит'} случайность."
        ),
    }
