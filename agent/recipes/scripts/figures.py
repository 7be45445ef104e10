"""Key figures: the file in a sentence, the cards, and the table of its columns."""

import pandas as pd
from exhibits import Exhibit, outcome_name
from labels import shown_name
from table_profile import kind
from wording import clip, derived, listed, money, number, percent, plural, say

FEW_ROWS, FEW_COLUMNS = 10, 8
"""A table that fits a slide."""


def size(found):
    whole = found.overview
    rows, columns = plural(whole.rows, "row"), plural(whole.columns, "column_n")
    derived(whole.rows, f"table: {rows}")
    derived(whole.columns, f"table: {columns}")
    return say("size", rows=rows, columns=columns)


def quality(found):
    whole = found.overview
    gaps = [f"{clip(gap.column, 24)} {number(gap.count)} ({percent(gap.share)})" for gap in whole.missing]
    told = say("gaps", names=listed(gaps, 4)) if gaps else say("no_gaps")
    if len(gaps) > 4 and len({gap.count for gap in whole.missing}) == 1:
        told = say("gaps_even", columns=plural(len(gaps), "column_n"), count=number(whole.missing[0].count))
    repeats = [] if whole.duplicates is None else [say("duplicates", count=number(whole.duplicates))]
    return "; ".join([size(found), told, *repeats]) + "."


def cards(found):
    """Up to six key figures as (value, label)."""
    whole = found.overview
    result = [(number(whole.rows), say("card_rows")), (number(whole.columns), say("card_columns"))]
    if (outcome := found.outcome) is not None:
        label = say(
            "card_outcome",
            outcome=outcome_name(outcome),
            count=number(outcome.count),
            total=number(outcome.total),
        )
        result.append((percent(outcome.rate), label))
    seen = {}
    for item in found.totals:
        if item.additive and item.measure not in seen and found.outcome is None:
            seen[item.measure] = item.total
    result += [
        (money(total), say("card_total", measure=clip(name, 30))) for name, total in list(seen.items())[:2]
    ]
    if found.dynamics:
        item = found.dynamics[0]
        result.append((_period(item), clip(item.column, 30)))
    measures = found.columns_with("measure")
    middle = next((item for item in found.distributions if item.column in measures), None)
    if middle is not None and len(result) < 4 and found.small is None:
        label = say("card_median", column=clip(middle.column, 30), n=number(middle.n))
        result.append((number(middle.median), label))
    cells = whole.rows * whole.columns
    gaps = derived(sum(gap.count for gap in whole.missing), say("card_missing", cells=""))
    result.append(
        (
            percent(derived(gaps / cells, "empty cells / cells", "%")) if cells else "–",
            say("card_missing", cells=plural(gaps, "cell")),
        )
    )
    if len(result) < 6 and whole.duplicates is not None:
        result.append((number(whole.duplicates), say("card_duplicates")))
    return result[:6]


def _period(item):
    """Years, or the months of one year: what fits a card."""
    if item.first[:4] != item.last[:4]:
        return f"{item.first[:4]}–{item.last[:4]}"
    return item.first[:7] if item.first[:7] == item.last[:7] else f"{item.first[:7]}–{item.last[5:7]}"


def columns_table(frame, found, most=60):
    """What each column is, for a table."""
    roles = {role.column: role.role for role in found.roles}
    rows = []
    for name in list(frame.columns)[:most]:
        series = frame[name]
        present = series.dropna()
        role = say(f"role_{roles.get(str(name), 'text')}")
        low_high = ""
        if len(present) and kind(series) in ("number", "integer"):
            low_high = f"{number(present.min())} … {number(present.max())}"
        elif len(present) and kind(series) == "date":
            low_high = f"{present.min():%Y-%m-%d} … {present.max():%Y-%m-%d}"
        rows.append(
            [
                shown_name(name) or say("row_name"),
                role,
                len(present),
                int(series.isna().sum()),
                int(present.nunique()),
                low_high,
            ]
        )
    heads = ("column", "head_role", "head_filled", "head_missing", "head_distinct", "head_span")
    return pd.DataFrame(rows, columns=[say(head) for head in heads])


def columns_exhibit(frame, found):
    title = say("columns_title", columns=plural(found.overview.columns, "column_n"))
    return Exhibit("table", "table", title, columns_table(frame, found), 0)


def rows_exhibit(frame):
    """A table of few rows, as it is; None for a larger one."""
    if len(frame) > FEW_ROWS or frame.shape[1] > FEW_COLUMNS:
        return None
    shown = frame.map(lambda cell: clip(cell, 40) if isinstance(cell, str) else cell)
    shown = shown.rename(columns={"row_label": say("row_name")})
    title = say("rows_title", rows=plural(len(frame), "row"))
    return Exhibit("table", "table", title, shown, 0)
