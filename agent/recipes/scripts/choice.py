"""The choice of a story's exhibits: by weight, by what the request names, and of several sides."""

from dataclasses import replace
from itertools import chain

import asked
from exhibits import alike, rates
from exhibits_amounts import totals
from exhibits_links import categories, correlations
from exhibits_shape import distributions, missing
from exhibits_small import small
from exhibits_time import dynamics

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
BESIDE = 40
"""What the weeks lose when the months are asked for."""
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


def picked(found, count, skipped=()):
    """`count` exhibits or fewer: what the request names first, then the weightiest, of several families."""
    topics, every = asked.topics(found), exhibits(found)
    solid = [item for item in every if item.weight >= WORTH or topics & set(item.about)]
    waiting, chosen, told, covered = (
        [item for item in solid or every if item.title not in skipped],
        [],
        {},
        set(),
    )
    while waiting and len(chosen) < count:
        best = max(waiting, key=lambda item: _worth(item, topics, covered, told))
        waiting.remove(best)
        if any(best.title == item.title or alike(best, item) for item in chosen):
            continue
        told |= {key: told.get(key, 0) + 1 for key in _sides(best)}
        covered |= topics & set(best.about)
        chosen.append(best)
    return chosen


def choose(found, count, skipped=()):
    """Those picked, in the order in which they are told: first what the request asks about."""
    chosen, topics = picked(found, count, skipped), asked.topics(found)
    return sorted(
        chosen, key=lambda item: (not asked.answers(item, topics), ORDER.index(item.family), -item.weight)
    )


def _worth(item, topics, covered, told):
    again = AGAIN * sum(told.get(key, 0) for key in _sides(item))
    named = topics & set(item.about)
    wholly = asked.answers(item, topics) and len(item.about) > 1
    again += BESIDE * asked.beside(item, topics)
    share = 24 if len(item.about) > 1 else 12
    return item.weight + share * len(named) + 45 * len(named - covered) + (60 if wholly else -again)


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
