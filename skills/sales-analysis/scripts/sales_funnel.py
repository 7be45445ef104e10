"""A funnel from counts of stages, whichever way the table lies."""

from dataclasses import dataclass

import pandas as pd
from facts_columns import register
from sales_errors import MissingColumn, NoStages
from sales_words import assume

FEWEST = 2


@dataclass(frozen=True)
class Loss:
    """The step in which most are lost; `share` is of those who were there before it."""

    start: str
    end: str
    lost: float
    share: float


@dataclass(frozen=True)
class Funnel:
    """`total` by stage: count, step_rate (of the one before), overall_rate (of the first), lost, lost_share.
    `counts`, `rates` (step rates) and `end_to_end` by group; without groups they have one, "all"."""

    total: pd.DataFrame
    counts: pd.DataFrame
    rates: pd.DataFrame
    end_to_end: pd.Series
    largest_loss: Loss
    """In people."""
    worst_step: Loss
    """In the share that is lost."""
    best: str
    worst: str
    """Groups of the highest and the lowest rate from the first stage to the last."""


def funnel(frame, *, stages=None, stage=None, value=None, by=None, order=None):
    """A Funnel of one of three layouts:

    wide: `stages=["visits", "orders"]`, a column for each stage, a row for each group `by`;
    long: `stage="stage"`, `value="users"`, and a column of groups `by` if there is one;
    crossed: `stage="row_label"` alone, a row for each stage and a column of numbers for each group.
    `order` lists the stages where the table does not have them in order. Raises NoStages, MissingColumn.
    """
    frame = getattr(frame, "frame", frame)
    if stages is None and stage is None:
        raise NoStages(
            "No stages were named, and a funnel is never made up. If the data hold none (visits, sign-ups, "
            "orders), say so; show repeat buyers or the share of returns in its stead."
        )
    counts = _counts(frame, stages, stage, value, by)
    if order is not None:
        _has(counts.index, order, "stage")
        counts = counts.loc[list(order)]
    _check(counts)
    total = pd.DataFrame({"count": counts.sum(axis=1)})
    total["step_rate"] = total["count"] / total["count"].shift(1)
    total["overall_rate"] = total["count"] / total["count"].iloc[0]
    total["lost"] = total["count"].shift(1) - total["count"]
    total["lost_share"] = 1 - total.step_rate
    rates = (counts / counts.shift(1)).iloc[1:]
    ends = (counts.iloc[-1] / counts.iloc[0]).rename("end_to_end")
    if not ends.notna().any():
        raise NoStages("Nobody is in the first stage.")
    columns = [name for name in ([*stages] if stages else [value]) if name in frame.columns]
    asked = {"of": frame, "columns": columns}
    units = {"step_rate": "%", "overall_rate": "%", "lost_share": "%"}
    register("funnel", total, how="sums by stage", units=units, **asked)
    register("funnel by group", counts, how="counts by stage and group", **asked)
    register("funnel step rates", rates, how="count / count of the stage before", unit="%", **asked)
    register("funnel end to end", ends, how="last stage / first stage", unit="%", **asked)
    return Funnel(
        total, counts, rates, ends, _loss(total, "lost"), _loss(total, "lost_share"),
        str(ends.idxmax()), str(ends.idxmin()),
    )  # fmt: skip


def _counts(frame, stages, stage, value, by):
    """Stages by groups."""
    _has(frame.columns, [name for name in (stage, value, by) if name], "column")
    if stages is not None:
        _has(frame.columns, stages, "column")
        numbers = _numeric(frame, stages)
        keys = pd.Series("all", index=frame.index) if by is None else frame[by]
        return numbers.groupby(keys, sort=False).sum().T
    if value is not None:
        _numeric(frame, [value])
        keys = pd.Series("all", index=frame.index) if by is None else frame[by]
        found = frame[value].groupby([frame[stage], keys], sort=False).sum().unstack(sort=False)
        return found.reindex(frame[stage].dropna().unique())
    groups = [name for name in frame.columns if name != stage and pd.api.types.is_numeric_dtype(frame[name])]
    if not groups:
        raise NoStages(f"Beside {stage!r} there is no column of numbers: name value='…'.")
    if frame[stage].duplicated().any():
        raise NoStages(f"{stage!r} has stages twice: name value='…' and by='…'.")
    return frame.set_index(stage)[groups]


def _numeric(frame, names):
    for name in names:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            raise NoStages(f"{name!r} holds no counts.")
    return frame[list(names)]


def _has(known, names, what):
    for name in names:
        if name not in known:
            raise MissingColumn(f"There is no {what} {name!r}; there are: {', '.join(map(str, known))}.")


def _check(counts):
    if len(counts) < FEWEST:
        raise NoStages(
            f"One stage ({counts.index[0]}) is no funnel." if len(counts) else "There is no stage."
        )
    if counts.isna().any().any():
        assume("no_stage")
        counts.fillna(0, inplace=True)
    if (counts < 0).any().any():
        raise NoStages("Counts of a funnel are not negative.")
    sums = counts.sum(axis=1)
    for before, after in zip(sums.index, sums.index[1:], strict=False):
        if sums[after] > sums[before]:
            raise NoStages(
                f"{after} has more ({sums[after]:g}) than {before} ({sums[before]:g}): give the stages in "
                "order=[…], or they are no stages of one funnel."
            )


def _loss(total, column):
    end = total[column].iloc[1:].idxmax()
    place = total.index.get_loc(end)
    row = total.loc[end]
    return Loss(str(total.index[place - 1]), str(end), float(row.lost), float(row.lost_share))
