"""The rules of the API, each in Telegram's own words, through aiogram's own bot."""

import aiohttp
import pytest
from aiogram import Bot
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramEntityTooLarge,
)
from aiogram.types import (
    BotCommand,
    BotCommandScopeChat,
    InputMediaDocument,
    InputMediaPhoto,
    InputRichMessage,
    ReactionTypeEmoji,
    ReplyParameters,
)

from tests.botapi.samples import ANN, Act, button, documents, entity, file, jpeg, photo, png, table
from tests.fakes.botapi import BotApi, LiveChat

REFUSED: dict[str, tuple[Act, str]] = {
    "no text": (lambda bot: bot.send_message(ANN, ""), "message text is empty"),
    "only spaces": (lambda bot: bot.send_message(ANN, " \n "), "text must be non-empty"),
    "a long text": (lambda bot: bot.send_message(ANN, "x" * 4097), "message is too long"),
    "a text of wide letters": (lambda bot: bot.send_message(ANN, "😀" * 2049), "message is too long"),
    "a long caption": (
        lambda bot: bot.send_document(ANN, file(), caption="x" * 1025),
        "message caption is too long",
    ),
    "unknown chat": (lambda bot: bot.send_message(404, "x"), "chat not found"),
    "unknown parse mode": (
        lambda bot: bot.send_message(ANN, "x", parse_mode="BBCode"),
        "unsupported parse_mode",
    ),
    "open tag": (lambda bot: bot.send_message(ANN, "<b>x", parse_mode="HTML"), "can't parse entities"),
    "loose dot": (lambda bot: bot.send_message(ANN, "a.b", parse_mode="MarkdownV2"), "can't parse entities"),
    "entity beyond the end": (
        lambda bot: bot.send_message(ANN, "abc", entities=[entity(1, 3)]),
        "entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 4",
    ),
    "entity after the end": (
        lambda bot: bot.send_message(ANN, "abc", entities=[entity(5, 1)]),
        "entity begins after the end of the text at UTF-16 offset 5",
    ),
    "entity from half a letter": (
        lambda bot: bot.send_message(ANN, "😀x", entities=[entity(1, 2)]),
        "entity begins in a middle of a UTF-16 symbol",
    ),
    "entity to half a letter": (
        lambda bot: bot.send_message(ANN, "x😀", entities=[entity(0, 2)]),
        "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol",
    ),
    "crossing entities": (
        lambda bot: bot.send_message(ANN, "abcdef", entities=[entity(0, 3), entity(2, 3, "italic")]),
        "entities cross each other",
    ),
    "unknown entity": (
        lambda bot: bot.send_message(ANN, "abc", entities=[entity(0, 1, "blink")]),
        "unsupported type blink",
    ),
    "too many entities": (
        lambda bot: bot.send_message(ANN, "x" * 200, entities=[entity(n, 1) for n in range(101)]),
        "can't parse entities",
    ),
    "button without data": (
        lambda bot: bot.send_message(ANN, "x", reply_markup=button("")),
        "can't parse inline keyboard button|BUTTON_DATA_INVALID",
    ),
    "button with much data": (
        lambda bot: bot.send_message(ANN, "x", reply_markup=button("ы" * 33)),
        "BUTTON_DATA_INVALID",
    ),
    "empty album": (lambda bot: bot.send_media_group(ANN, []), "there are no messages to send|required"),
    "album of one": (lambda bot: bot.send_media_group(ANN, documents(1)), "too few messages"),
    "album of eleven": (
        lambda bot: bot.send_media_group(ANN, documents(11)),
        "too many messages to send as an album",
    ),
    "mixed album": (
        lambda bot: bot.send_media_group(ANN, [*documents(1), InputMediaPhoto(media=photo(9, 9))]),
        "document can't be mixed with other media types",
    ),
    "long caption in an album": (
        lambda bot: bot.send_media_group(
            ANN, [*documents(1), InputMediaDocument(media=file(), caption="x" * 1025)]
        ),
        "message caption is too long",
    ),
    "empty file": (lambda bot: bot.send_document(ANN, file(b"")), "file must be non-empty"),
    "unknown file": (
        lambda bot: bot.send_document(ANN, "BQACnothing"),
        "wrong file_id or the file is temporarily unavailable",
    ),
    "huge photo": (
        lambda bot: bot.send_photo(ANN, file(png(9, 9) + bytes(10 * 1024 * 1024), "a.png")),
        r"file of size \d+ bytes is too big for a photo; the maximum size is 10485760 bytes",
    ),
    "wide photo": (lambda bot: bot.send_photo(ANN, photo(5001, 5000)), "PHOTO_INVALID_DIMENSIONS"),
    "narrow photo": (lambda bot: bot.send_photo(ANN, photo(2100, 100)), "PHOTO_INVALID_DIMENSIONS"),
    "narrow JPEG": (lambda bot: bot.send_photo(ANN, file(jpeg(100, 2100))), "PHOTO_INVALID_DIMENSIONS"),
    "a table as a photo": (lambda bot: bot.send_photo(ANN, file()), "IMAGE_PROCESS_FAILED"),
    "reply to nothing": (
        lambda bot: bot.send_message(ANN, "x", reply_parameters=ReplyParameters(message_id=9)),
        "message to be replied not found",
    ),
    "thread in a plain chat": (
        lambda bot: bot.send_message(ANN, "x", message_thread_id=5),
        "message thread not found",
    ),
    "edit of nothing": (
        lambda bot: bot.edit_message_text("x", chat_id=ANN, message_id=9),
        "message to edit not found",
    ),
    "edit without an id": (
        lambda bot: bot.edit_message_text("x", chat_id=ANN),
        "message identifier is not specified",
    ),
    "deletion of nothing": (lambda bot: bot.delete_message(ANN, 9), "message to delete not found"),
    "reaction to nothing": (
        lambda bot: bot.set_message_reaction(ANN, 9, [ReactionTypeEmoji(emoji="👀")]),
        "message to react not found",
    ),
    "unknown action": (
        lambda bot: bot.send_chat_action(ANN, "juggling"),
        "wrong parameter action in request",
    ),
    "answer to no press": (
        lambda bot: bot.answer_callback_query("1"),
        "query is too old and response timeout expired or query ID is invalid",
    ),
    "long answer to a press": (lambda bot: bot.answer_callback_query("1", "x" * 201), "MESSAGE_TOO_LONG"),
    "unknown file to fetch": (
        lambda bot: bot.get_file("BQACnothing"),
        "wrong file_id or the file is temporarily unavailable",
    ),
    "bad command": (
        lambda bot: bot.set_my_commands([BotCommand(command="No-No", description="x")]),
        "BOT_COMMAND_INVALID",
    ),
    "command without words": (
        lambda bot: bot.set_my_commands([BotCommand(command="no", description="x" * 257)]),
        "BOT_COMMAND_DESCRIPTION_INVALID",
    ),
    "commands of an unknown chat": (
        lambda bot: bot.set_my_commands([], scope=BotCommandScopeChat(chat_id=404)),
        "chat not found",
    ),
    "unknown language": (
        lambda bot: bot.set_my_commands([], language_code="english"),
        "invalid language code specified",
    ),
    "long name": (lambda bot: bot.set_my_name("x" * 65), "bot name is too long"),
    "two kinds of rich text": (
        lambda bot: bot.send_rich_message(ANN, InputRichMessage(html="x", markdown="x")),
        "exactly one of html, markdown and blocks",
    ),
    "wide rich table": (lambda bot: bot.send_rich_message(ANN, table(21)), "too many columns"),
    "long rich text": (
        lambda bot: bot.send_rich_message(ANN, InputRichMessage(markdown="ы" * 16_385)),
        "rich message is too long",
    ),
    "leaving a private chat": (
        lambda bot: bot.leave_chat(ANN),
        "chat member status can't be changed in private chats",
    ),
    "unencrypted webhook": (
        lambda bot: bot.set_webhook("http://example.com/"),
        "bad webhook: An HTTPS URL must be provided for webhook",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_the_request_is_refused_and_nothing_is_sent(
    server: BotApi, bot: Bot, chat: LiveChat, name: str
) -> None:
    act, words = REFUSED[name]
    with pytest.raises(TelegramBadRequest, match=f"Bad Request: .*(?:{words})"):
        await act(bot)
    assert chat.messages == []
    assert [call.code for call in server.refused()] == [400]


ACCEPTED: dict[str, Act] = {
    "longest text": lambda bot: bot.send_message(ANN, "x" * 4096),
    "longest text of wide letters": lambda bot: bot.send_message(ANN, "😀" * 2048),
    "longest parsed text": lambda bot: bot.send_message(ANN, f"<b>{'x' * 4096}</b>", parse_mode="HTML"),
    "longest caption": lambda bot: bot.send_document(ANN, file(), caption="x" * 1024),
    "nested entities": lambda bot: bot.send_message(
        ANN, "a😀bc", entities=[entity(0, 5), entity(1, 2, "italic"), entity(3, 2, "code")]
    ),
    "longest data of a button": lambda bot: bot.send_message(ANN, "x", reply_markup=button("ы" * 32)),
    "smallest album": lambda bot: bot.send_media_group(ANN, documents(2)),
    "largest album": lambda bot: bot.send_media_group(ANN, documents(10)),
    "widest photo": lambda bot: bot.send_photo(ANN, photo(5000, 5000)),
    "narrowest photo": lambda bot: bot.send_photo(ANN, photo(2000, 100)),
    "JPEG": lambda bot: bot.send_photo(ANN, file(jpeg(2000, 100))),
    "reply to nothing, if it may": lambda bot: bot.send_message(
        ANN, "x", reply_parameters=ReplyParameters(message_id=9, allow_sending_without_reply=True)
    ),
    "widest rich table": lambda bot: bot.send_rich_message(ANN, table(20)),
}


@pytest.mark.parametrize("name", ACCEPTED)
async def test_what_is_just_within_a_limit_is_sent(bot: Bot, chat: LiveChat, name: str) -> None:
    await ACCEPTED[name](bot)
    assert chat.answers


async def test_a_file_over_50_mb_is_too_large(bot: Bot, chat: LiveChat) -> None:
    with pytest.raises(TelegramEntityTooLarge):
        await bot.send_document(chat.id, file(bytes(50 * 1024 * 1024 + 1)), request_timeout=60)
    assert chat.messages == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"chat_id": "7", "text": "x", "colour": "red"}, 'unknown parameter "colour"'),
        ({"text": "x"}, "chat_id is empty"),
        ({"chat_id": "7", "text": "x", "entities": "{"}, "can't parse entities JSON object"),
        ({"chat_id": "7", "text": "x", "disable_notification": '"often"'}, "disable_notification"),
        ({"chat_id": "7", "text": "x", "reply_parameters": '{"message": 1}'}, 'unknown field "message"'),
    ],
)
async def test_fields_that_the_api_does_not_have_are_refused(
    server: BotApi, chat: LiveChat, fields: dict[str, str], words: str
) -> None:
    url = f"{server.url}/bot{server.token}/sendMessage"
    async with aiohttp.ClientSession() as session, session.post(url, data=fields) as answer:
        assert answer.status == 400
        assert words in (await answer.json())["description"]
    assert chat.messages == []


@pytest.mark.parametrize("body", [b'{"chat_id": 7, "text": "x"}', b"[7]", b"{"])
async def test_a_body_may_be_a_json_object(server: BotApi, chat: LiveChat, body: bytes) -> None:
    url, kind = f"{server.url}/bot{server.token}/SENDMESSAGE", {"Content-Type": "application/json"}
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=kind) as answer:
        right = body.endswith(b'"x"}')
        assert answer.status == (200 if right else 400)
    assert len(chat.answers) == right


async def test_fields_may_stand_in_the_address(server: BotApi, chat: LiveChat) -> None:
    url = f"{server.url}/bot{server.token}/sendMessage"
    fields = {"chat_id": "7", "text": "5"}
    async with aiohttp.ClientSession() as session, session.get(url, params=fields) as answer:
        assert answer.status == 200
    assert chat.answers[0].text == "5"
