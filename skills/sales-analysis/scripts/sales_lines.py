"""Lines of sales: what each column is, which rows are returns, which codes are no goods."""

import re
from dataclasses import dataclass

import facts
import numpy as np
import pandas as pd
from facts_columns import register
from sales_errors import MissingColumn, SalesError
from sales_words import assume, say

SERVICE_SHARE = 0.05
"""Of all codes: odd ones are services as long as they are so few."""
FEWEST_CODES = 20


@dataclass(frozen=True)
class Lines:
    """`frame` is the source with its columns as they are. The masks and `amount` have its index."""

    frame: pd.DataFrame
    amount: pd.Series
    amount_columns: tuple
    sold: pd.Series
    """Rows of a positive amount that are no returns: the gross sales."""
    returned: pd.Series
    rule: str
    """What a return is, as a sentence."""
    services: tuple
    """Codes that are postage, fees, entries by hand."""
    date: str | None = None
    item: str | None = None
    name: str | None = None
    order: str | None = None
    customer: str | None = None
    unit: str = ""

    def column(self, role):
        """The column of a role. Raises MissingColumn."""
        found = getattr(self, role)
        if found is None:
            raise MissingColumn(f"This needs the column of the {role}: sales.lines(df, …, {role}='…').")
        return found

    @property
    def is_service(self):
        if self.item is None or not self.services:
            return pd.Series(False, index=self.frame.index)
        return self.frame[self.item].astype("str").isin(self.services)

    def used(self, *roles):
        return [*self.amount_columns, *(getattr(self, role) for role in roles if getattr(self, role))]


def lines(
    frame,
    *,
    amount=None,
    quantity=None,
    price=None,
    returns=None,
    services=None,
    date=None,
    item=None,
    name=None,
    order=None,
    customer=None,
    unit="",
):
    """Lines of sales. `amount` names a column, or `quantity` and `price` do, whose product it is.

    `returns`: "negative" (a negative quantity, else amount), or letters that codes of `order` begin with:
    "C"; None: negative rows stay what they are (losses, corrections). `services`: None finds the few
    codes without a digit, or of half the usual length, a list names them, () says there are none. Raises
    SalesError.
    """
    frame = getattr(frame, "frame", frame)
    for column in (amount, quantity, price, date, item, name, order, customer):
        if column is not None and column not in frame.columns:
            raise MissingColumn(f"There is no column {column!r}; there are: {', '.join(map(str, frame))}.")
    if not frame.index.is_unique:
        frame = frame.reset_index(drop=True)
    values, columns = _amounts(frame, amount, quantity, price)
    returned, rule = _returned(frame, values, returns, order, quantity)
    found = _services(frame, item) if services is None else tuple(map(str, services))
    made = Lines(
        frame, values, columns, (values > 0) & ~returned, returned, rule, found, date, item, name, order,
        customer, unit,
    )  # fmt: skip
    _assume(made)
    return made


def _amounts(frame, amount, quantity, price):
    if amount is not None:
        return _numbers(frame, amount), (amount,)
    if quantity is None or price is None:
        raise MissingColumn("Name the amount: sales.lines(df, amount='Total') or quantity='…', price='…'.")
    return _numbers(frame, quantity) * _numbers(frame, price), (quantity, price)


def _numbers(frame, name):
    if not pd.api.types.is_numeric_dtype(frame[name].dtype) or pd.api.types.is_bool_dtype(frame[name].dtype):
        raise SalesError(f"{name!r} is not a column of numbers: read the file by tables, or clean it first.")
    return frame[name].astype(float)


def _returned(frame, values, returns, order, quantity):
    if returns is None:
        return pd.Series(False, index=frame.index), say("returns_none")
    if returns == "negative":
        name = quantity or None
        signs = values if name is None else frame[name].astype(float)
        return signs < 0, say("returns_negative", name=name or say("amount"))
    if order is None:
        raise MissingColumn(f"Codes that begin with {returns!r} are those of orders: give order='…' too.")
    begins = frame[order].astype("str").str.match(rf"{re.escape(str(returns))}[-_/ ]?\d").fillna(False)
    if not begins.any():
        raise SalesError(f"No {order} begins with {returns!r}: returns are not marked so here.")
    return begins.astype(bool), say("returns_coded", order=order, mark=returns)


def _services(frame, item):
    if item is None:
        return ()
    codes = frame[item].dropna().astype("str").unique()
    usual = np.median([len(code) for code in codes]) if len(codes) else 0
    odd = [code for code in codes if _is_odd(code, usual)]
    few = len(codes) >= FEWEST_CODES and len(odd) <= max(2, SERVICE_SHARE * len(codes))
    return tuple(sorted(odd)) if few else ()


def _is_odd(code, usual):
    """No digit at all, or a letter in a code that is half as long as the usual one: POST, M, C2."""
    digits = any(mark.isdigit() for mark in code)
    return not digits or (len(code) <= usual / 2 and not code.isdigit())


def _assume(made):
    values = made.amount
    if made.returned.any():
        facts.assume(made.rule)
    free = int((values == 0).sum())
    missing = int(values.isna().sum())
    negative = int(((values < 0) & ~made.returned).sum())
    counts = {"zero": free, "no amount": missing, "negative": negative}
    register("rows apart", counts, how="counted", of=made.frame, columns=made.amount_columns)
    if free:
        assume("free", count=free)
    if missing:
        assume("missing", count=missing)
    if negative:
        assume("negative", count=negative)
    if made.services:
        assume("services", codes=", ".join(made.services[:12]))


def label_of(made, codes):
    """The commonest name of each code, where there is a column of names."""
    if made.name is None:
        return pd.Series("", index=codes)
    known = made.frame[[made.item, made.name]].dropna()
    counts = known.groupby([known[made.item].astype("str"), made.name]).size().rename("n").reset_index()
    first = counts.sort_values("n", ascending=False, kind="stable").drop_duplicates(made.item)
    return first.set_index(made.item)[made.name].reindex(codes).fillna("").astype("str")


def share(part, whole):
    """A share of one; NaN where there is no whole."""
    return part / whole if whole else np.nan
