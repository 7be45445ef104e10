"""What people see of how we get their messages: none is lost, and none stops the others."""

import asyncio
import io
import json
from collections.abc import AsyncGenerator

import aiohttp
import pytest
from aiogram.types import Update, User
from aiohttp import web
from structlog.testing import capture_logs

from bot.chat import ChatRef, Incoming, Message, Moved
from bot.errors import SettingsError
from bot.telegram.adapter import Telegram, open_telegram
from bot.telegram.receiving import LOOKING, read_update
from bot.telegram.session import open_bot
from bot.telegram.webhook import HEADER, Webhook
from storage.errors import StorageError
from tests.bot.telegram.conftest import Heard, ref, serving
from tests.conftest import until
from tests.fakes.botapi import SERVER_ERROR, BotApi, Cut, Flood, HtmlPage, LiveChat, Moment, Refusal

FULL = StorageError("disk full")


class Naps:
    """Waits in no time, and remembers how long it should have been."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)
        await asyncio.sleep(0.001)


async def test_a_message_is_confirmed_only_after_it_was_stored(
    server: BotApi, telegram: Telegram, chat: LiveChat
) -> None:
    stored = asyncio.Event()
    confirmed: list[int] = []

    async def store(event: object, /) -> None:
        confirmed.append(len(server.updates.confirmed))
        await stored.wait()

    async with asyncio.TaskGroup() as group:
        serve = group.create_task(telegram.serve(store))
        await chat.say("hello")
        await until(lambda: confirmed, seconds=20)
        assert confirmed == [0]
        assert len(server.updates.pending) == 1
        stored.set()
        await server.until(lambda: len(server.updates.confirmed) == 1, seconds=20)
        serve.cancel()


async def test_a_message_that_cannot_be_stored_stops_the_polling_and_is_told_again(
    server: BotApi, telegram: Telegram, chat: LiveChat
) -> None:
    heard = Heard(trouble=[FULL])
    await chat.say("keep this")
    with pytest.raises(StorageError):
        await telegram.serve(heard)
    assert not server.updates.confirmed
    async with serving(telegram, heard):
        assert (await heard.said_by()).text == "keep this"


async def test_messages_before_the_one_that_failed_are_told_again_with_the_same_name(
    server: BotApi, telegram: Telegram, chat: LiveChat
) -> None:
    await chat.say("one")
    await chat.say("two")
    heard = Heard()

    async def store(event: object, /) -> None:
        if heard.events:
            raise FULL
        assert isinstance(event, Incoming)
        await heard(event)

    with pytest.raises(StorageError):
        await telegram.serve(store)
    async with serving(telegram, heard):
        await heard.until(3)
    assert [said.text for said in heard.said] == ["one", "one", "two"]
    assert heard.said[0].event == heard.said[1].event != heard.said[2].event


async def test_an_update_that_nobody_understands_does_not_hide_the_next_message(
    server: BotApi, heard: Heard, chat: LiveChat
) -> None:
    broken = {"message_id": "?", "date": "yesterday"}
    with capture_logs() as logs:
        server.updates.put("message", broken)
        server.updates.put("hologram", {"id": 1})
        await chat.say("hello")
        assert (await heard.said_by()).text == "hello"
    assert {line["event"] for line in logs} >= {"telegram_update_unreadable"}


async def test_a_kind_of_update_that_we_do_not_know_is_ignored_with_a_line_in_the_log(
    server: BotApi, telegram: Telegram
) -> None:
    async with open_bot(server.token, api_url=server.url) as bot:
        with capture_logs() as logs:
            assert read_update({"update_id": 5, "hologram": {"id": 1}}, bot) is None
    assert logs[0]["event"] == "telegram_update_ignored"
    assert logs[0]["kinds"] == ["hologram"]


async def test_a_message_that_our_own_code_stumbles_over_is_dropped_with_a_line_in_the_log(
    telegram: Telegram,
) -> None:
    heard = Heard()
    nobody = User.model_construct()  # makes the translation fail
    with capture_logs() as logs:
        await telegram.hearing(heard, nobody)(Update(update_id=5))
    assert not heard.events
    assert (logs[0]["event"], logs[0]["update"]) == ("telegram_update_not_understood", 5)


@pytest.mark.parametrize(
    "fault",
    [
        SERVER_ERROR,
        HtmlPage(502),
        Flood(3),
        Cut(Moment.IN_REQUEST),
        Cut(Moment.BEFORE_ANSWER),
        Cut(Moment.IN_ANSWER),
        Refusal(409, "Conflict: terminated by other getUpdates request"),
    ],
    ids=lambda fault: f"{type(fault).__name__} {getattr(fault, 'moment', '')}",
)
async def test_trouble_between_us_and_telegram_loses_no_message(
    server: BotApi, chat: LiveChat, fault: Refusal
) -> None:
    naps, heard = Naps(), Heard()
    server.faults.add("getUpdates", fault, times=4)
    async with open_bot(server.token, api_url=server.url) as bot:
        with capture_logs() as logs:
            async with serving(Telegram(bot, sleep=naps), heard):
                await chat.say("hello")
                assert (await heard.said_by()).text == "hello"
    assert len([line for line in logs if line["event"] == "telegram_polling_fails"]) == 1
    assert len([line for line in logs if line["event"] == "telegram_polling_works_again"]) == 1
    assert len(naps.taken) == 4
    assert naps.taken == [3] * 4 if isinstance(fault, Flood) else naps.taken[3] > 2 * naps.taken[0]


async def test_a_second_program_with_the_same_token_is_named_in_the_log(server: BotApi) -> None:
    server.faults.add("getUpdates", Refusal(409, "Conflict: terminated by other getUpdates request"))
    async with open_bot(server.token, api_url=server.url) as bot:
        with capture_logs() as logs:
            async with serving(Telegram(bot, sleep=Naps()), Heard()):
                await server.until(lambda: len(server.called("getUpdates")) > 1, seconds=20)
    assert [line["event"] for line in logs if line["log_level"] == "error"] == [
        "telegram_token_is_used_by_another_process"
    ]


async def test_the_bot_starts_before_its_network_does(server: BotApi, chat: LiveChat) -> None:
    naps, heard = Naps(), Heard()
    await server.down()
    async with (
        open_bot(server.token, api_url=server.url) as bot,
        serving(Telegram(bot, sleep=naps), heard),
    ):
        await until(lambda: len(naps.taken) > 3, seconds=20)
        await server.up()
        await chat.say("hello")
        assert (await heard.said_by()).text == "hello"


async def test_a_wrong_token_is_told_at_the_start_and_not_repeated(server: BotApi) -> None:
    wrong = "42:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
    async with open_telegram(wrong, api_url=server.url) as telegram:
        with pytest.raises(SettingsError, match="settings-telegram-token") as told:
            await telegram.serve(Heard())
    assert wrong not in str(told.value)


async def test_what_is_no_token_at_all_is_told_without_repeating_it() -> None:
    with pytest.raises(SettingsError, match="settings-telegram-token") as told:
        async with open_telegram("hunter2 secret"):
            pass
    assert "hunter2" not in str(told.value)


async def test_a_webhook_of_earlier_days_does_not_keep_the_polling_from_messages(
    server: BotApi, telegram: Telegram, chat: LiveChat
) -> None:
    server.webhook.url = "https://example.com/elsewhere"
    heard = Heard()
    async with serving(telegram, heard):
        await chat.say("hello")
        await heard.said_by()
    assert not server.webhook.url


async def test_only_what_we_read_is_asked_for(server: BotApi, heard: Heard, chat: LiveChat) -> None:
    await chat.say("hello")
    await heard.until()
    [asked, *_] = server.called("getUpdates")
    assert asked.params["allowed_updates"] == [
        "message",
        "edited_message",
        "callback_query",
        "my_chat_member",
    ]


# Webhook


class Receiver:
    """Our HTTP server as Telegram sees it."""

    def __init__(self, telegram: Telegram, webhook: Webhook, address: str) -> None:
        self.telegram = telegram
        self.webhook = webhook
        self.address = address

    async def post(self, body: bytes | io.BytesIO, secret: str | None = None) -> tuple[int, bytes]:
        given = self.webhook._secret if secret is None else secret
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{self.address}{self.webhook.path}", data=body, headers={HEADER: given}) as answer,
        ):
            return answer.status, await answer.read()


@pytest.fixture
async def receiver(server: BotApi) -> AsyncGenerator[Receiver]:
    app = web.Application()
    runner = web.AppRunner(app, access_log=None)
    async with open_bot(server.token, api_url=server.url) as bot:
        webhook = Webhook(bot, "http://127.0.0.1:1")
        telegram = Telegram(bot, webhook=webhook)
        app.add_routes(telegram.routes())
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address = f"http://127.0.0.1:{runner.addresses[0][1]}"
        webhook._address = address
        yield Receiver(telegram, webhook, address)
        await runner.cleanup()


async def test_messages_come_through_the_webhook(server: BotApi, receiver: Receiver, chat: LiveChat) -> None:
    heard = Heard()
    async with serving(receiver.telegram, heard):
        await server.until(lambda: bool(server.webhook.url), seconds=20)
        await chat.say("hello")
        assert (await heard.said_by()).text == "hello"
    assert not server.called("getUpdates")
    [told] = server.called("setWebhook")
    assert told.params["max_connections"] == 1
    assert not server.refused()


async def test_a_message_that_the_webhook_could_not_store_is_told_again(
    server: BotApi, receiver: Receiver, chat: LiveChat
) -> None:
    heard = Heard(trouble=[FULL])
    server.webhook.retry_after = 0.01
    async with serving(receiver.telegram, heard):
        await server.until(lambda: bool(server.webhook.url), seconds=20)
        await chat.say("keep this")
        assert (await heard.said_by()).text == "keep this"


async def test_77_a_stranger_gets_nothing_from_the_webhook(server: BotApi, receiver: Receiver) -> None:
    heard = Heard()
    async with serving(receiver.telegram, heard):
        await server.until(lambda: bool(server.webhook.url), seconds=20)
        body = json.dumps({"update_id": 1, "message": {}}).encode()
        for secret in ("", "wrong", receiver.webhook._secret[:-1], "é"):
            assert await receiver.post(body, secret) == (401, b"")
        assert await receiver.post(io.BytesIO(b"x" * (1024 * 1024 + 1))) == (413, b"")
        assert await receiver.post(b"no json") == (400, b"")
        assert await receiver.post(b"[1]") == (400, b"")
        assert await receiver.post(b'{"update_id": 1, "hologram": {}}') == (200, b"")
    assert not heard.events


async def test_77_the_webhook_s_path_and_secret_cannot_be_guessed_and_do_not_hold_the_token(
    server: BotApi, receiver: Receiver
) -> None:
    secret = server.token.partition(":")[2]
    assert len(receiver.webhook.path) > 32
    assert secret not in receiver.webhook.path + receiver.webhook._secret
    assert receiver.webhook.path not in receiver.webhook._secret
    assert (await receiver.post(b"{}"))[0] == 503, "nobody listens yet"


async def test_a_webhook_address_that_telegram_refuses_is_told_at_the_start(server: BotApi) -> None:
    server.faults.add("setWebhook", Refusal(400, "Bad Request: bad webhook: HTTPS url must be provided"))
    async with open_telegram(server.token, api_url=server.url, webhook_url="https://example.com") as telegram:
        with pytest.raises(SettingsError, match=r"settings-telegram-webhook.*HTTPS"):
            await telegram.serve(Heard())


# Silence


async def test_only_answers_to_our_polling_end_the_silence(
    server: BotApi, telegram: Telegram, chat: LiveChat
) -> None:
    await telegram.post(ref(chat), Message(text="Hello"))
    assert telegram.silence is None, "posting may work while nothing is received"
    async with serving(telegram, heard := Heard()):
        await chat.say("hello")
        await heard.said_by()
        assert telegram.silence is not None


async def test_a_telegram_that_calls_us_is_asked_whether_it_is_still_there(
    server: BotApi, receiver: Receiver
) -> None:
    server.faults.add("getMe", SERVER_ERROR)
    receiver.telegram._sleep = naps = Naps()
    assert receiver.telegram.silence is None
    async with serving(receiver.telegram, Heard()):
        await server.until(lambda: receiver.telegram.silence is not None, seconds=20)
    assert LOOKING in naps.taken


# Supergroups


async def test_a_group_that_becomes_a_supergroup_keeps_its_conversation(server: BotApi, heard: Heard) -> None:
    group = server.group("Sales", [server.person(8, "Bob")], basic=True)
    new = await group.migrate()
    moved = await heard.until()
    assert isinstance(moved, Moved)
    assert (moved.chat, moved.to) == (ChatRef("telegram", str(group.id)), ChatRef("telegram", str(new.id)))
    assert len(heard.events) == 1
