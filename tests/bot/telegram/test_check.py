"""What doctor and the start of `deckhand run` see of Telegram."""

import json
from datetime import UTC, datetime

import httpx
import pytest
from pydantic import SecretStr

from bot.errors import SettingsError
from bot.ops.check import Check, Level
from bot.settings import Settings
from bot.telegram.check import check_telegram, meet, require_server
from bot.texts import Language, texts
from tests.fakes.botapi import BotApi

TOKEN = "123456789:canary_canary_canary_canary_canary"  # noqa: S105  # a canary
SETTINGS = Settings(telegram_bot_token=SecretStr(TOKEN), telegram_api_url="http://api.test:8081")
NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
ME = {"ok": True, "result": {"id": 1, "username": "deck_bot", "can_read_all_group_messages": False}}
NO_HOOK = {"ok": True, "result": {"url": ""}}
NOTHING = {"ok": True, "result": []}


class Server(httpx.MockTransport):
    """Answers by method; a method without an answer is 404."""

    def __init__(self, *, date: str = "Mon, 30 Nov 2026 12:00:02 GMT", **answers: object) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []

        def answer(request: httpx.Request) -> httpx.Response:
            assert request.url.path.startswith(f"/bot{TOKEN}/")
            method = request.url.path.rpartition("/")[2]
            self.asked.append((method, json.loads(request.content)))
            found = answers.get(method, (404, {}))
            status, body = found if isinstance(found, tuple) else (200, found)
            if isinstance(body, str):
                return httpx.Response(status, text=body)
            return httpx.Response(status, json=body, headers={"Date": date})

        super().__init__(answer)


async def checks(
    server: httpx.AsyncBaseTransport, settings: Settings = SETTINGS, **options: bool
) -> list[Check]:
    found = [check async for check in check_telegram(settings, server, now=lambda: NOW, **options)]
    for check in found:
        for language in Language:
            assert "canary" not in texts(language)(check.key, **check.facts)
    return found


def keys(found: list[Check]) -> list[str]:
    return [check.key for check in found]


async def test_a_bot_that_answers_is_named_with_its_privacy_mode_and_its_clock() -> None:
    server = Server(getMe=ME, getWebhookInfo=NO_HOOK, getUpdates=NOTHING)
    found = await checks(server)
    assert keys(found) == ["doctor-telegram-private", "doctor-clock-ok"]
    assert "@deck_bot answers at api.test" in texts(Language.ENGLISH)(found[0].key, **found[0].facts)


async def test_looking_takes_no_message_away_from_the_bot() -> None:
    server = Server(getMe=ME, getWebhookInfo=NO_HOOK, getUpdates=NOTHING)
    await checks(server)
    (asked,) = (arguments for method, arguments in server.asked if method == "getUpdates")
    assert "offset" not in asked
    server.asked.clear()
    await checks(server, serving=True)
    assert [method for method, _ in server.asked] == ["getMe", "getWebhookInfo"]


async def test_a_rival_that_asks_for_the_same_messages_is_told() -> None:
    server = Server(getMe=ME, getWebhookInfo=NO_HOOK, getUpdates=(409, {"ok": False}))
    assert keys(await checks(server))[-1] == "doctor-telegram-conflict"


async def test_a_webhook_of_another_program_is_told_by_its_host_alone() -> None:
    hook = {"ok": True, "result": {"url": "https://other.test/secret-canary"}}
    found = await checks(Server(getMe=ME, getWebhookInfo=hook))
    assert (found[-1].key, found[-1].facts) == ("doctor-telegram-webhook-elsewhere", {"url": "other.test"})


async def test_a_webhook_of_ours_that_fails_is_told_with_telegrams_reason() -> None:
    ours = SETTINGS.model_copy(update={"telegram_webhook_url": "https://deck.test"})
    hook = {"ok": True, "result": {"url": "https://deck.test/telegram/x", "last_error_message": "SSL error"}}
    found = await checks(Server(getMe=ME, getWebhookInfo=hook), ours)
    assert (found[-1].key, found[-1].facts["reason"]) == ("doctor-telegram-webhook-failing", "SSL error")


async def test_a_clock_that_is_off_is_told() -> None:
    late = Server(date="Mon, 30 Nov 2026 12:05:00 GMT", getMe=ME, getWebhookInfo=NO_HOOK, getUpdates=NOTHING)
    found = await checks(late)
    assert (found[1].key, found[1].facts) == ("doctor-clock-off", {"seconds": 300})


@pytest.mark.parametrize(
    ("answer", "key", "level"),
    [
        ((401, {"ok": False, "description": "Unauthorized"}), "doctor-telegram-refused", Level.FAILURE),
        ((404, {"ok": False}), "doctor-telegram-refused", Level.FAILURE),
        ((502, "<html>Bad Gateway</html>"), "doctor-telegram-strange", Level.FAILURE),
        ((200, "<html>a portal</html>"), "doctor-telegram-strange", Level.FAILURE),
        (
            {"ok": True, "result": {"username": "b", "can_read_all_group_messages": True}},
            "doctor-telegram-open",
            Level.WARNING,
        ),
    ],
)
async def test_what_the_first_answer_means(answer: object, key: str, level: Level) -> None:
    found = await checks(Server(getMe=answer, getWebhookInfo=NO_HOOK, getUpdates=NOTHING))
    assert (found[0].key, found[0].level) == (key, level)


async def test_a_server_that_is_not_there_is_told_without_the_token() -> None:
    def gone(request: httpx.Request) -> httpx.Response:
        message = f"cannot reach {request.url}"
        raise httpx.ConnectError(message)

    (found,) = await checks(httpx.MockTransport(gone))
    assert (found.key, found.facts["reason"]) == ("doctor-telegram-unreachable", "ConnectError")
    assert await meet(SETTINGS, httpx.MockTransport(gone)) == ""


async def test_without_a_token_nothing_is_asked() -> None:
    server = Server()
    assert keys(await checks(server, Settings())) == ["doctor-telegram-none"]
    assert server.asked == []


async def test_a_start_with_a_wrong_token_ends_with_a_sentence() -> None:
    assert await meet(SETTINGS, Server(getMe=ME)) == "@deck_bot"
    with pytest.raises(SettingsError) as refused:
        await meet(SETTINGS, Server(getMe=(401, {"ok": False})))
    assert refused.value.key == "telegram-token-refused"
    assert "canary" not in str(refused.value)


def test_a_webhook_needs_our_server() -> None:
    hooked = SETTINGS.model_copy(update={"telegram_webhook_url": "https://deck.test"})
    with pytest.raises(SettingsError):
        require_server(hooked)
    require_server(hooked.model_copy(update={"deckhand_http": "127.0.0.1:8099"}))


async def test_a_page_that_is_no_text_is_no_reason_to_give_up() -> None:
    garbage = httpx.MockTransport(lambda _: httpx.Response(502, content=b"\x80\xff"))
    assert await meet(SETTINGS, garbage) == ""
    assert (await checks(garbage))[0].key == "doctor-telegram-strange"


async def test_it_is_asked_the_way_that_the_bot_will_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot knows the proxy of DECKHAND_PROXY and no other."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with BotApi() as server:
        settings = Settings(telegram_bot_token=SecretStr(server.token), telegram_api_url=server.url)
        assert await meet(settings) == f"@{server.bot.username}"
