"""What it has cost: /usage."""

from collections.abc import Sequence
from datetime import timedelta

from bot.commands.parts import Asked, Parts, Reply
from bot.quotas import DAY
from bot.settings import Prices
from bot.texts import Texts
from storage.spending import Spent

MONTH = timedelta(days=30)


async def usage(asked: Asked, parts: Parts) -> Reply:
    """One's own, in a group what one asked for there; for an admin in private also everybody's."""
    now = parts.clock()
    chat = None if asked.private else asked.incoming.chat.chat
    month = await parts.spending.since(asked.platform, now - MONTH, person=asked.sender, chat=chat)
    today = [one for one in month if one.at >= now - DAY]
    lines = [
        _line("usage-day", today, parts.prices, asked.t),
        _line("usage-month", month, parts.prices, asked.t),
    ]
    if asked.admin and asked.private:
        lines += ["", asked.t("usage-people"), *await _people(asked, parts)]
    return Reply("\n".join(lines))


async def _people(asked: Asked, parts: Parts) -> list[str]:
    by_sender: dict[str, list[Spent]] = {}
    for one in await parts.spending.since(asked.platform, parts.clock() - MONTH):
        by_sender.setdefault(one.sender, []).append(one)
    names = {person.id: person.name for person in await parts.people.list(asked.platform)}
    ordered = sorted(by_sender.items(), key=lambda item: -sum(one.tokens for one in item[1]))
    return [
        f"{names.get(sender) or '–'} ({sender or '–'}): {_sums(spent, parts.prices, asked.t)}"
        for sender, spent in ordered
    ]


def _line(key: str, spent: Sequence[Spent], prices: Prices | None, t: Texts) -> str:
    return f"{t(key)}: {_sums(spent, prices, t)}"


def _sums(spent: Sequence[Spent], prices: Prices | None, t: Texts) -> str:
    text = t("usage-sums", runs=len(spent), tokens=sum(one.tokens for one in spent))
    if prices is None:
        return text
    read, written, cached = (
        sum(getattr(one, name) for one in spent)
        for name in ("input_tokens", "output_tokens", "cached_tokens")
    )
    return f"{text}, {t('usage-price', price=f'{prices.cost(read, written, cached):.2f}')}"
