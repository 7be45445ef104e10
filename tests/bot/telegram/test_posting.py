"""What people see in the chat, and what becomes of a message when Telegram or the network fails."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiogram import Bot
from aiogram.methods import AnswerCallbackQuery
from teremok import MockBot

from bot.chat import Button, ChatRef, Message, MessageKind, MessageRef, Moved, Pace, Press, Sender
from bot.errors import (
    ChatBusy,
    ChatError,
    ChatGone,
    ChatRefused,
    ChatUncertain,
    ChatUnreachable,
    MessageGone,
)
from bot.telegram.adapter import Telegram, open_telegram
from bot.telegram.faults import UNTOLD
from bot.telegram.session import open_bot
from tests.bot.telegram.conftest import Heard, ref, serving
from tests.fakes.botapi import (
    SERVER_ERROR,
    BotApi,
    Cut,
    Fault,
    Flood,
    Hang,
    HtmlPage,
    LiveChat,
    Moment,
    Refusal,
)

HERE = ChatRef("telegram", "7")
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


def answer(text: str, **more: object) -> Message:
    return Message(text=text, kind=MessageKind.ANSWER, **more)  # type: ignore[arg-type]  # any field of it


@pytest.mark.parametrize("kind", MessageKind)
async def test_only_what_a_person_waits_for_makes_a_sound(
    telegram: Telegram, chat: LiveChat, kind: MessageKind
) -> None:
    await telegram.post(ref(chat), Message(text="Hello", kind=kind))
    quiet = kind in (MessageKind.PROGRESS, MessageKind.SETTLED, MessageKind.NOTICE)
    assert chat.answers[0].silent is quiet


async def test_further_pages_make_no_sound(telegram: Telegram, chat: LiveChat) -> None:
    long = answer("word " * 1500, page=1)
    await telegram.post(ref(chat), long)
    assert chat.answers[0].silent


async def test_a_progress_message_has_its_clock_below_and_is_edited_in_place(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    frame = Message(text="1. Look", footer="0:05", kind=MessageKind.PROGRESS)
    posted = await telegram.post(ref(chat), frame)
    assert chat.answers[0].text == "1. Look\n\n0:05"
    await telegram.edit(posted, Message(text="1. Look ✓", footer="0:10", kind=MessageKind.PROGRESS))
    assert [post.text for post in chat.answers] == ["1. Look ✓\n\n0:10"]
    assert not server.refused()


async def test_an_edit_that_changes_nothing_is_a_success(telegram: Telegram, chat: LiveChat) -> None:
    posted = await telegram.post(ref(chat), Message(text="Hello"))
    await telegram.edit(posted, Message(text="Hello"))
    assert chat.answers[0].edits == 0


async def test_67_links_are_never_previewed(telegram: Telegram, chat: LiveChat, server: BotApi) -> None:
    posted = await telegram.post(ref(chat), answer("https://example.com/?data=secret"))
    await telegram.edit(posted, answer("https://example.com/?data=more"))
    await telegram.edit(posted, answer("https://example.com/?data=rich", rich=True))
    sent = server.called("sendMessage") + server.called("editMessageText")
    assert len(sent) == 3
    assert all(call.params["link_preview_options"] == {"is_disabled": True} for call in sent)
    assert not any("parse_mode" in call.params for call in server.calls)


async def test_an_answer_is_a_reply_to_the_request(telegram: Telegram, chat: LiveChat) -> None:
    request = await chat.say("plot")
    await telegram.post(ref(chat), answer("Done"), reply_to=MessageRef(ref(chat), str(request.id)))
    assert chat.answers[0].reply_to == request.id


async def test_an_answer_comes_although_the_request_was_deleted(telegram: Telegram, chat: LiveChat) -> None:
    request = await chat.say("plot")
    await chat.delete(request)
    await telegram.post(ref(chat), answer("Done"), reply_to=MessageRef(ref(chat), str(request.id)))
    assert chat.answers[0].reply_to is None


async def test_buttons_come_and_go_with_the_last_edit(telegram: Telegram, chat: LiveChat) -> None:
    rows = ((Button("Cancel", "cancel.x"),), (Button("A", "a"), Button("B", "b")))
    posted = await telegram.post(ref(chat), Message(text="Working", buttons=rows))
    assert [button.text for button in chat.answers[0].buttons] == ["Cancel", "A", "B"]
    await telegram.edit(posted, Message(text="Done"))
    assert not chat.answers[0].buttons


async def test_an_answer_stays_in_its_topic(telegram: Telegram, server: BotApi) -> None:
    forum = server.group("Sales", [server.person(8)], forum=True, bot="administrator")
    await forum.say("Welcome")
    north = await forum.topic("North")
    await telegram.post(ref(forum, north.id), answer("cold"))
    await telegram.post(ref(forum), answer("general"))
    await telegram.post(ref(forum, "1"), answer("general, too"))
    assert [post.topic.name if post.topic else "" for post in forum.answers] == ["North", "", ""]
    assert not server.refused()


async def test_an_answer_for_a_deleted_topic_goes_nowhere_else(telegram: Telegram, server: BotApi) -> None:
    forum = server.group("Sales", [server.person(8)], forum=True, bot="administrator")
    await forum.say("Welcome")
    north = await forum.topic("North")
    await forum.delete_topic(north)
    with pytest.raises(ChatGone):
        await telegram.post(ref(forum, north.id), answer("cold"))
    assert not forum.answers


async def test_a_long_answer_comes_whole_in_several_messages(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    text = "\n\n".join(f"**{number}** " + "😀 word " * 40 for number in range(40))
    count = telegram.pages(answer(text))
    assert count > 1
    for page in range(count):
        await telegram.post(ref(chat), answer(text, page=page))
    whole = "".join(post.text for post in chat.answers)
    assert whole.count("😀") == 40 * 40
    assert all(f"{number} " in whole for number in range(40))
    assert not server.refused()


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "<b></b>", "\N{WORD JOINER}", "---", "```\n```"])
@pytest.mark.parametrize("kind", [MessageKind.ANSWER, MessageKind.PROGRESS, MessageKind.NOTICE])
async def test_a_message_of_nothing_is_still_a_message(
    telegram: Telegram, chat: LiveChat, text: str, kind: MessageKind
) -> None:
    await telegram.post(ref(chat), Message(text=text, kind=kind))
    assert chat.answers[0].text.strip()


async def test_69_marks_that_telegram_cannot_read_cost_only_the_marks(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    server.faults.add("sendMessage", Refusal(400, "Bad Request: can't parse entities: unexpected end"))
    await telegram.post(ref(chat), answer("**42** it is"))
    assert (chat.answers[0].text, chat.answers[0].entities) == ("42 it is", [])
    assert len(server.called("sendMessage")) == 2


async def test_69_a_flood_is_not_mistaken_for_bad_marks(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    server.faults.add("sendMessage", Flood(30))
    with pytest.raises(ChatBusy):
        await telegram.post(ref(chat), answer("**42** it is"))
    assert len(server.called("sendMessage")) == 1


# Rich messages


async def test_a_chat_that_asked_for_it_gets_rich_answers(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    posted = await telegram.post(ref(chat), Message(text="Done", kind=MessageKind.HEADLINE, rich=True))
    await telegram.edit(posted, answer(f"# Sales\n\n{TABLE}", rich=True))
    assert chat.answers[0].rich
    await telegram.post(ref(chat), answer(TABLE, rich=True))
    assert chat.answers[1].rich
    assert not server.refused()


async def test_an_old_server_gets_classic_answers_and_is_asked_once(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    server.missing.add("sendRichMessage")
    for _ in range(3):
        await telegram.post(ref(chat), answer(TABLE, rich=True))
    assert [post.rich for post in chat.answers] == [None] * 3
    assert "a | b" in chat.answers[0].text
    assert len(server.called("sendRichMessage")) == 1


async def test_a_rich_answer_that_is_refused_comes_in_its_classic_form(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    server.faults.add("sendRichMessage", Refusal(400, "Bad Request: RICH_MESSAGE_INVALID"))
    await telegram.post(ref(chat), answer(TABLE, rich=True))
    await telegram.post(ref(chat), answer(TABLE, rich=True))
    assert [bool(post.rich) for post in chat.answers] == [False, True]


async def test_a_rich_answer_that_may_have_arrived_is_not_sent_again(
    telegram: Telegram, chat: LiveChat, server: BotApi
) -> None:
    server.faults.add("sendRichMessage", Cut(Moment.BEFORE_ANSWER, applied=True))
    with pytest.raises(ChatUncertain):
        await telegram.post(ref(chat), answer(TABLE, rich=True))
    assert len(chat.answers) == 1


# Faults


Deed = Callable[[Telegram, ChatRef], Awaitable[object]]


async def _post(telegram: Telegram, chat: ChatRef) -> object:
    return await telegram.post(chat, Message(text="new"))


async def _edit(telegram: Telegram, chat: ChatRef) -> object:
    return await telegram.edit(MessageRef(chat, "1"), Message(text="changed"))


@asynccontextmanager
async def impatient(server: BotApi) -> AsyncGenerator[Telegram]:
    """One whose calls hang for no longer than a second."""
    async with open_bot(server.token, api_url=server.url) as bot:
        yield Telegram(_Hasty(bot))  # type: ignore[arg-type]  # a bot in all that is used


class _Hasty:
    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def __call__(self, method: object, request_timeout: int = 0) -> object:
        return await self._bot(method, request_timeout=1)  # type: ignore[arg-type]  # whatever the adapter calls


@pytest.mark.parametrize(
    ("fault", "error", "arrives"),
    [
        (Flood(35), ChatBusy, 0),
        (SERVER_ERROR, ChatUnreachable, 0),
        (Refusal(502, "Bad Gateway"), ChatUnreachable, 0),
        (HtmlPage(502), ChatUnreachable, 0),
        (Refusal(500, "Internal Server Error: restart"), ChatUncertain, 0),
        (Refusal(429, "Too Many Requests: try later"), ChatBusy, 0),
        (Refusal(401, "Unauthorized"), ChatUnreachable, 0),
        (Cut(Moment.IN_REQUEST), ChatUncertain, 0),
        (Cut(Moment.BEFORE_ANSWER), ChatUncertain, 0),
        (Cut(Moment.BEFORE_ANSWER, applied=True), ChatUncertain, 1),
        (Cut(Moment.IN_ANSWER, applied=True), ChatUncertain, 1),
        (Hang(), ChatUncertain, 0),
        (Hang(applied=True), ChatUncertain, 1),
        (Refusal(403, "Forbidden: bot was blocked by the user"), ChatGone, 0),
        (Refusal(403, "Forbidden: bot was kicked from the supergroup chat"), ChatGone, 0),
        (Refusal(403, "Forbidden: user is deactivated"), ChatGone, 0),
        (Refusal(400, "Bad Request: chat not found"), ChatGone, 0),
        (Refusal(400, "Bad Request: message thread not found"), ChatGone, 0),
        (Refusal(400, "Bad Request: TOPIC_CLOSED"), ChatRefused, 0),
        (Refusal(400, "Bad Request: not enough rights to send text messages to the chat"), ChatRefused, 0),
        (Refusal(400, "Bad Request: something new"), ChatRefused, 0),
        (Refusal(418, "I'm a teapot"), ChatRefused, 0),
    ],
    ids=str,
)  # fmt: skip
async def test_each_failure_of_a_new_message_says_whether_it_may_be_repeated(
    server: BotApi, chat: LiveChat, fault: Fault, error: type[ChatError], arrives: int
) -> None:
    server.faults.add("sendMessage", fault)
    async with impatient(server) as telegram:
        with pytest.raises(error) as told:
            await _post(telegram, HERE)
    assert type(told.value) is error
    assert len(chat.answers) == arrives
    assert len(server.called("sendMessage")) == 1, "the adapter itself repeats nothing"
    if isinstance(told.value, ChatBusy):
        assert told.value.seconds == (35 if isinstance(fault, Flood) else UNTOLD)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Refusal(400, "Bad Request: message to edit not found"), MessageGone),
        (Refusal(400, "Bad Request: message can't be edited"), MessageGone),
        (Refusal(400, "Bad Request: MESSAGE_ID_INVALID"), MessageGone),
        (Flood(3), ChatBusy),
        (HtmlPage(502), ChatUnreachable),
        (Hang(), ChatUncertain),
    ],
    ids=str,
)
async def test_each_failure_of_an_edit_says_whether_there_is_something_left_to_edit(
    server: BotApi, telegram: Telegram, chat: LiveChat, fault: Fault, error: type[ChatError]
) -> None:
    posted = await telegram.post(ref(chat), Message(text="Hello"))
    server.faults.add("editMessageText", fault)
    async with impatient(server) as hasty:
        with pytest.raises(error):
            await hasty.edit(posted, Message(text="changed"))
    assert [post.text for post in chat.answers] == ["Hello"]


async def test_a_deleted_progress_message_is_gone(telegram: Telegram, chat: LiveChat) -> None:
    posted = await telegram.post(ref(chat), Message(text="Working", kind=MessageKind.PROGRESS))
    await chat.delete(chat.answers[0])
    with pytest.raises(MessageGone):
        await telegram.edit(posted, Message(text="Done"))
    assert not chat.answers


@pytest.mark.parametrize("deed", [_post, _edit])
async def test_a_server_that_refuses_connections_has_done_nothing(server: BotApi, deed: Deed) -> None:
    await server.down()
    async with open_telegram(server.token, api_url=server.url) as telegram:
        with pytest.raises(ChatUnreachable):
            await deed(telegram, HERE)


async def test_a_server_without_an_address_has_done_nothing() -> None:
    async with open_telegram("42:" + "A" * 35, api_url="http://nowhere.invalid") as telegram:
        with pytest.raises(ChatUnreachable):
            await _post(telegram, HERE)


@pytest.mark.parametrize("reads", [False, True])
async def test_a_server_that_hangs_up_without_an_answer_may_have_done_it(reads: bool) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if reads:
            await reader.readuntil(b"\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, open_telegram("42:" + "A" * 35, api_url=address) as telegram:
        with pytest.raises(ChatUncertain):
            await _post(telegram, HERE)


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, '{"ok": true, "result": {"message_id": "new kind of id"}}', ChatUncertain),
        (200, '{"ok": tr', ChatUncertain),
        (200, "", ChatUncertain),
        (504, "<html><h1>504 Gateway Time-out</h1></html>", ChatUncertain),
        (502, "<html><h1>502 Bad Gateway</h1></html>", ChatUnreachable),
        (413, "<html><h1>413 Request Entity Too Large</h1></html>", ChatRefused),
        (200, "\udcff", ChatUncertain),
        (502, "<html><h1>502 Bad Gateway</h1>\udcff</html>", ChatUnreachable),
    ],
)
async def test_an_answer_that_cannot_be_read_is_no_reason_to_send_twice(
    status: int, body: str, error: type[ChatError]
) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write((head + body).encode("utf-8", "surrogateescape"))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, open_telegram("42:" + "A" * 35, api_url=address) as telegram:
        with pytest.raises(error):
            await _post(telegram, HERE)


async def test_the_reason_of_a_refusal_is_a_sentence(server: BotApi, telegram: Telegram) -> None:
    forum = server.group("Sales", [server.person(8)], forum=True)
    await forum.say("Welcome")
    topic = await forum.topic("North")
    await forum.close_topic(topic)
    with pytest.raises(ChatRefused, match="telegram-topic-closed"):
        await telegram.post(ref(forum, topic.id), answer("x"))
    group = server.group("Sales", [server.person(8)])
    group.restrict(text=False)
    with pytest.raises(ChatRefused, match="telegram-no-rights"):
        await telegram.post(ref(group), answer("x"))


@pytest.mark.parametrize(
    "fault", [Hang(), Cut(), HtmlPage(), SERVER_ERROR, Refusal(404, "Not Found")], ids=str
)
async def test_79_the_token_is_in_no_error(server: BotApi, chat: LiveChat, fault: Fault) -> None:
    secret = server.token.partition(":")[2]
    server.faults.add("*", fault, times=None)
    async with impatient(server) as telegram:
        with pytest.raises(ChatError) as told:
            await _post(telegram, HERE)
    error: BaseException | None = told.value
    while error is not None:
        assert secret not in f"{error!r} {error} {vars(error)}"
        assert not error.__traceback__ or "aiogram" not in type(error).__module__
        error = error.__cause__ or error.__context__
    assert secret not in repr(telegram)


# Groups that move


async def test_an_answer_follows_a_group_that_became_a_supergroup(server: BotApi, telegram: Telegram) -> None:
    group = server.group("Sales", [server.person(8, "Bob")], basic=True)
    request = await group.say("/status")
    working = await telegram.post(ref(group), Message(text="Working"))
    server.updates.pending.clear()
    new = await group.migrate()
    server.updates.pending.clear()
    asked = MessageRef(ref(group), str(request.id))
    sent = await telegram.post(ref(group), answer("Done"), reply_to=asked)
    assert sent.chat == ref(new)
    assert [post.text for post in new.answers] == ["Done"]
    await telegram.post(ref(group), answer("And more"))
    assert [post.text for post in new.answers] == ["Done", "And more"]
    with pytest.raises(MessageGone):
        await telegram.edit(working, Message(text="Done"))
    heard = Heard()
    async with serving(telegram, heard):
        await new.say("/status")
        moved = await heard.until(2)
    assert isinstance(heard.events[0], Moved)
    assert (heard.events[0].chat, heard.events[0].to) == (ref(group), ref(new))
    assert moved is heard.said[0]


async def test_an_edit_in_a_group_that_has_moved_touches_no_other_message(
    server: BotApi, telegram: Telegram
) -> None:
    group = server.group("Sales", [server.person(8, "Bob")], basic=True)
    working = await telegram.post(ref(group), Message(text="Working"))
    await group.migrate()
    with pytest.raises(MessageGone):
        await telegram.edit(working, Message(text="Done"))


# What is nice to have


async def test_a_message_is_marked_as_seen(server: BotApi, telegram: Telegram, chat: LiveChat) -> None:
    post = await chat.say("plot")
    await telegram.react(MessageRef(ref(chat), str(post.id)))
    assert [(found.post.id, found.emoji) for found in server.reactions] == [(post.id, "👀")]


@pytest.mark.parametrize(
    "fault", [Flood(3), HtmlPage(), Refusal(400, "Bad Request: REACTION_INVALID")], ids=str
)
async def test_a_mark_that_cannot_be_set_disturbs_nobody(
    server: BotApi, telegram: Telegram, chat: LiveChat, fault: Fault
) -> None:
    post = await chat.say("plot")
    server.faults.add("setMessageReaction", fault)
    await telegram.react(MessageRef(ref(chat), str(post.id)))


async def test_a_press_is_answered_for_the_one_who_pressed(
    server: BotApi, telegram: Telegram, heard: Heard, chat: LiveChat
) -> None:
    buttons = ((Button("Cancel", "cancel.x"),),)
    await telegram.post(ref(chat), Message(text="Working", buttons=buttons))
    press = await chat.press(chat.answers[0], "Cancel")
    await heard.until()
    await telegram.toast(heard.presses[0], "Stopping… " * 40)
    assert await press.answered() == ("Stopping… " * 40)[:200]
    late = await chat.press(chat.answers[0], "Cancel")
    late.expired = True
    await heard.until(2)
    await telegram.toast(heard.presses[1], "Stopping…")
    assert not late.answers


async def test_a_toast_keeps_to_telegram_s_limit() -> None:
    bot = MockBot()
    press = Press(chat=HERE, sender=Sender(id="7"), data="x", handle="1")
    await Telegram(bot).toast(press, "x" * 500)
    [sent] = bot.requests.answer_callback_query
    assert isinstance(sent, AnswerCallbackQuery)
    assert len(sent.text or "") == 200


async def test_we_leave_a_group_and_it_is_fine_to_be_gone_already(server: BotApi, telegram: Telegram) -> None:
    group = server.group("Sales", [server.person(8)])
    await telegram.leave(ref(group))
    assert group.bot_status == "left"
    await telegram.leave(ref(group))


def test_groups_are_edited_less_often_than_private_chats() -> None:
    telegram = Telegram(MockBot())
    assert telegram.pace(HERE) == Pace(gap=2.5, heartbeat=17.0)
    assert telegram.pace(ChatRef("telegram", "-1001")) == Pace(gap=5.5, heartbeat=17.0)


async def test_messages_keep_to_the_rules_that_teremok_knows() -> None:
    bot = MockBot()
    telegram = Telegram(bot)
    sent = await telegram.post(HERE, answer("**bold** " * 2000))
    await telegram.edit(sent, answer("<b>not html</b>"))
    assert len(bot.requests.send_message) == len(bot.requests.edit_message_text) == 1
