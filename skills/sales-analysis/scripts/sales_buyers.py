"""Who comes back: cohorts by the month of the first purchase, and repeat buyers."""

import pandas as pd
from facts_columns import register
from sales_errors import SalesError
from sales_lines import share
from sales_time import partial_periods
from sales_words import assume


def cohorts(lines, grain="month"):
    """(counts, rates): customers by the period of their first purchase (rows) and periods since then (columns
    0, 1, …). A rate is of the cohort's size. Cells after the data's end are missing, and so are those of a
    last period that is not whole, since it cannot be compared; a first period that is not whole is told.
    """
    if grain not in ("month", "quarter", "year"):
        raise SalesError("Cohorts go by month, quarter or year.")
    bought = _bought(lines)
    dates, customers = bought[lines.column("date")], bought[lines.customer]
    if not pd.api.types.is_datetime64_any_dtype(dates.dtype):
        raise SalesError(f"{lines.date!r} is not a column of dates.")
    code = {"month": "M", "quarter": "Q", "year": "Y"}[grain]
    periods = dates.dt.to_period(code)
    every = pd.period_range(periods.min(), periods.max(), freq=code)
    if len(every) < 2:
        raise SalesError(f"The data hold one {grain}: nobody can have come back in another one.")
    place = pd.Series(every.get_indexer(periods), index=bought.index)
    first = place.groupby(customers).transform("min")
    ages = place - first
    counts = customers.groupby([first, ages]).nunique().unstack().reindex(columns=range(len(every)))
    partial = partial_periods(dates, every)
    last = len(every) - 1 - int(partial[-1])
    for start in counts.index:
        known = range(last - start + 1)
        counts.loc[start] = [counts.loc[start, age] if age in known else None for age in counts.columns]
        counts.loc[start, list(known)] = counts.loc[start, list(known)].fillna(0)
    counts = counts[counts[0].notna()].dropna(axis=1, how="all")
    counts.index = pd.Index([str(every[start]) for start in counts.index], name=f"first {grain}")
    counts.columns.name = f"{grain}s since"
    rates = counts.div(counts[0], axis=0)
    if partial[-1]:
        assume("last_cohort", period=every[-1])
    if partial[0]:
        assume("first_cohort", period=every[0])
    assume("before_data", period=counts.index[0])
    asked = {"of": lines.frame, "columns": lines.used("date", "customer")}
    how = f"customers ({lines.customer}) by {grain} of their first and of later purchases"
    register("cohorts", counts, how=how, **asked)
    register("cohort rates", rates, how=f"{how}, share of the cohort", unit="%", **asked)
    return counts, rates


def repeat_buyers(lines):
    """{customers, repeat, repeat_share, orders_per_customer, amount, repeat_amount, repeat_amount_share,
    unknown_rows, unknown_amount}: repeat buyers have two orders or more; without a column of orders, two days
    of purchase or more. Rows without a customer are counted apart."""
    bought = _bought(lines)
    if lines.order is not None:
        occasions, what = bought[lines.order], f"orders ({lines.order})"
    else:
        occasions, what = bought[lines.column("date")].dt.normalize(), f"days of purchase ({lines.date})"
    customers, values = bought[lines.customer], lines.amount[bought.index]
    times = occasions.groupby(customers).nunique()
    spent = values.groupby(customers).sum()
    again = times >= 2
    unknown = lines.sold & lines.frame[lines.customer].isna()
    found = {
        "customers": len(times),
        "repeat": int(again.sum()),
        "repeat_share": share(int(again.sum()), len(times)),
        "orders_per_customer": float(times.mean()),
        "amount": float(spent.sum()),
        "repeat_amount": float(spent[again].sum()),
        "repeat_amount_share": share(float(spent[again].sum()), float(spent.sum())),
        "unknown_rows": int(unknown.sum()),
        "unknown_amount": float(lines.amount[unknown].sum()),
    }
    if unknown.any():
        assume("no_buyer", count=found["unknown_rows"], customer=lines.customer)
    money = ("amount", "repeat_amount", "unknown_amount")
    units = {"repeat_share": "%", "repeat_amount_share": "%"} | dict.fromkeys(money, lines.unit)
    how = f"{what} by {lines.customer}"
    columns = lines.used("order", "date", "customer")
    return register("repeat buyers", found, how=how, of=lines.frame, units=units, columns=columns)


def _bought(lines):
    name = lines.column("customer")
    found = lines.frame[lines.sold & lines.frame[name].notna()]
    if lines.date is not None:
        found = found[found[lines.date].notna()]
    if found.empty:
        raise SalesError(f"No sold row has a {name}.")
    return found
