"""Exhibits of a table whose columns are years."""

import re

import pandas as pd
from asked import period
from exhibits import Exhibit
from findings_time import YEAR
from labels import apart
from wording import clip, derived, number, percent, say

LINES, BARS = 5, 12


def over_years(frame, item):
    """Rows over the years of the columns: the largest as lines, the change of each as bars."""
    frame, unit = _by_year(frame)
    first, last, about = frame.columns[0], frame.columns[-1], (period("year"),)
    frame.index = apart(frame.index, 44)
    largest = frame[last].dropna().sort_values(ascending=False)
    title = _course(frame, largest, first, last)
    lines = frame.loc[largest.index[:LINES]].T
    lines = lines.loc[:, ~lines.columns.duplicated()]
    yield Exhibit(
        "small",
        "line",
        title,
        lines,
        98,
        say("small_lines", count=lines.shape[1]),
        x_title=say("year"),
        y_title=unit,
        about=about,
    )
    growth = (frame[last] / frame[first])[(frame[first] > 0) & frame[last].notna()].sort_values(
        ascending=False
    )
    if len(growth) > 1:
        facts = {
            "first": clip(first),
            "last": clip(last),
            "top": clip(growth.index[0], 34),
            "low_name": clip(growth.index[-1], 34),
        }
        title = say(
            "small_growth",
            high=number(round(derived(growth.iloc[0], f"{last} / {first}, largest", "×"), 2)),
            low=number(round(derived(growth.iloc[-1], f"{last} / {first}, smallest", "×"), 2)),
            **facts,
        )
        yield Exhibit(
            "small",
            "bar",
            title,
            _ends(growth).rename(say("times")),
            97,
            say("small_nominal"),
            x_title=clip(item.label),
            y_title=say("times"),
            about=about,
        )
    steps = frame.pct_change(axis="columns", fill_method=None).replace(
        [float("inf"), -float("inf")], float("nan")
    )
    steps = steps.iloc[:, 1:].dropna(how="all")
    if steps.size and float(steps.min().min()) < 0:
        column = steps.min().idxmin()
        fall = steps[column].dropna().sort_values()
        change = derived(fall.iloc[0], f"change of {fall.index[0]} in {column}", "%")
        title = say("small_fall", column=clip(column), name=fall.index[0], change=percent(change))
        yield Exhibit(
            "small",
            "bar",
            title,
            fall.head(12).rename(say("change")),
            95,
            percent=True,
            x_title=clip(item.label),
            y_title=say("change"),
            about=about,
        )


def _course(frame, largest, first, last):
    """How the largest row went from the first year to the last; where it cannot be told, the largest two."""
    top = largest.index[0] if len(largest) else None
    start = frame.at[top, first] if frame.index.is_unique and top is not None else float("nan")
    if start > 0:
        facts = {"first": clip(first), "last": clip(last), "start": number(start)}
        times = derived(largest.iloc[0] / start, f"{top}: {last} / {first}", "×")
        facts |= {"end": number(largest.iloc[0]), "times": number(round(times, 2))}
        return say("small_course", name=top, **facts)
    names = "; ".join(f"{label} – {number(value)}" for label, value in largest.head(2).items())
    return say("small_last", column=clip(last), names=names)


def _by_year(frame):
    """Columns named by their years alone, and what else their names have in common."""
    found = [YEAR.search(name) for name in frame.columns]
    years = [match[0] for match in found if match]
    if len(years) < len(found) or len(set(years)) < len(years):
        return frame, ""
    rest = {
        re.sub(r"^г\b[., ]*", "", name.replace(year, "").strip(" .,;:()-–"))
        for name, year in zip(frame.columns, years, strict=True)
    }
    return frame.set_axis(years, axis="columns"), clip(rest.pop(), 40) if len(rest) == 1 else ""


def _ends(series):
    """The largest and the smallest of a long row of bars."""
    return series if len(series) <= BARS else pd.concat([series.head(BARS - 5), series.tail(5)])
