"""Quotas: whether a person or a chat may have another run now. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.errors import Refused
from storage.members import Allowance
from storage.spending import Spent

DAY: Final = timedelta(days=1)
"""A day is the last 24 hours, so that nobody waits for somebody else's midnight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What counts against an allowance."""

    spent: Sequence[Spent]
    """Of the last day, the oldest first."""
    unfinished: int
    """Runs that wait or are at work."""


def merged(own: Allowance, usual: Allowance) -> Allowance:
    """What somebody has: the usual amount of everything that nobody has set for them."""
    return Allowance(
        runs_a_day=usual.runs_a_day if own.runs_a_day is None else own.runs_a_day,
        tokens_a_day=usual.tokens_a_day if own.tokens_a_day is None else own.tokens_a_day,
        runs_at_once=usual.runs_at_once if own.runs_at_once is None else own.runs_at_once,
    )


def refusal(used: Used, allowance: Allowance, now: datetime, *, whose: str) -> Refused | None:
    """Why there is no run now, and when there will be. `whose` is `person` or `chat`."""
    if allowance.runs_at_once is not None and used.unfinished >= allowance.runs_at_once:
        return Refused(f"quota-at-once-{whose}", limit=allowance.runs_at_once)
    if allowance.runs_a_day is not None and len(used.spent) >= allowance.runs_a_day:
        over = len(used.spent) - allowance.runs_a_day
        until = used.spent[over].at + DAY if allowance.runs_a_day else now + DAY
        return Refused(f"quota-runs-{whose}", limit=allowance.runs_a_day, **_wait(until, now))
    if allowance.tokens_a_day is not None:
        until = _affordable(used.spent, allowance.tokens_a_day, now)
        if until is not None:
            limit = allowance.tokens_a_day
            return Refused(f"quota-tokens-{whose}", limit=limit, **_wait(until, now))
    return None


def _affordable(spent: Sequence[Spent], limit: int, now: datetime) -> datetime | None:
    """When the tokens of the last day fall below the limit; None when they are."""
    left = sum(one.tokens for one in spent)
    if left < limit:
        return None
    for one in spent:
        left -= one.tokens
        if left < limit:
            return one.at + DAY
    return now + DAY


def _wait(until: datetime, now: datetime) -> dict[str, int]:
    minutes = max(1, -(-(until - now) // timedelta(minutes=1)))
    return {"hours": minutes // 60, "minutes": minutes % 60}
