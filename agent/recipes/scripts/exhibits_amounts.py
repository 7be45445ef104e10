"""Exhibits of amounts: a measure by a category."""

from dataclasses import replace

import pandas as pd
from exhibits import SOLID, Exhibit, surely_summed
from wording import clip, derived, listed, money, number, percent, plural, say

LONG = 12
"""Bars that a slide shows."""
ORIGINS = ("table", "table_name", "table_of_origin")
"""Where put together tables have the name of the one that a row is from."""


def totals(found):
    """Sums of what may be added up, means of what may not."""
    ranked = sorted(found.totals, key=lambda item: not item.additive)
    measures = list(dict.fromkeys(item.measure for item in ranked))
    counts = found.columns_with("count")
    for item in ranked:
        make = _sums if item.additive else _means
        if exhibit := make(item, 84 - 7 * measures.index(item.measure)):
            doubt = item.additive and not surely_summed(found, item.measure)
            change = (
                (10 if item.by in ORIGINS else 0) - (25 if doubt else 0) - (20 if item.by in counts else 0)
            )
            yield replace(exhibit, weight=exhibit.weight + change)


def _sums(item, weight):
    parts = [part for part in item.parts if part.total]
    if len(parts) < 2:
        return None
    first = parts[0]
    bottom = [part for part in item.lowest if part.total < 0] if item.other else []
    shown = [*parts[: LONG - len(bottom)], *bottom]
    last = shown[-1]
    facts = {
        "measure": clip(item.measure),
        "by": clip(item.by),
        "top": clip(first.value, 32),
        "total": money(first.total),
    }
    if first.share is not None:
        title = say("sums_share", share=percent(first.share), **facts)
    elif item.other is not None and not bottom:
        title = say("sums_top", **facts)
    else:
        title = say("sums_minus", last=clip(last.value, 32), low=money(last.total), **facts)
    labels = [clip(part.value, 40) for part in shown]
    values = [part.total for part in shown]
    if item.other is not None and item.other.total > 0 and first.share is not None:
        labels.append(say("other", count=item.distinct - len(item.parts)))
        values.append(item.other.total)
    takeaway = say("sums_takeaway", total=money(item.total))
    if first.share is not None and len(parts) > 3:
        three = derived(
            sum(part.share for part in parts[:3]), f"{item.measure}: three largest {item.by}", "%"
        )
        takeaway += " " + say("sums_three", share=percent(three))
    negative = [part.value for part in shown if part.total < 0]
    if negative:
        takeaway += " " + say("sums_negative", names=listed(negative))
    even = first.share is not None and first.share < 1.15 / item.distinct
    weight -= (16 if item.distinct > 200 else 6 if item.distinct > 40 else 0) + (10 if even else 0)
    return Exhibit(
        "totals",
        "bar",
        title,
        pd.Series(values, index=labels, name=facts["measure"]),
        weight,
        takeaway,
        x_title=facts["by"],
        y_title=facts["measure"],
        highlight=labels[0],
        about=(item.measure, item.by),
    )


def _means(item, weight):
    parts = [part for part in item.parts if part.n >= SOLID]
    if len(parts) < 2 or item.other is not None:
        return None
    high, low = parts[0], parts[-1]
    facts = {"measure": clip(item.measure), "by": clip(item.by)}
    title = say(
        "means",
        high=number(high.mean),
        high_name=clip(high.value, 32),
        low=number(low.mean),
        low_name=clip(low.value, 32),
        **facts,
    )
    n = sum(part.n for part in item.parts)
    mean = derived(item.total / n, f"mean {item.measure} over {item.by}")
    takeaway = say(
        "means_takeaway", mean=number(mean), rows=plural(derived(n, f"rows with {item.by}"), "row")
    )
    spread = abs(high.mean - low.mean) / max(abs(high.mean), abs(low.mean), 1e-12)
    labels = [f"{clip(part.value, 28)} (n = {number(part.n)})" for part in parts]
    data = pd.Series([part.mean for part in parts], index=labels, name=facts["measure"])
    weight -= 12 + (30 if spread < 0.05 else 0)
    return Exhibit(
        "means",
        "bar",
        title,
        data,
        weight,
        takeaway,
        x_title=facts["by"],
        y_title=say("mean_of", measure=facts["measure"]),
        about=(item.measure, item.by),
    )
