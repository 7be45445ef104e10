"""The story of a table: exhibits by weight, a choice of them in telling order, conclusion and facts."""

from dataclasses import replace
from itertools import chain

from exhibits import outcome_name, rates
from exhibits_amounts import totals
from exhibits_links import categories, correlations
from exhibits_shape import distributions, missing
from exhibits_small import small
from exhibits_time import dynamics
from figures import quality, size
from wording import number, percent, say

ORDER = (
    "missing",
    "small",
    "rates",
    "dynamics",
    "totals",
    "means",
    "distribution",
    "correlation",
    "category",
    "table",
)
ASIDE = {
    "outcome": {"totals": 40, "means": 30, "dynamics": 20, "category": 10},
    "small": {"distribution": 25, "totals": 20, "means": 20, "category": 20},
    "years": {
        "missing": 50,
        "distribution": 60,
        "totals": 60,
        "means": 60,
        "category": 30,
        "correlation": 60,
    },
}
"""What weighs less where the table is about something else: an outcome, its own few rows, its years."""
WORTH = 25
"""The weight of a fact that an answer tells."""
AGAIN = 9
"""What a further exhibit of one family loses, so that a story has several sides."""


def exhibits(found):
    """All that the findings give."""
    makers = (rates, dynamics, totals, small, missing, distributions, correlations, categories)
    result = list(chain.from_iterable(make(found) for make in makers))
    aside = ASIDE["outcome"] if found.outcome is not None else {}
    if found.small is not None:
        aside = ASIDE["years" if found.small.columns_are_time else "small"]
    return [replace(item, weight=item.weight - aside.get(item.family, 0)) for item in result]


def choose(found, count, skipped=()):
    """`count` exhibits or fewer, of several families, in the order in which they are told."""
    waiting, chosen, told = [item for item in exhibits(found) if item.title not in skipped], [], {}
    while waiting and len(chosen) < count:
        best = max(
            waiting, key=lambda item: item.weight - AGAIN * sum(told.get(key, 0) for key in _sides(item))
        )
        waiting.remove(best)
        if any(best.title == item.title for item in chosen):
            continue
        told |= {key: told.get(key, 0) + 1 for key in _sides(best)}
        chosen.append(best)
    return sorted(chosen, key=lambda item: (ORDER.index(item.family), -item.weight))


def _sides(item):
    """What a story should not tell again and again: one kind of finding, one measure."""
    return (
        (item.family, f"{item.family}: {item.y_title}")
        if item.family in ("totals", "means")
        else (item.family,)
    )


def ranked(found):
    """All exhibits, the weightiest first."""
    return sorted(exhibits(found), key=lambda item: -item.weight)


def headline(found):
    """The conclusion in a sentence."""
    if (outcome := found.outcome) is not None:
        share = say(
            "outcome",
            outcome=outcome_name(outcome),
            count=number(outcome.count),
            total=number(outcome.total),
            rate=percent(outcome.rate),
        )
        best = next((item for item in ranked(found) if item.family == "rates"), None)
        return say("outcome_link", share=share, title=best.title) if best else share
    best = next((item for item in ranked(found) if item.family not in ("missing",)), None)
    return best.title if best else size(found)


def facts(found, most=5):
    """The file in a sentence, then the findings that weigh most."""
    top = headline(found)
    told = [item for item in choose(found, most + 2) if item.family != "missing" and item.weight >= WORTH]
    titles = [item.title for item in told if item.title not in top]
    titles.sort(key={item.title: -item.weight for item in exhibits(found)}.get)
    return [quality(found), *titles[: most - 1]]
