"""The standard look at any table: `findings.standard(table, hints=("churn",)) -> Findings`.

`rates_by` gives the rate of an outcome by any column, `save_json` writes figures for later steps.

`hints` are words of the request, in English or Russian. Everything in the result is exact and JSON-able.
"""

from dataclasses import replace

import findings_roles
import findings_stats
import findings_time
import pandas as pd
from facts_findings import register
from findings_json import save_json
from findings_model import Findings
from findings_rates import rates_by

__all__ = ["Findings", "rates_by", "save_json", "standard"]

MAX_MEASURES = 4
MAX_CATEGORIES = 12
HUGE = 1e100
MAX_COLUMNS = 400
"""Of a wider table only the first so many columns are looked at; the notes say so."""


def standard(table, hints=()):
    """All findings of one table; parts that the data do not give are empty."""
    frame, notes = table.frame, []
    whole = findings_stats.overview(frame)
    if frame.shape[1] > MAX_COLUMNS:
        notes.append(f"Only the first {MAX_COLUMNS} of {frame.shape[1]} columns were analysed.")
        frame = frame.iloc[:, :MAX_COLUMNS]
    frame = _bounded(frame, notes)
    table = replace(table, frame=frame)
    found = findings_roles.roles(table)
    repeats = findings_time.total_rows(frame, found)
    details = frame.drop(index=[frame.index[item.row] for item in repeats]) if repeats else frame
    outcome = findings_roles.outcome(table, hints, lambda name: _association(frame, found, name))
    names = {role: [r.column for r in found if r.role == role] for role in {r.role for r in found}}
    measures = _ordered_measures(found, hints)
    numeric = [role.column for role in found if role.role in ("measure", "count")]
    spread = [name for name in numeric if frame[name].nunique() > 2]
    levels = [
        *names.get("category", []),
        *names.get("bool", []),
        *names.get("count", []),
        *names.get("label", []),
    ]
    levels = [name for name in levels if outcome is None or name != outcome.column]
    levels.sort(key=lambda name: -findings_roles.matches(name, hints))
    product = findings_roles.derived(found)
    small = findings_time.small(frame, found, repeats)
    if small is not None and small.columns_are_time:
        measures, numeric = (
            [],
            [],
        )  # its columns are one measure over time: not to be summed or compared with each other
    result = Findings(
        name=table.name,
        file=table.file,
        overview=whole,
        roles=found,
        outcome=outcome,
        rates=findings_stats.rates(frame, found, outcome.column) if outcome else (),
        distributions=findings_stats.distributions(details, spread),
        categories=findings_stats.categories(details, levels[:MAX_CATEGORIES]),
        derived=product,
        totals=_totals(details, measures, levels, product),
        dynamics=_dynamics(details, found, measures, product, hints),
        correlations=findings_stats.correlations(details, numeric),
        small=small,
        total_rows=repeats,
        notes=tuple(notes),
    )
    return register(result, table.frame)


def _bounded(frame, notes):
    """Numbers beyond HUGE (markers, broken cells) count as missing: their squares are infinite."""
    changed = {}
    for name in frame.select_dtypes("number").columns:
        huge = frame[name].abs() > HUGE
        if huge.any():
            changed[name] = frame[name].astype(float).mask(huge)
            notes.append(f"{int(huge.sum())} numbers beyond {HUGE:g} in {name} were left out.")
    return frame.assign(**changed)


def _association(frame, found, name):
    """Mean strength of the three columns that tell most about this one."""
    sample = frame.head(20_000)
    if sample[name].nunique() != 2:
        return 0.0
    strengths = [item.strength for item in findings_stats.rates(sample, found, name)[:3]]
    return sum(strengths) / 3 if strengths else 0.0


def _ordered_measures(found, hints):
    """Measures with those first that the request names, then those that may be added up."""
    measures = [role for role in found if role.role == "measure" or (role.role == "count" and role.additive)]
    return sorted(
        measures, key=lambda r: (-findings_roles.matches(r.column, hints), not r.additive, r.role == "count")
    )


def _values(frame, product, measures):
    """{name: (values, additive)} of what is worth summing; a product of quantity and price comes first."""
    result = {}
    if product is not None:
        first, second = product.factors
        result[product.name] = (frame[first].astype(float) * frame[second].astype(float), True)
    for role in measures[:MAX_MEASURES]:
        result[role.column] = (frame[role.column].astype(float), role.additive)
    return result


def _totals(frame, measures, levels, product):
    result = []
    for name, (values, additive) in _values(frame, product, measures).items():
        for level in levels[:MAX_CATEGORIES]:
            if level != name:
                found = findings_stats.totals(values, name, additive, level, frame[level])
                result += [found] if found else []
    return tuple(result)


def _dynamics(frame, found, measures, product, hints):
    """By the periods that the request names, the finest fitting one, and by year where there are two, of the
    first well filled date column."""
    sums = {
        name: values for name, (values, additive) in _values(frame, product, measures).items() if additive
    }
    dates = [role.column for role in found if role.role == "date"]
    dates.sort(key=lambda name: frame[name].isna().mean() > 0.2)
    for name in dates[:1]:
        series = pd.Series(frame[name], name=name)
        present = series.dropna()
        if present.nunique() < 3:
            continue
        grains = findings_time.grains_for(present.min(), present.max(), hints)
        return tuple(findings_time.dynamics(series, grain, sums) for grain in grains)
    years = next((r.column for r in found if r.role == "year" and frame[r.column].nunique() >= 2), None)
    if years is not None and len(frame) >= 30 and not frame[years].is_unique:
        return (findings_time.by_year(frame[years], sums, years),)
    return ()
