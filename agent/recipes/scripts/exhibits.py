"""An exhibit: a finding as a title with figures and the data to draw; here those of an outcome's rates."""

from dataclasses import dataclass

import pandas as pd
from asked import is_asked
from findings_roles import SUMMABLE, tokens
from wording import clip, derived, number, percent, plural, say, span

SOLID = 10
"""Rows that a level needs before its rate is named in a title."""
AMOUNTS = {"totals", "means", "dynamics"}
SAME = 0.005
"""Bars that differ by less, in lengths of the longest one, look the same."""
YES = ("1", "1.0", "true", "yes", "y", "да", "t", "+")


@dataclass(frozen=True)
class Exhibit:
    """`data` is a Series or a DataFrame with labels as its index; `weight` from 0 to about 100."""

    family: str
    chart: str
    """bar, column, line or table."""
    title: str
    data: object
    weight: float
    takeaway: str = ""
    percent: bool = False
    x_title: str = ""
    y_title: str = ""
    highlight: str | None = None
    about: tuple = ()
    """The columns and the period that it compares, as the request may name them."""


def alike(one, other):
    """Whether two exhibits draw the same bars, be it of other measures or under other names."""
    if not {one.family, other.family} <= AMOUNTS or len(one.data) != len(other.data):
        return False
    first, second = (item.data / (item.data.abs().max() or 1) for item in (one, other))
    if list(one.data.index) != list(other.data.index):
        first, second = first.sort_values(), second.sort_values()
        if one.y_title != other.y_title and len(first) < 3:
            return False
    return bool((abs(first.to_numpy() - second.to_numpy()) < SAME).all())


def surely_summed(found, measure):
    """Whether its name tells that a measure is an amount, rather than the shape of its values."""
    if found.derived is not None and measure == found.derived.name:
        return True
    return any(word.startswith(stem) for word in tokens(measure) for stem in SUMMABLE)


def outcome_name(outcome):
    if str(outcome.positive).lower() in YES:
        return clip(outcome.column)
    return f"{clip(outcome.column)} = {clip(outcome.positive)}"


def rates(found):
    """The outcome by each column that tells something about it, the strongest first."""
    if found.outcome is None:
        return
    for place, item in enumerate(found.rates):
        if ((place < 6 and item.strength >= 0.05) or is_asked(item.by)) and (
            exhibit := _rates(found.outcome, item, place)
        ):
            yield exhibit


def _rates(outcome, item, place):
    levels = [level for level in item.levels if level.n >= SOLID]
    if len(levels) < 2:
        return None
    names = {level: span(level.low, level.high) if item.binned else clip(level.value, 28) for level in levels}
    ordered = sorted(levels, key=lambda level: -level.rate)
    facts = {"outcome": outcome_name(outcome), "by": clip(item.by)}
    if len(levels) <= 3:
        told = ", ".join(f"{percent(level.rate)} ({names[level]})" for level in ordered)
        title = say("rates_all", told=told, **facts)
    else:
        title = say(
            "rates_ends",
            high=percent(ordered[0].rate),
            high_name=names[ordered[0]],
            low=percent(ordered[-1].rate),
            low_name=names[ordered[-1]],
            **facts,
        )
    labels = [f"{names[level]} (n = {number(level.n)})" for level in levels]
    data = pd.Series([level.rate for level in levels], index=labels, name=facts["outcome"])
    apart = derived(ordered[0].rate - ordered[-1].rate, f"{item.by}: largest - smallest rate", "%")
    takeaway = [say("rates_takeaway", rate=percent(outcome.rate), gap=number(round(apart * 100, 1)))]
    left_out = item.missing + sum(level.n for level in item.levels if level.n < SOLID)
    if left_out:
        takeaway.append(
            say(
                "rates_left_out",
                rows=plural(derived(left_out, f"rows without {item.by}"), "row"),
                by=clip(item.by),
            )
        )
    chart = "column" if len(levels) <= 6 else "bar"
    return Exhibit(
        "rates",
        chart,
        title,
        data,
        100 - 4 * place,
        " ".join(takeaway),
        True,
        facts["by"],
        facts["outcome"],
        labels[levels.index(ordered[0])] if len(levels) > 2 else None,
        (item.by,),
    )
