"""Gross, returned and net, with the rule of returns."""

from facts_columns import register
from sales_lines import share


def totals(lines):
    """{gross, returned, other, net, returned_share, sold_rows, returned_rows, returned_orders, orders}.

    gross is of positive rows that are no returns, returned is negative, `other` are negative rows that are no
    returns; net is the sum of the three.
    """
    values = lines.amount.fillna(0)
    gross, returned = float(values[lines.sold].sum()), float(values[lines.returned].sum())
    other = float(values[~lines.sold & ~lines.returned].sum())
    found = {
        "gross": gross,
        "returned": returned,
        "other": other,
        "net": gross + returned + other,
        "sold_rows": int(lines.sold.sum()),
        "returned_rows": int(lines.returned.sum()),
        "returned_share": share(abs(returned), gross),
        "returned_rows_share": share(int(lines.returned.sum()), len(lines.frame)),
    }
    if lines.order:
        orders = lines.frame[lines.order]
        found["orders"] = int(orders[lines.sold].nunique())
        found["returned_orders"] = int(orders[lines.returned].nunique())
        found["average_order"] = share(gross, found["orders"])
    money = ("gross", "returned", "other", "net", "average_order")
    units = dict.fromkeys(money, lines.unit) | {"returned_share": "%", "returned_rows_share": "%"}
    how = f"sums of {' × '.join(lines.amount_columns)}; {lines.rule}"
    return register("sales totals", found, how=how, of=lines.frame, units=units, columns=lines.used("order"))
