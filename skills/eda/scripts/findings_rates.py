"""The rate of an outcome by any column, or by several together, exact and with its n."""

import numpy as np
import pandas as pd
from facts_findings import register_rates
from findings_model import Level, Rates
from findings_roles import binary
from findings_stats import cramers_v, shown


def rates_by(frame, by, outcome, positive=None):
    """`Rates` whose levels (value, n, positives, rate) cover every row that has `by` and the outcome.

    `by` is a column, a list of columns (values are joined by " · ") or a Series. `positive` is the value
    that counts; it is found for yes/no columns. Raises ValueError for unknown columns and values.
    """
    hits, present = _hits(frame, outcome, positive)
    columns = [by] if isinstance(by, (str, pd.Series)) or not isinstance(by, (list, tuple)) else list(by)
    if not columns:
        raise ValueError("rates_by takes a column, or a list of at least one.")
    groups = [_column(frame, column) for column in columns]
    known = present & np.logical_and.reduce([group.notna().to_numpy() for group in groups])
    table = pd.DataFrame({"hit": hits[known]}, index=frame.index[known])
    keys = [group[known].to_numpy() if not hasattr(group, "cat") else group[known].array for group in groups]
    counts = table.groupby(keys, observed=True)["hit"].agg(["size", "sum"])
    levels = tuple(
        Level(_shown(value), int(n), int(hit), int(hit) / int(n))
        for value, n, hit in counts.itertuples(name=None)
    )
    name = " · ".join(str(group.name) for group in groups)
    return register_rates(Rates(name, cramers_v(levels), False, int((present & ~known).sum()), levels), frame)


def _hits(frame, outcome, positive):
    series = _column(frame, outcome)
    present = series.notna().to_numpy()
    if positive is not None:
        hits = (series == positive).fillna(False).to_numpy(dtype=bool)
        if not hits.any():
            values = ", ".join(str(value) for value in series.dropna().unique()[:6])
            raise ValueError(f"{positive!r} is no value of {series.name!r}. It has: {values}.")
        return hits, present
    found = binary(series)
    if found is None:
        raise ValueError(f"Say which value of {series.name!r} counts: positive=...")
    return found[1], present


def _column(frame, column):
    if isinstance(column, pd.Series):
        return column.reindex(frame.index)
    if column not in frame.columns:
        raise ValueError(f"There is no column {column!r}. It has: {', '.join(map(str, frame.columns[:20]))}.")
    return frame[column]


def _shown(value):
    return " · ".join(shown(part) for part in value) if isinstance(value, tuple) else shown(value)
