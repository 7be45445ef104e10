"""Asking Telegram for updates. It is told that we have one only after that one was heard."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import structlog
from aiogram import Bot, Dispatcher
from aiogram.exceptions import (
    AiogramError,
    TelegramBadRequest,
    TelegramConflictError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.methods import TelegramMethod
from aiogram.methods.base import TelegramType
from aiogram.types import Update
from pydantic import ValidationError

ALLOWED = ("message", "edited_message", "callback_query", "my_chat_member")
ADMINS = ("administrator", "creator")
LONG = 25
"""Seconds that Telegram may wait for something to happen before it answers."""
SPARE = 15
"""Seconds beyond those until we believe that nothing will come."""
LONGEST_PAUSE = 30.0

_log = structlog.stdlib.get_logger(__name__)

Raw = dict[str, Any]
Sleep = Callable[[float], Awaitable[None]]


class Hear(Protocol):
    async def __call__(self, update: Update, /) -> None:
        """
        Raises:
            Exception: it was not stored: Telegram must tell it again.
        """
        ...


class GetRawUpdates(TelegramMethod[list[Raw]]):
    """`getUpdates` with updates as they came: one that we cannot read must not hide the others for ever."""

    __returning__ = list[Raw]
    __api_method__ = "getUpdates"

    offset: int | None = None
    timeout: int
    allowed_updates: list[str]


class Rivals:
    """Other processes that ask for our updates: each ends the poll of the other, and some updates miss us."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._met: list[float] = []

    def meet(self) -> None:
        self._met = [*self._met[-1:], self._clock()]

    @property
    def are_there(self) -> bool:
        """One conflict alone is what is left of a process that has just ended."""
        return len(self._met) > 1 and self._clock() - self._met[0] < 2 * (LONG + SPARE + LONGEST_PAUSE)


@dataclass
class Patience:
    """Waits ever longer while something fails, and says so once."""

    what: str
    """For the log: what fails."""
    sleep: Sleep = asyncio.sleep
    _tries: int = 0
    _said: str = field(default="", init=False)

    async def wait(self, fault: AiogramError) -> None:
        kind = type(fault).__name__
        if kind != self._said:
            self._said = kind
            _log.warning(f"telegram_{self.what}_fails", fault=kind)
            if isinstance(fault, TelegramConflictError):
                _log.error("telegram_token_is_used_by_another_process")
        self._tries += 1
        pause = min(LONGEST_PAUSE, 0.5 * 2 ** min(self._tries, 10)) * random.uniform(0.8, 1.2)  # noqa: S311 # spreads retries
        await self.sleep(fault.retry_after if isinstance(fault, TelegramRetryAfter) else pause)

    def over(self) -> None:
        if self._said:
            _log.info(f"telegram_{self.what}_works_again")
        self._tries, self._said = 0, ""


async def insist(
    bot: Bot, method: TelegramMethod[TelegramType], what: str, *, sleep: Sleep = asyncio.sleep
) -> TelegramType:
    """Repeat a harmless call until Telegram answers.

    Raises:
        AiogramError: the answer is a definite no.
    """
    patience = Patience(what, sleep)
    while True:
        try:
            answer = await bot(method)
        except (TelegramBadRequest, TelegramUnauthorizedError, TelegramNotFound):
            raise
        except AiogramError as fault:
            await patience.wait(fault)
        else:
            patience.over()
            return answer


def dispatcher(hear: Hear) -> Dispatcher:
    """Leads every update to `hear`. Feed it with `feed_update`, which raises what `hear` raises.

    Its own polling would confirm an update whose handler failed.
    """

    async def handle(_: object, event_update: Update) -> None:
        await hear(event_update)

    found = Dispatcher(disable_fsm=True)
    for kind in ALLOWED:
        found.observers[kind].register(handle)
    return found


def read_update(raw: Raw, bot: Bot) -> Update | None:
    """None, and a line in the log, for one of a kind that we do not know."""
    try:
        update = Update.model_validate(_with_plain_members(raw), context={"bot": bot})
    except ValidationError as fault:
        _log.warning("telegram_update_unreadable", update=raw.get("update_id"), faults=fault.error_count())
        return None
    if not any(getattr(update, kind) for kind in ALLOWED):
        kinds = sorted(set(raw) - {"update_id"})
        _log.info("telegram_update_ignored", update=update.update_id, kinds=kinds)
        return None
    return update


def _with_plain_members(raw: Raw) -> Raw:
    """An admin's rights grow with each version of the API, aiogram wants them all, and we need none."""
    change: object = raw.get("my_chat_member")
    if not isinstance(change, dict):
        return raw
    told = cast("Raw", change)
    plain: Raw = {}
    for name in ("old_chat_member", "new_chat_member"):
        member: object = told.get(name)
        if isinstance(member, dict):
            facts = cast("Raw", member)
            plain[name] = facts | {"status": "member"} if facts.get("status") in ADMINS else facts
    return raw | {"my_chat_member": told | plain}


async def poll(bot: Bot, hear: Hear, rivals: Rivals | None = None, *, sleep: Sleep = asyncio.sleep) -> None:
    """For ever, whatever happens to Telegram or the network; it ends with what `hear` raises.

    The offset that confirms an update goes out with the next request.
    """
    offset: int | None = None
    patience = Patience("polling", sleep)
    while True:
        try:
            asking = GetRawUpdates(offset=offset, timeout=LONG, allowed_updates=list(ALLOWED))
            batch = await bot(asking, request_timeout=LONG + SPARE)
        except AiogramError as fault:
            if rivals is not None and isinstance(fault, TelegramConflictError):
                rivals.meet()
            await patience.wait(fault)
            continue
        patience.over()
        for raw in batch:
            if update := read_update(raw, bot):
                await hear(update)
            offset = raw["update_id"] + 1
