"""What a reply to an answer of ours may mean besides a request. Pure."""

import re
from typing import Final

from bot.commands.menu import Command

LONGEST: Final = 6
"""Words after "why" that still ask where a number is from: longer questions are for the model…"""
WITHOUT_NUMBER: Final = 1
"""…and so are those that name no number, unless one word names a figure: "why did it fall?" asks for more."""
_WHY: Final = re.compile(r"\s*(?:why|почему|откуда)\b[\s,:–—-]*", re.IGNORECASE)
_SAME: Final = re.compile(
    "(do )?(the )?same( again)?|(once more|again)|(сделай )?(то ?же)( самое)?|(еще раз|снова)"
)


def why(text: str) -> Command | None:
    """`why 38.4%?` as the command that it stands for; None for a question of another kind."""
    found = _WHY.match(text)
    if found is None:
        return None
    asked = text[found.end() :].strip().rstrip("?!. ")
    most = LONGEST if re.search(r"\d", asked) else WITHOUT_NUMBER
    return Command("why", asked) if len(asked.split()) <= most else None


def is_same(text: str) -> bool:
    """Whether it asks for the same work once more, and for nothing else."""
    words = " ".join(re.findall(r"\w+", text.casefold().replace("ё", "е")))
    return _SAME.fullmatch(words.removesuffix(" please").removesuffix(" пожалуйста")) is not None
