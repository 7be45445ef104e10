"""Exhibits of time: rows or sums by period."""

import pandas as pd
from asked import is_asked, period
from exhibits import Exhibit, surely_summed
from labels import moment
from wording import clip, derived, money, percent, say

FEW_ROWS = 20
"""Fewer rows make no periods to compare."""


def dynamics(found):
    """Each period's rows, or the sums of the first measures."""
    if found.overview.rows < FEW_ROWS:
        return
    for place, item in enumerate(found.dynamics):
        sums = [
            which for which, name in enumerate(item.measures) if surely_summed(found, name) or is_asked(name)
        ][:3]
        for again, which in enumerate(sums or [None]):
            if exhibit := _dynamics(item, which, 92 - 6 * place - 25 * again):
                yield exhibit


def _dynamics(item, which, weight):
    counted = which is None
    name = say("rows_counted") if counted else clip(item.measures[which])
    values = [part.n if counted else part.sums[which] for part in item.periods]
    labels = [part.label for part in item.periods]
    whole = [place for place, part in enumerate(item.periods) if not part.partial]
    if len(whole) < 2 or max(values) == min(values):
        return None
    top = max(whole, key=lambda place: values[place])
    low = min(whole, key=lambda place: values[place])
    grain = say(f"grain_{item.grain}")
    title = say(
        "dynamics",
        measure=name,
        grain=grain,
        top=labels[top],
        high=money(values[top]),
        last=labels[low],
        low=money(values[low]),
    )
    first, last = whole[0], whole[-1]
    takeaway = []
    if values[first] > 0 and values[last] > 0 and last > first and item.grain == "year":
        change = derived(
            values[last] / values[first] - 1, f"{name}: {labels[last]} / {labels[first]} - 1", "%"
        )
        takeaway.append(
            say(
                "dynamics_change",
                first=labels[first],
                last=labels[last],
                change=("+" if change > 0 else "") + percent(change),
            )
        )
    takeaway.append(
        say(
            "dynamics_total",
            total=money(derived(sum(values), f"sum of {name}")),
            first=item.first,
            last=item.last,
        )
    )
    partial = [part.label for part in item.periods if part.partial]
    if partial:
        takeaway.append(say("dynamics_partial", names=", ".join(partial)))
    chart = "line" if len(values) > 8 else "column"
    shown = [moment(label, len(labels) > 52) for label in labels] if item.grain in ("day", "week") else labels
    data = pd.Series(values, index=shown, name=name)
    return Exhibit(
        "dynamics",
        chart,
        title,
        data,
        weight - (12 if counted else 0),
        " ".join(takeaway),
        x_title=clip(item.column),
        y_title=name,
        about=(*([] if counted else [item.measures[which]]), period(item.grain)),
    )
