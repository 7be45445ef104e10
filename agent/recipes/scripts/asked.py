"""What the request asks about: the columns and the periods that its words name."""

from findings_roles import matches, tokens
from findings_time import named_grains
from task import HINTS

NAMED = 0.8
"""The likeness from which on a word names a column."""
JOB = frozenset(
    {"make", "show", "deck", "data", "table", "tables", "file", "files", "chart", "charts", "slide", "slides"}
    | {"sheet", "please", "this", "that", "with", "from", "таблица", "таблицы", "данные", "файл", "слайды"}
)
"""Words of the order rather than of its subject."""
WORDS = [word for word in HINTS if word not in JOB]


def period(grain):
    """The topic of a grain; no column has such a name."""
    return f"\0{grain}"


def is_asked(column):
    return matches(column, WORDS) >= NAMED


def topics(found):
    """The named periods and columns; of `Category` and `Sub-Category` the word category names the first."""
    result = {period(grain) for grain in named_grains(WORDS)}
    columns = [role.column for role in found.roles]
    columns += [item.measure for item in found.totals if item.measure not in columns]
    told = {column: _told(column) for column in dict.fromkeys(columns)}
    for word in WORDS:
        named = [column for column in told if matches(column, [word]) >= NAMED]
        best = max((told[column] for column in named), default=0)
        result |= {column for column in named if told[column] == best}
    return frozenset(result)


def answers(item, topics):
    """Whether the request names all that an exhibit compares; the look of one column compares nothing."""
    alone = item.family in ("distribution", "category")
    return bool(item.about) and not alone and topics.issuperset(item.about)


def beside(item, topics):
    """Whether it tells of other periods than those that the request names."""
    periods = {topic for topic in topics if topic.startswith(period(""))}
    return bool(periods) and item.family == "dynamics" and not periods & set(item.about)


def _told(column):
    """The share of the words of a name that the request has."""
    words = tokens(column)
    return sum(matches(word, WORDS) >= NAMED for word in words) / max(1, len(words))
