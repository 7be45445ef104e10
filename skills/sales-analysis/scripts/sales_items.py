"""Sales by item: the top, ABC classes with their boundary told, and any other grouping."""

from dataclasses import dataclass

import pandas as pd
from facts_columns import register
from sales_errors import MissingColumn, SalesError
from sales_lines import label_of
from sales_words import assume, money, say, share_of

ONE_ROW = 0.5
"""Of an item's amount, from which one row makes it what it is."""
FEWEST_ROWS = 3
TINY = 1e-12
"""Of a share, that a sum of floats may be off."""


@dataclass(frozen=True)
class Abc:
    """`items`: amount, share, before, class by item. `classes`: items, items_share, amount, share."""

    items: pd.DataFrame
    classes: pd.DataFrame
    rule: str


def top(lines, n=10, services=False):
    """The n items of most gross sales, largest first: name, amount, share (of all gross), rows, largest,
    largest_share, without_largest, rank_without_largest, outlier, service.

    outlier: one row is half of the item's amount or more. Services and entries by hand are left out unless
    `services`; then they are marked.
    """
    ranked = _by_item(lines)
    whole = float(ranked.amount.sum())
    ranked["share"] = ranked.amount / whole if whole else 0.0
    ranked["service"] = ranked.index.isin(lines.services)
    if not services:
        _tell_left_out(ranked[ranked.service], lines)
        ranked = ranked[~ranked.service]
    ranked["largest_share"] = ranked.largest / ranked.amount
    ranked["without_largest"] = ranked.amount - ranked.largest
    ranked["outlier"] = (ranked.largest_share >= ONE_ROW) & (ranked["rows"] >= FEWEST_ROWS)
    rest = ranked.amount.to_numpy()
    ranked["rank_without_largest"] = [
        1 + int((rest > left).sum()) - 1 for left in ranked.without_largest
    ]  # itself is among the larger ones
    best = ranked.head(n).copy()
    best.insert(0, "name", label_of(lines, best.index))
    for code, row in best[best.outlier].iterrows():
        sizes = {"largest": money(row.largest), "amount": money(row.amount)}
        assume("one_row", code=code, rank=row.rank_without_largest, **sizes)
    return register(
        f"top {n} by {lines.item}",
        best,
        how=f"gross {' × '.join(lines.amount_columns)} by {lines.item}",
        of=lines.frame,
        units={"share": "%", "largest_share": "%", "rows": "", "rank_without_largest": "", "name": ""},
        unit=lines.unit,
        columns=lines.used("item"),
    )


def abc(lines, a=0.80, b=0.95, services=False):
    """Classes of items by gross sales: A as long as the share of all before an item is below `a`, B below
    `b`, else C; so the item that crosses a boundary is still of the better class. See Abc."""
    if not 0 < a < b < 1:
        raise SalesError(f"The boundaries are shares with 0 < a < b < 1, not a={a!r} and b={b!r}.")
    items = _by_item(lines)[["amount"]]
    if not services:
        items = items[~items.index.isin(lines.services)]
    if items.empty:
        raise SalesError("No item has gross sales.")
    items["share"] = items.amount / items.amount.sum()
    items["before"] = (items.amount.cumsum() - items.amount) / items.amount.sum()
    items["class"] = [
        "A" if before < a - TINY else "B" if before < b - TINY else "C" for before in items.before
    ]
    grouped = items.groupby("class")
    classes = pd.DataFrame(
        {
            "items": grouped.size(),
            "items_share": grouped.size() / len(items),
            "amount": grouped.amount.sum(),
            "share": grouped.share.sum(),
        }
    ).reindex(list("ABC"), fill_value=0)
    counted = say("with_services" if services else "without_services")
    rule = assume("abc", count=len(items), item=lines.item, services=counted, a=share_of(a), b=share_of(b))
    asked = {
        "how": rule,
        "of": lines.frame,
        "units": {"share": "%", "before": "%", "items_share": "%", "items": "", "class": ""},
        "unit": lines.unit,
        "columns": lines.used("item"),
    }
    return Abc(register("abc items", items, **asked), register("abc classes", classes, **asked), rule)


def by(lines, *columns):
    """Gross, returned, net, share (of net), rows by one column or more, largest net first."""
    missing = [name for name in columns if name not in lines.frame.columns]
    if missing or not columns:
        raise MissingColumn(
            f"Group by columns of the frame, not by {', '.join(map(repr, missing)) or 'nothing'}."
        )
    values = lines.amount.fillna(0)
    keys = [lines.frame[name] for name in columns]
    found = pd.DataFrame(
        {
            "gross": values.where(lines.sold, 0).groupby(keys, dropna=False).sum(),
            "returned": values.where(lines.returned, 0).groupby(keys, dropna=False).sum(),
            "net": values.groupby(keys, dropna=False).sum(),
            "rows": lines.sold.groupby(keys, dropna=False).sum().astype(int),
        }
    )
    whole = float(found.net.sum())
    if whole > 0 and (found.net >= 0).all():
        found["share"] = found.net / whole  # of a sum of gains and losses a share says nothing
    found = found.sort_values("net", ascending=False, kind="stable")
    return register(
        f"sales by {', '.join(map(str, columns))}",
        found,
        how=f"{' × '.join(lines.amount_columns)} by {', '.join(map(str, columns))}; {lines.rule}",
        of=lines.frame,
        units={"share": "%", "rows": ""},
        unit=lines.unit,
        columns=[*lines.amount_columns, *columns],
    )


def _by_item(lines):
    codes = lines.frame[lines.column("item")].astype("str")[lines.sold & lines.frame[lines.item].notna()]
    grouped = lines.amount[codes.index].groupby(codes)
    found = pd.DataFrame({"amount": grouped.sum(), "rows": grouped.size(), "largest": grouped.max()})
    found.index.name = lines.item
    return found.sort_values("amount", ascending=False, kind="stable")


def _tell_left_out(found, lines):
    if len(found):
        how, columns = f"gross by {lines.item}", lines.used("item")
        register("left out", found[["amount"]], how=how, of=lines.frame, unit=lines.unit, columns=columns)
        told = ", ".join(f"{code} ({money(amount)})" for code, amount in found.amount.head(8).items())
        assume("left_out", item=lines.item, codes=told)
