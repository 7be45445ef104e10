"""The server as aiogram's own bot meets it: updates, files, faults."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramBadRequest,
    TelegramConflictError,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiogram.types import BufferedInputFile, InputMediaDocument, Update
from aiohttp import web

from tests.fakes.botapi import (
    SERVER_ERROR,
    BotApi,
    Call,
    Cut,
    Fault,
    Flood,
    Hang,
    HtmlPage,
    LiveChat,
    Moment,
    Refusal,
    Sent,
    Slow,
)

EVERY_BYTE = bytes(range(256)) * 1000


async def test_an_update_comes_again_until_it_is_confirmed(bot: Bot, chat: LiveChat) -> None:
    await chat.say("one")
    await chat.say("two")
    first = await bot.get_updates(limit=1)
    again = await bot.get_updates()
    assert [update.update_id for update in again] == [first[0].update_id, first[0].update_id + 1]
    rest = await bot.get_updates(offset=again[1].update_id)
    assert [update.message and update.message.text for update in rest] == ["two"]
    assert await bot.get_updates(offset=rest[0].update_id + 1) == []
    assert await bot.get_updates() == []


async def test_a_long_poll_ends_when_somebody_writes(bot: Bot, chat: LiveChat) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await chat.world.until(lambda: chat.world.calls)
    await chat.say("hello")
    (update,) = await asyncio.wait_for(poll, 5)
    assert update.message is not None
    assert update.message.from_user is not None
    assert update.message.from_user.language_code == "ru"


async def test_the_older_of_two_pollers_is_told_of_the_conflict(server: BotApi, bot: Bot) -> None:
    other = server.bot_client()
    old = asyncio.create_task(bot.get_updates(timeout=30))
    await server.until(lambda: server.called("getUpdates"))
    new = asyncio.create_task(other.get_updates(timeout=1))
    with pytest.raises(TelegramConflictError, match="terminated by other getUpdates request"):
        await old
    assert await new == []
    await other.session.close()


async def test_updates_of_kinds_that_the_bot_did_not_ask_for_do_not_come(bot: Bot, chat: LiveChat) -> None:
    await bot.get_updates(allowed_updates=["callback_query"])
    await chat.say("unheard")
    assert await bot.get_updates() == []


async def test_another_token_is_unauthorized(server: BotApi) -> None:
    stranger = Bot("43:" + "B" * 35, session=AiohttpSession(api=server.api))
    with pytest.raises(TelegramUnauthorizedError):
        await stranger.get_me()
    await stranger.session.close()


async def test_a_method_that_the_server_does_not_know_is_not_found(server: BotApi, bot: Bot) -> None:
    server.missing.add("getMe")
    with pytest.raises(TelegramNotFound):
        await bot.get_me()
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{server.url}/bot{bot.token}/getIt") as answer,
    ):
        assert answer.status == 404
        assert [call.method for call in server.refused()] == ["getMe", "getIt"]
        assert await answer.json() == {"ok": False, "error_code": 404, "description": "Not Found"}


@pytest.mark.parametrize("name", ["report.pptx", "отчёт за год.xlsx"])
async def test_an_uploaded_file_arrives_byte_for_byte_under_its_name(
    bot: Bot, chat: LiveChat, name: str
) -> None:
    await bot.send_document(chat.id, BufferedInputFile(EVERY_BYTE, name))
    (file,) = chat.documents
    assert file.data == EVERY_BYTE
    assert file.name == name


async def test_an_album_arrives_whole_and_in_order(bot: Bot, chat: LiveChat) -> None:
    parts = [InputMediaDocument(media=BufferedInputFile(bytes([n]) * n, f"{n}.csv")) for n in range(1, 11)]
    sent = await bot.send_media_group(chat.id, [*parts])
    assert [file.data for file in chat.documents] == [bytes([n]) * n for n in range(1, 11)]
    assert len({message.media_group_id for message in sent}) == 1


async def test_a_file_of_a_person_is_downloaded_byte_for_byte(bot: Bot, chat: LiveChat) -> None:
    await chat.send([("a.bin", EVERY_BYTE, "application/octet-stream")], "look")
    (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.document is not None
    data = await bot.download(update.message.document)
    assert data is not None
    assert data.read() == EVERY_BYTE


async def test_a_big_file_is_not_handed_over(bot: Bot, chat: LiveChat) -> None:
    (post,) = await chat.send([Sent(name="a.csv", data=b"1", size=20 * 1024 * 1024 + 1)])
    assert post.file is not None
    with pytest.raises(TelegramBadRequest, match="Bad Request: file is too big"):
        await bot.get_file(post.file.id)


async def test_a_dead_link_is_not_found(server: BotApi, bot: Bot, chat: LiveChat) -> None:
    (post,) = await chat.send([("a.csv", b"1", "text/csv")])
    assert post.file is not None
    file = await bot.get_file(post.file.id)
    assert file.file_path is not None
    server.files.expired.add(file.file_path)
    with pytest.raises(aiohttp.ClientResponseError, match="404"):
        await bot.download_file(file.file_path)


async def test_a_local_server_hands_over_files_of_any_size_by_their_path(tmp_path: Path) -> None:
    async with BotApi(local=tmp_path) as server:
        bot = server.bot_client()
        chat = server.private(server.person(7))
        (post,) = await chat.send([Sent(name="a.csv", data=b"1;2", size=10**9)])
        assert post.file is not None
        file = await bot.get_file(post.file.id)
        assert file.file_path is not None
        assert Path(file.file_path).is_relative_to(tmp_path)
        data = await bot.download_file(file.file_path)
        assert data is not None
        assert data.read() == b"1;2"
        await bot.session.close()


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        (Flood(7), TelegramRetryAfter),
        (SERVER_ERROR, TelegramServerError),
        (Refusal(400, "Bad Request: chat not found"), TelegramBadRequest),
        (Refusal(403, "Forbidden: bot was blocked by the user"), TelegramForbiddenError),
        (HtmlPage(), ClientDecodeError),
        (Cut(Moment.IN_REQUEST), TelegramNetworkError),
        (Cut(Moment.BEFORE_ANSWER), TelegramNetworkError),
        (Cut(Moment.IN_ANSWER), TelegramNetworkError),
    ],
)
async def test_a_fault_strikes_once_and_the_request_had_no_effect(
    server: BotApi, bot: Bot, chat: LiveChat, fault: Fault, raised: type[Exception]
) -> None:
    server.faults.add("sendMessage", fault)
    with pytest.raises(raised):
        await bot.send_message(chat.id, "hello" * 800)
    assert chat.answers == []
    await bot.send_message(chat.id, "hello")
    assert len(chat.answers) == 1
    assert server.refused() == []


@pytest.mark.parametrize(
    "fault",
    [
        HtmlPage(applied=True),
        Hang(applied=True),
        Cut(Moment.BEFORE_ANSWER, applied=True),
        Cut(Moment.IN_ANSWER, applied=True),
    ],
)
async def test_a_request_may_take_effect_though_its_answer_is_lost(
    server: BotApi, bot: Bot, chat: LiveChat, fault: Fault
) -> None:
    server.faults.add("sendMessage", fault)
    with pytest.raises((TelegramNetworkError, ClientDecodeError)):
        await bot.send_message(chat.id, "hello", request_timeout=1)
    assert [post.text for post in chat.answers] == ["hello"]


async def test_an_upload_is_cut_in_its_middle(server: BotApi, bot: Bot, chat: LiveChat) -> None:
    server.faults.add("sendDocument", Cut(Moment.IN_REQUEST))
    with pytest.raises(TelegramNetworkError):
        await bot.send_document(chat.id, BufferedInputFile(EVERY_BYTE * 40, "a.bin"))
    assert chat.messages == []
    await bot.send_document(chat.id, BufferedInputFile(EVERY_BYTE * 40, "a.bin"))
    assert [len(file.data) for file in chat.documents] == [len(EVERY_BYTE) * 40]


async def test_a_hung_request_ends_with_the_clients_own_patience(
    server: BotApi, bot: Bot, chat: LiveChat
) -> None:
    server.faults.add("sendMessage", Hang())
    with pytest.raises(TelegramNetworkError, match="Request timeout error"):
        await bot.send_message(chat.id, "hello", request_timeout=1)
    assert chat.answers == []


async def test_a_slow_answer_is_an_answer(server: BotApi, bot: Bot, chat: LiveChat) -> None:
    server.faults.add("sendMessage", Slow(0.05))
    assert (await bot.send_message(chat.id, "hello")).text == "hello"


async def test_a_fault_strikes_the_chat_that_it_is_meant_for(
    server: BotApi, bot: Bot, chat: LiveChat
) -> None:
    other = server.private(server.person(8, "Bob"))
    server.faults.add("*", Flood(1), times=None, chat=other.id)
    await bot.send_message(chat.id, "hello")
    for _ in range(2):
        with pytest.raises(TelegramRetryAfter) as caught:
            await bot.send_message(other.id, "hello")
        assert caught.value.retry_after == 1
    server.faults.clear()
    await bot.send_message(other.id, "hello")


async def test_while_the_server_is_down_connections_are_refused(
    server: BotApi, bot: Bot, chat: LiveChat
) -> None:
    await bot.get_me()
    await server.down()
    with pytest.raises(TelegramNetworkError, match=r"ClientConnectorError|Cannot connect"):
        await bot.get_me()
    await server.up()
    assert (await bot.send_message(chat.id, "back")).text == "back"


async def test_a_download_is_cut_in_its_middle(server: BotApi, bot: Bot, chat: LiveChat) -> None:
    (post,) = await chat.send([("a.bin", EVERY_BYTE, "application/octet-stream")])
    assert post.file is not None
    server.faults.add("file", Cut(Moment.IN_ANSWER))
    with pytest.raises(aiohttp.ClientError):
        await bot.download(post.file.id)


@pytest.mark.parametrize(("after", "seen"), [(False, 0), (True, 1)])
async def test_a_hook_runs_before_or_after_the_effect_of_a_request(
    server: BotApi, bot: Bot, chat: LiveChat, *, after: bool, seen: int
) -> None:
    found: list[int] = []

    async def look(call: Call) -> None:
        found.append(len(chat.answers))

    undo = server.on("sendMessage", look, after=after)
    await bot.send_message(chat.id, "hello")
    undo()
    await bot.send_message(chat.id, "hello")
    assert found == [seen]


async def test_a_webhook_gets_each_update_until_it_says_yes(
    server: BotApi, bot: Bot, chat: LiveChat, unused_tcp_port_factory: Callable[[], int]
) -> None:
    heard: list[tuple[str, str]] = []

    async def hear(request: web.Request) -> web.Response:
        update = Update.model_validate(await request.json())
        text = update.message.text if update.message else None
        heard.append((request.headers["X-Telegram-Bot-Api-Secret-Token"], text or ""))
        return web.Response(status=500 if len(heard) == 1 else 200)

    app = web.Application()
    app.router.add_post("/hook", hear)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    port = unused_tcp_port_factory()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await bot.set_webhook(f"http://127.0.0.1:{port}/hook", secret_token="s3cret")  # noqa: S106  # of this test
    with pytest.raises(TelegramConflictError, match="webhook is active"):
        await bot.get_updates()
    await chat.say("one")
    await chat.say("two")
    await server.until(lambda: len(server.updates.confirmed) == 2, 10)
    assert heard == [("s3cret", "one"), ("s3cret", "one"), ("s3cret", "two")]
    assert (await bot.get_webhook_info()).last_error_message == "Wrong response from the webhook: 500"
    await bot.delete_webhook()
    assert await bot.get_updates() == []
    await runner.cleanup()
