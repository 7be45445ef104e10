"""What can be seen of Telegram before anything is served: the token, the webhook, rivals, the clock."""

from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, Final, cast

import httpx

from bot.errors import SettingsError
from bot.ops.check import Check, Level, Subject
from bot.settings import Settings
from bot.trust import outward
from storage.records import utc_now

OFFICIAL: Final = "https://api.telegram.org"
SKEW: Final = 30.0
"""Seconds that a clock may be off."""
LISTENING: Final = 3
"""Seconds of asking for messages, in which a rival that does the same shows itself."""
_NO_BOT: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)

_Raw = dict[str, Any]
Answer = tuple[int, Mapping[str, Any], datetime | None]
"""Status, the result or the whole answer, and when the server says it was."""


async def meet(settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> str:
    """Ask who we are: @name. Empty when the server cannot be reached, which is no reason to give up.

    Raises: SettingsError: Telegram does not know the token.
    """
    try:
        async with outward(settings, transport, environment=False) as client:
            status, me, _ = await _call(client, settings, "getMe")
    except (httpx.HTTPError, httpx.InvalidURL, OSError):
        return ""
    if status in _NO_BOT:
        key = "telegram-token-refused"
        raise SettingsError(key)
    return f"@{me['username']}" if "username" in me else ""


def require_server(settings: Settings) -> None:
    """Raises: SettingsError: Telegram shall call us, and we would not listen."""
    if settings.telegram_webhook_url is not None and settings.deckhand_http is None:
        key = "doctor-http-needed"
        raise SettingsError(key)


async def check_telegram(
    settings: Settings,
    transport: httpx.AsyncBaseTransport | None = None,
    *,
    serving: bool = False,
    now: Callable[[], datetime] = utc_now,
) -> AsyncGenerator[Check]:
    """`serving`: our own bot is at work, so nothing is asked that would disturb it. No message is taken."""
    if settings.telegram_bot_token is None:
        yield Check(Subject.TELEGRAM, Level.OK, "doctor-telegram-none")
        return
    host = httpx.URL(settings.telegram_api_url or OFFICIAL).host
    try:
        async with outward(settings, transport, environment=False) as client:
            answer = await _call(client, settings, "getMe")
            yield judge_bot(host, answer)
            if answer[0] != HTTPStatus.OK:
                return
            if answer[2] is not None:
                yield judge_clock(abs((now() - answer[2]).total_seconds()))
            _, hook, _ = await _call(client, settings, "getWebhookInfo")
            if (found := judge_webhook(settings, hook)) is not None:
                yield found
            elif not (serving or hook.get("url")):
                status, _, _ = await _call(client, settings, "getUpdates", timeout=LISTENING, limit=1)
                if status == HTTPStatus.CONFLICT:
                    yield Check(Subject.TELEGRAM, Level.FAILURE, "doctor-telegram-conflict")
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as fault:
        facts = {"host": host, "reason": type(fault).__name__}
        yield Check(Subject.TELEGRAM, Level.FAILURE, "doctor-telegram-unreachable", facts)


def judge_bot(host: str, answer: Answer) -> Check:
    """What the answer to `getMe` means."""
    status, me, _ = answer
    if status in _NO_BOT:
        return Check(Subject.TELEGRAM, Level.FAILURE, "doctor-telegram-refused", {"host": host})
    if status != HTTPStatus.OK or "username" not in me:
        facts: dict[str, str | int] = {"host": host, "status": str(status)}
        return Check(Subject.TELEGRAM, Level.FAILURE, "doctor-telegram-strange", facts)
    facts = {"host": host, "name": str(me["username"])}
    match me.get("can_read_all_group_messages"):
        case True:
            return Check(Subject.TELEGRAM, Level.WARNING, "doctor-telegram-open", facts)
        case False:
            return Check(Subject.TELEGRAM, Level.OK, "doctor-telegram-private", facts)
        case _:
            return Check(Subject.TELEGRAM, Level.OK, "doctor-telegram-ok", facts)


def judge_clock(seconds: float) -> Check:
    if seconds > SKEW:
        return Check(Subject.CLOCK, Level.WARNING, "doctor-clock-off", {"seconds": round(seconds)})
    return Check(Subject.CLOCK, Level.OK, "doctor-clock-ok", {"seconds": round(SKEW)})


def judge_webhook(settings: Settings, hook: Mapping[str, Any]) -> Check | None:
    """What `getWebhookInfo` tells that somebody should know. Only the host of an address is shown."""
    url = str(hook.get("url") or "")
    shown = httpx.URL(url).host if url else ""
    ours = settings.telegram_webhook_url
    if url and (ours is None or httpx.URL(ours).host != shown):
        return Check(Subject.TELEGRAM, Level.WARNING, "doctor-telegram-webhook-elsewhere", {"url": shown})
    if url and (reason := hook.get("last_error_message")):
        facts = {"url": shown, "reason": str(reason)[:200]}
        return Check(Subject.TELEGRAM, Level.WARNING, "doctor-telegram-webhook-failing", facts)
    return None


async def _call(client: httpx.AsyncClient, settings: Settings, method: str, **arguments: int) -> Answer:
    """Raises: httpx.HTTPError, whose text may name the token: it is for nobody's eyes."""
    token = settings.telegram_bot_token.get_secret_value() if settings.telegram_bot_token else ""
    base = (settings.telegram_api_url or OFFICIAL).rstrip("/")
    answer = await client.post(f"{base}/bot{token}/{method}", json=arguments)
    try:
        body: object = answer.json()
    except ValueError:  # no JSON, or no text at all
        body = {}
    content = cast("_Raw", body) if isinstance(body, dict) else {}
    result: object = content.get("result")
    found = cast("_Raw", result) if isinstance(result, dict) else content
    return answer.status_code, found, _date(answer)


def _date(answer: httpx.Response) -> datetime | None:
    try:
        told = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        return None
    return told.replace(tzinfo=UTC) if told.tzinfo is None else told
