"""One row that makes a total, and columns that say nothing."""

import numpy as np
from findings_roles import AVERAGED, QUANTITY, SUMMABLE, UNIT, named
from tables_model import Note

TOTAL_SHARE = 0.1
"""Of a sum, from which one row in more than a hundred is worth a word."""
GROUP_SHARE = 0.6
FEWEST = 10
"""Rows of a group, since of three rows one is often the largest by far."""
LEADERS = 5
"""Groups at the top whose sum may be one row's doing."""


def notes(table, columns):
    if constant := [column.name for column in columns if column.present > 1 and len(column.values) == 1]:
        yield Note("constant_columns", {"columns": constant})
    amount = _amount(columns)
    if amount is None or len(table.frame) < 100:
        return
    name, values = amount
    gross = np.where(values > 0, values, 0.0)
    total = gross.sum()
    if not np.isfinite(total) or total <= 0:
        return
    row = int(np.argmax(gross))
    if gross[row] >= TOTAL_SHARE * total:
        share = f"{gross[row] / total:.0%}"
        yield Note(
            "dominant_row", {"column": name, "row": row + 1, "share": share, "amount": _written(gross[row])}
        )
    for column in columns:
        if column.is_text and 10 <= len(column.values) < 0.7 * column.present:
            yield from _leaders(name, gross, column)


def _leaders(name, gross, column):
    known = column.codes >= 0
    sums = np.bincount(column.codes[known], weights=gross[known], minlength=len(column.values))
    for code in np.argsort(-sums)[:LEADERS]:
        rows = np.flatnonzero(column.codes == code)
        best = rows[np.argmax(gross[rows])]
        if len(rows) >= FEWEST and gross[best] >= GROUP_SHARE * sums[code]:
            facts = {
                "column": column.name,
                "label": str(column.values[code]),
                "measure": name,
                "share": f"{gross[best] / sums[code]:.0%}",
                "amount": _written(sums[code]),
                "row": int(best) + 1,
            }
            yield Note("dominant_in_group", facts)
            return


def _amount(columns):
    """(name, value of each row) of what is added up: the first amount, else quantity times unit price."""
    numeric = [column for column in columns if column.kind in ("number", "integer")]
    quantity = [column for column in numeric if named(column.name, QUANTITY)]
    price = [column for column in numeric if named(column.name, UNIT)]
    amounts = [
        column
        for column in numeric
        if named(column.name, SUMMABLE) and not named(column.name, AVERAGED) and column not in quantity
    ]
    if amounts:
        return amounts[0].name, np.nan_to_num(amounts[0].numbers)
    if len(quantity) == 1 and len(price) == 1:
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.nan_to_num(quantity[0].numbers * price[0].numbers)
        return f"{quantity[0].name} × {price[0].name}", values
    return None


def _written(value):
    return f"{value:,.2f}".removesuffix(".00")
