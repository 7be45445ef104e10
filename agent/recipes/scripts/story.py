"""The story of a table: its conclusion and its facts."""

import asked
from choice import WORTH, choose, picked, ranked
from exhibits import outcome_name
from figures import quality, size
from wording import number, percent, say

__all__ = ["choose", "facts", "headline"]

LONG = 150
"""Characters of a conclusion."""


def headline(found):
    """The conclusion in a sentence, about what the request names where the findings tell of it."""
    topics = asked.topics(found)
    order = [item for item in picked(found, 8) if item.family != "missing"]
    told = order[0] if order and topics & set(order[0].about) else None
    outcome = found.outcome
    if outcome is not None and (told is None or told.family == "rates" or outcome.column in topics):
        share = say(
            "outcome",
            outcome=outcome_name(outcome),
            count=number(outcome.count),
            total=number(outcome.total),
            rate=percent(outcome.rate),
        )
        best = next((item for item in order if item.family == "rates"), None)
        return say("outcome_link", share=share, title=best.title) if best else share
    if told is not None:
        return _joined(order, topics)
    best = next((item for item in ranked(found) if item.family != "missing"), None)
    return best.title if best else size(found)


def _joined(order, topics):
    """The first title, and a second one when that tells of more that was asked and both are short."""
    first = order[0]
    more = [item for item in order[1:] if topics & set(item.about) - set(first.about)]
    more.sort(key=lambda item: -len(topics & set(item.about) - set(first.about)))
    both = f"{first.title}. {more[0].title}" if more else first.title
    return both if len(both) <= LONG else first.title


def facts(found, most=5):
    """The file in a sentence, then the findings that were asked for or weigh most."""
    top, topics = headline(found), asked.topics(found)
    told = [item for item in picked(found, most + 2) if item.family != "missing" and item.weight >= WORTH]
    told.sort(key=lambda item: (not asked.answers(item, topics), -item.weight))
    titles = [item.title for item in told if item.title not in top]
    courses = [item.takeaway for item in told if item.family == "small" and item.takeaway]
    return [quality(found), *[*titles, *courses][: most - 1]]
