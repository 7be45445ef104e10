"""Exhibits of what the columns are like: gaps and distributions."""

import pandas as pd
from asked import is_asked
from exhibits import Exhibit
from wording import clip, derived, number, percent, plural, say, span

MOST = 12


def missing(found):
    whole = found.overview
    if not whole.missing:
        return
    top = whole.missing[0]
    title = say(
        "missing",
        count=len(whole.missing),
        columns=plural(whole.columns, "column_of"),
        top=clip(top.column),
        gaps=number(top.count),
        share=percent(top.share),
    )
    shown = whole.missing[:MOST]
    labels = [f"{clip(gap.column, 30)} ({number(gap.count)})" for gap in shown]
    data = pd.Series([gap.share for gap in shown], index=labels, name=say("missing_share"))
    takeaway = say(
        "missing_takeaway",
        rows=plural(whole.complete_rows, "row"),
        share=percent(derived(whole.complete_rows / whole.rows, "complete rows / rows", "%")),
    )
    weight = 62 + 20 * min(1, top.share) - (30 if len(whole.missing) == 1 else 0)
    yield Exhibit("missing", "bar", title, data, weight, takeaway, True, say("column"), say("missing_share"))


def distributions(found):
    """The shapes of the measures, those first that vary most in kind from a bell."""
    measures = found.columns_with("measure")
    shown = [item for item in found.distributions if item.column in measures]
    shown.sort(key=lambda item: not is_asked(item.column))
    for place, item in enumerate(shown[:6]):
        if item.n < 8 or item.maximum == item.minimum:
            continue
        title = say(
            "distribution",
            column=clip(item.column),
            low=number(item.q1),
            high=number(item.q3),
            median=number(item.median),
        )
        labels = _bands(item)
        if len(set(labels)) < len(labels):
            continue
        data = pd.Series(item.counts, index=labels, name=say("rows_counted"))
        takeaway = [
            say(
                "distribution_range",
                low=number(item.minimum),
                high=number(item.maximum),
                mean=number(item.mean),
            )
        ]
        if item.outliers:
            takeaway.append(
                say(
                    "distribution_outliers",
                    rows=plural(item.outliers, "value"),
                    share=percent(
                        derived(item.outliers / item.n, f"outliers of {item.column} / values", "%")
                    ),
                )
            )
        weight = 66 - 5 * place
        yield Exhibit(
            "distribution",
            "column",
            title,
            data,
            weight,
            " ".join(takeaway),
            x_title=clip(item.column),
            y_title=say("rows_counted"),
            about=(item.column,),
        )


def _bands(item):
    """Names of the bins; the outermost hold what lies beyond them."""
    labels = [span(low, high) for low, high in zip(item.edges, item.edges[1:], strict=False)]
    if len(labels) > 1 and item.minimum < item.edges[0]:
        labels[0] = f"< {number(item.edges[1])}"
    if len(labels) > 1 and item.maximum > item.edges[-1]:
        labels[-1] = f"≥ {number(item.edges[-2])}"
    return labels
