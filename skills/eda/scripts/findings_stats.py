"""Counts, rates, distributions, totals and correlations, exact and in plain Python numbers."""

import numpy as np
import pandas as pd
from findings_model import (
    Categories,
    Correlation,
    Distribution,
    Level,
    Missing,
    Overview,
    Part,
    Rates,
    Share,
    Totals,
)
from findings_roles import binary
from table_columns import duplicates

MAX_NUMERIC = 60
TOP = 10
LOWEST = 3
"""Parts at the other end that are told of where there are more than TOP."""
LEVELS = 15
SMALL_LEVEL = 5
"""A strength is not judged on levels with fewer rows: they are shown, and swing by chance."""


def overview(frame):
    gaps = frame.isna().sum()
    rows = len(frame)
    missing = [Missing(str(name), int(n), int(n) / rows) for name, n in gaps.items() if n]
    missing.sort(key=lambda item: -item.count)
    return Overview(
        rows, frame.shape[1], duplicates(frame), int((~frame.isna().any(axis=1)).sum()), tuple(missing)
    )


def rates(frame, found, target):
    """Outcome rates by every column with levels, and by bands of measures; strongest first."""
    _, hits, present = binary(frame[target])
    result = []
    for role in found:
        if role.column == target or role.role not in ("category", "count", "bool", "measure"):
            continue
        series = frame[role.column]
        table = (
            _bands(series, hits, present)
            if role.role == "measure"
            else _levels(series, hits, present, role.role)
        )
        if table is not None and len(table) > 1:
            missing = int((series.isna().to_numpy() & present).sum())
            result.append(Rates(role.column, cramers_v(table), role.role == "measure", missing, tuple(table)))
    return tuple(sorted(result, key=lambda item: -item.strength))


def _levels(series, hits, present, role):
    known = series.notna().to_numpy() & present
    grouped = pd.DataFrame({"level": series[known], "hit": hits[known]}).groupby("level", observed=True)[
        "hit"
    ]
    counts = grouped.agg(["size", "sum"])
    if len(counts) > LEVELS:
        if role != "category" or len(counts) > 40:
            return None
        counts = counts.sort_values("size", ascending=False).head(LEVELS)
    counts = counts.sort_index() if role == "count" else counts.sort_values("size", ascending=False)
    return [
        Level(shown(value), int(n), int(hit), int(hit) / int(n))
        for value, n, hit in counts.itertuples(name=None)
    ]


def _bands(series, hits, present):
    known = series.notna().to_numpy() & present
    values = series[known].to_numpy(dtype=float)
    if len(values) < 40:
        return None
    edges = nice_edges(values)
    if len(edges) < 3:
        return None
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    result = []
    for index in range(len(edges) - 1):
        here = place == index
        n, hit = int(here.sum()), int(hits[known][here].sum())
        if n:
            low, high = float(edges[index]), float(edges[index + 1])
            result.append(Level(f"{low:g}–{high:g}", n, hit, hit / n, low, high))
    return result


def nice_edges(values, bands=4):
    """Quantiles rounded to two digits: bands hold low <= value < high, the last one its upper bound too."""
    inner = [_rounded(value) for value in np.quantile(values, np.linspace(0, 1, bands + 1)[1:-1])]
    low, high = values.min(), values.max()
    return sorted({float(low), float(high), *(edge for edge in inner if low < edge < high)})


def _rounded(value):
    return float(f"{value:.2g}") if value else 0.0


def cramers_v(levels):
    """Strength of the link between levels and a yes/no outcome, 0 to 1."""
    solid = [level for level in levels if level.n >= SMALL_LEVEL]
    n = sum(level.n for level in solid)
    hits = sum(level.positives for level in solid)
    if len(solid) < 2 or not 0 < hits < n:
        return 0.0
    share = hits / n
    chi2 = sum((level.positives - level.n * share) ** 2 / (level.n * share * (1 - share)) for level in solid)
    return float(min(1.0, (chi2 / n) ** 0.5))


