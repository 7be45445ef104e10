"""Statistical tests that check their assumptions and say them: `stats_tests.means(df, "Amount", "Region")`.

Each returns a Test with a plain `.sentence("en" | "ru")`, registers its numbers, and counts itself: after
several tests `adjusted()` gives Holm's p values, since of twenty tests one is "significant" by chance.
"""

import math

import facts
import pandas as pd
import stats_correlation
import stats_means
import stats_rates
from facts_columns import register
from facts_run import current
from stats_errors import StatsError
from stats_model import ALPHA, Check, Pair, Test, percent

__all__ = [
    "Check",
    "Pair",
    "StatsError",
    "Test",
    "ab_test",
    "adjusted",
    "correlation",
    "means",
    "needed",
    "proportion",
    "proportions",
]

MANY = 3
"""Tests from which their number is told."""
WORDS = (
    "interval", "difference", "points", "mean", "share", "effect", "against", "average",
    "интервал", "разница", "п. п.", "среднее", "доля", "эффект", "против", "связь", "случайность",
)  # fmt: skip
"""By which the sentences call the numbers."""
_made = []


def proportion(frame, outcome, positive):
    """The share of rows whose outcome is `positive`, with Wilson's interval."""
    frame = _frame(frame, outcome)
    known = frame[outcome].dropna()
    hits, n = int((known == positive).sum()), len(known)
    if not n:
        raise StatsError(f"{outcome!r} has no value.")
    low, high = stats_rates.wilson(hits, n)
    share = hits / n
    texts = {
        "en": (
            f"{percent(share)} of {n} ({outcome} is {positive}), "
            f"95% interval {percent(low)} to {percent(high)}."
        ),
        "ru": (
            f"{percent(share, 'ru')} из {n} ({outcome}: {positive}), 95 %-й интервал "
            f"от {percent(low, 'ru')} до {percent(high, 'ru')}."
        ),
    }
    found = Test("Wilson's interval", share, low, high, n=n, texts=texts)
    return _told(found, frame, f"share of {outcome}", (outcome,), "%")


def proportions(frame, outcome, by, positive):
    """Whether the share of `positive` outcomes differs by group: chi-square, of two small groups Fisher's."""
    frame = _frame(frame, outcome, by)
    table = stats_rates.counts(frame, outcome, by, positive)
    found = stats_rates.several(table, by) if len(table) > 1 else None
    if found is None:
        raise StatsError(f"{by!r} has one group: there is nothing to compare.")
    return _told(found, frame, f"{outcome} by {by}", (outcome, by), "%")


def ab_test(frame, outcome, by, control, positive):
    """The share of `positive` in the one other group against `control`: difference with its interval, power,
    and the least difference that such groups show."""
    frame = _frame(frame, outcome, by)
    table = stats_rates.counts(frame, outcome, by, positive)
    if control not in table.index or len(table) != 2:
        raise StatsError(
            f"{by!r} has the groups {', '.join(map(str, table.index[:8]))}: an A/B test is of two, one of "
            "them control=. Filter them, or use proportions."
        )
    other = next(key for key in table.index if key != control)
    found = stats_rates.compare(table, control, other)
    return _told(found, frame, f"A/B test of {outcome} by {by}", (outcome, by), "%")


def needed(base, gap, power=0.8):
    """Cases for each group that show a difference `gap` from a share `base`; both are the request's, so the
    number is asserted, not traced."""
    found = stats_rates.needed(base, gap, power)
    return facts.asserted("cases needed", found, source=f"two shares, {base:.3g} and {base + gap:.3g}")


def means(frame, value, by, ranks=None):
    """Whether a number differs by group: two by Welch's t or Mann-Whitney, several by Welch's ANOVA or
    Kruskal-Wallis with pairs adjusted by Holm. `ranks` True or False overrules the check of the shape."""
    frame = _frame(frame, value, by)
    found = stats_means.several(stats_means.groups_of(frame, value, by), value, by, ranks)
    return _told(found, frame, f"{value} by {by}", (value, by), "")


def correlation(frame, x, y, ranks=None):
    """The link of two columns: Pearson's r, or Spearman's where values and ranks disagree."""
    frame = _frame(frame, x, y)
    return _told(stats_correlation.correlation(frame, x, y, ranks), frame, f"{x} and {y}", (x, y), "")


def adjusted():
    """All tests of this script with their p and Holm's p: those stay significant that do so together."""
    made = _of_this_run()
    if not made:
        raise StatsError("There was no test yet.")
    raw = [test.p for _, test, _ in made]
    found = pd.DataFrame({"p": raw, "holm": stats_means.holm(raw)}, index=[id for id, _, _ in made])
    found["significant"] = found.holm < ALPHA
    facts.assume(f"{len(found)} tests were made; their p values are adjusted by Holm's method")
    return register("tests, adjusted by Holm", found, how="Holm 1979", of=made[-1][2])


def _frame(frame, *names):
    frame = getattr(frame, "frame", frame)
    for name in names:
        if name not in frame.columns:
            raise StatsError(f"There is no column {name!r}; there are: {', '.join(map(str, frame))}.")
    return frame


def _told(found, frame, id, columns, unit):
    """Registered, counted, and its doubts told."""
    numbers = {
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "detectable": found.detectable,
    }
    plain = {"p": found.p, "statistic": found.statistic, "effect": found.effect, "n": found.n}
    some = {
        key: value for key, value in (numbers | plain).items() if value is not None and not _is_nan(value)
    }
    asked = {"how": found.name, "of": frame, "columns": columns, "words": WORDS}
    register(f"{id}, level", {"level": found.level}, unit="%", **asked)
    if unit == "%":
        gaps = {key: some[key] for key in numbers if key in some}
        register(f"{id}, percentage points", gaps, unit="pp", **asked)
        points = {f"{key}, points": 100 * gap for key, gap in gaps.items()}
        register(f"{id}, points", points, **asked)
    register(id, some, units=dict.fromkeys(numbers, unit), **asked)
    if found.power is not None:
        register(f"{id}, power", {"power": found.power}, unit="%", **asked)
    if found.groups:
        table = pd.DataFrame(found.groups).T
        register(f"{id}, groups", table, units=dict.fromkeys(("rate", "low", "high"), unit), **asked)
    if found.pairs:
        pairs = {f"{pair.first}, {pair.second}": [pair.difference, pair.p] for pair in found.pairs}
        register(f"{id}, pairs", pairs, **asked)
    if found.p is not None:
        made = _of_this_run()
        made.append((id, found, frame))
        if len(made) == MANY + 1:
            print(f"stats_tests: more than {MANY} tests; some differ by chance. Tell those of adjusted().")
    return found


def _is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def _of_this_run():
    """[(id, Test, frame)]; those of another script are none of this one."""
    run = current()
    if not _made or _made[0] is not run:
        _made[:] = [run, []]
    return _made[1]