def distributions(frame, columns):
    result = []
    for name in columns[:MAX_NUMERIC]:
        values = frame[name].dropna().to_numpy(dtype=float)
        values = values[np.isfinite(values)]
        if not len(values):
            continue
        q1, median, q3 = (float(v) for v in np.quantile(values, [0.25, 0.5, 0.75]))
        reach = 1.5 * (q3 - q1)
        outliers = int(((values < q1 - reach) | (values > q3 + reach)).sum())
        low, high = (
            (max(values.min(), q1 - 2 * reach), min(values.max(), q3 + 2 * reach))
            if reach
            else (values.min(), values.max())
        )
        counts, edges = np.histogram(np.clip(values, low, high), bins=round_edges(low, high))
        std = float(values.std(ddof=1)) if len(values) > 1 else None
        skew = float(pd.Series(values).skew()) if len(values) > 2 and std else None
        result.append(
            Distribution(
                name,
                len(values),
                float(values.min()),
                q1,
                median,
                q3,
                float(values.max()),
                float(values.mean()),
                std,
                skew,
                int((values == 0).sum()),
                int((values < 0).sum()),
                outliers,
                tuple(float(edge) for edge in edges),
                tuple(int(count) for count in counts),
            )
        )
    return tuple(result)


def round_edges(low, high, bins=10):
    """Edges of at most a bin or two more than `bins`, at round numbers, from below `low` to above `high`."""
    if high <= low:
        return np.array([low - 0.5, low + 0.5])
    power = 10.0 ** np.floor(np.log10((high - low) / bins))
    step = next(power * factor for factor in (1, 2, 5, 10) if (high - low) / (power * factor) <= bins)
    first, last = np.floor(low / step), np.floor(high / step) + 1
    if last - 1 > first and (last - 1) * step >= high:
        last -= 1
    return np.arange(first, last + 1) * step


def categories(frame, columns):
    result = []
    for name in columns:
        counts = frame[name].value_counts()
        n = int(counts.sum())
        levels = [
            Share(shown(value), int(count), int(count) / n) for value, count in counts.head(TOP).items()
        ]
        other = n - sum(level.n for level in levels)
        result.append(Categories(str(name), len(counts), tuple(levels), other, int(frame[name].isna().sum())))
    return tuple(result)


def totals(values, measure, additive, by, groups):
    """One measure by one category: the largest ten and the rest. None when there is nothing to compare."""
    pairs = pd.DataFrame({"by": groups, "value": values}).dropna()
    table = pairs.groupby("by", observed=True)["value"].agg(["size", "sum", "mean", "median"])
    if len(table) < 2:
        return None
    table = table.sort_values("sum" if additive else "mean", ascending=False)
    whole = float(table["sum"].sum())
    one_sign = bool((table["sum"] >= 0).all()) and whole > 0
    parts = [_part(row, whole if one_sign else None) for row in table.head(TOP).itertuples(name=None)]
    rest, other = table.iloc[TOP:], None
    if len(rest):
        inside = pairs[pairs["by"].isin(rest.index)]["value"]
        total = float(inside.sum())
        share = total / whole if one_sign else None
        other = Part("", len(inside), total, share, float(inside.mean()), float(inside.median()))
    numbers = pairs["value"].to_numpy(dtype=float)
    return Totals(
        measure,
        str(by),
        additive,
        whole,
        tuple(parts),
        other,
        len(table),
        float(numbers[numbers < 0].sum()),
        float(numbers[np.abs(numbers).argmax()]),
        tuple(_part(row, whole if one_sign else None) for row in rest.tail(LOWEST).itertuples(name=None)),
    )


def _part(row, whole):
    value, n, total, mean, median = row
    share = None if whole is None else float(total) / whole
    return Part(shown(value), int(n), float(total), share, float(mean), float(median))


def correlations(frame, columns, least=0.1, most=20):
    columns = columns[:40]
    if len(columns) < 2 or len(frame) < 5:
        return ()
    values = frame[columns].astype(float)
    table = values.corr(min_periods=5).to_numpy()
    known = values.notna().to_numpy().astype(int)
    counts = known.T @ known
    pairs = [
        Correlation(str(columns[i]), str(columns[j]), float(table[i, j]), int(counts[i, j]))
        for i in range(len(columns))
        for j in range(i + 1, len(columns))
        if np.isfinite(table[i, j]) and abs(table[i, j]) >= least
    ]
    return tuple(sorted(pairs, key=lambda pair: -abs(pair.r))[:most])


def shown(value):
    """A level as text: 3.0 is 3, spaces at the ends are not shown."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return " ".join(str(value).split())
