"""What a person does on Telegram, as the rest of Deckhand hears of it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from aiogram.types import Update, User
from teremok import MockBot, MockCallbackQuery, MockMessageText

from bot.chat import ChatKind, Incoming, Joined, Left, MessageRef, Press, Sender
from bot.telegram.adapter import Telegram
from bot.telegram.receiving import dispatcher, read_update
from bot.telegram.translate import event_of
from bot.texts import Language
from tests.bot.telegram.conftest import Heard, png, ref
from tests.fakes.botapi import BotApi, LiveChat, Sent

ME = User(id=42, is_bot=True, first_name="Deckhand", username="deckhand_bot")
NOON = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp())
ANN: dict[str, Any] = {"id": 7, "is_bot": False, "first_name": "Ann", "language_code": "ru-RU"}
FILE = {"file_id": "f", "file_unique_id": "u", "file_name": "a.csv"}
GROUP: dict[str, Any] = {"id": -100500, "type": "supergroup", "title": "Sales"}


def heard_of(message: dict[str, Any], kind: str = "message", **chat: Any) -> Any:
    where = {"id": 7, "type": "private"} | chat
    whole: dict[str, Any] = {"message_id": 3, "date": NOON, "from": ANN, "chat": where}
    return event_of(Update.model_validate({"update_id": 9, kind: whole | message}), ME)


def in_group(message: dict[str, Any]) -> Any:
    return heard_of(message, **GROUP)


def mark(kind: str, offset: int, length: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length} | more


async def test_a_message_arrives_whole(server: BotApi, heard: Heard, chat: LiveChat) -> None:
    post = await chat.say("Make a deck")
    said = await heard.said_by()
    assert said.chat == ref(chat)
    assert said.sender == Sender(id="7", name="Ann", language=Language.RUSSIAN)
    assert (said.text, said.kind, said.language) == ("Make a deck", ChatKind.PRIVATE, None)
    assert said.message == MessageRef(ref(chat), str(post.id))
    assert said.event.startswith("42:")
    assert said.addressed
    assert (said.edited, said.forwarded, said.batch, said.attachments) == (False, False, "", ())
    assert said.reply_to is None


async def test_files_of_an_album_belong_together_and_bring_their_caption(
    heard: Heard, chat: LiveChat
) -> None:
    await chat.send([("a.csv", b"a", "text/csv"), ("б.xlsx", b"bb", "application/x")], "Compare them")
    first, second = await heard.said_by(1), await heard.said_by(2)
    assert first.batch == second.batch != ""
    assert (first.text, second.text) == ("Compare them", "")
    names = [(file.name, file.size, file.media_type) for said in heard.said for file in said.attachments]
    assert names == [("a.csv", 1, "text/csv"), ("б.xlsx", 2, "application/x")]


async def test_a_photo_comes_in_its_largest_size_with_a_name_of_its_own(heard: Heard, chat: LiveChat) -> None:
    await chat.send([Sent(name="x.png", data=png(800, 600), mime="image/png")], kind="photo")
    [photo] = (await heard.said_by()).attachments
    assert photo.name.startswith("photo-20")
    assert photo.name.endswith(".jpg")


@pytest.mark.parametrize("kind", ["voice", "sticker", "video", "video_note", "audio", "animation"])
async def test_what_we_cannot_use_still_has_a_name_to_refuse_it_by(
    heard: Heard, chat: LiveChat, kind: str
) -> None:
    await chat.send([Sent(name="", data=b"xx", mime="")], kind=kind)
    [file] = (await heard.said_by()).attachments
    assert file.name
    assert file.handle


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ({"document": {"mime_type": "text/csv"}}, ["file-2026-11-30-3.csv"]),
        ({"document": {}}, ["file-2026-11-30-3"]),
        ({"document": {"file_name": "../../x"}}, ["../../x"]),
        ({"document": {"mime_type": "video/mp4"}, "animation": {"width": 1, "height": 1, "duration": 1}},
         ["file-2026-11-30-3.mp4"]),
        ({"voice": {"duration": 1, "mime_type": "audio/ogg"}}, ["voice-2026-11-30-3.ogg"]),
        ({"audio": {"duration": 1, "mime_type": "audio/mpeg"}}, ["audio-2026-11-30-3.mp3"]),
        ({"video": {"duration": 1, "width": 1, "height": 1, "file_name": "trip.mov"}}, ["trip.mov"]),
        ({"video_note": {"duration": 1, "length": 1}}, ["video-2026-11-30-3.mp4"]),
        ({"sticker": {"type": "regular", "width": 1, "height": 1, "is_animated": True, "is_video": False}},
         ["sticker-2026-11-30-3"]),
        ({"sticker": {"type": "regular", "width": 1, "height": 1, "is_animated": False, "is_video": False}},
         ["sticker-2026-11-30-3"]),
    ],
)  # fmt: skip
def test_files_without_a_name_get_an_honest_one(content: dict[str, Any], names: list[str]) -> None:
    ids = {"file_id": "f", "file_unique_id": "u"}
    said = heard_of({kind: ids | facts for kind, facts in content.items()})
    assert [file.name for file in said.attachments] == names


async def test_an_edited_message_is_told_as_its_new_wording(heard: Heard, chat: LiveChat) -> None:
    post = await chat.say("Make a dekc")
    await chat.edit(post, "Make a deck")
    new = await heard.said_by(2)
    assert (new.text, new.edited) == ("Make a deck", True)
    assert new.message == heard.said[0].message
    assert new.event != heard.said[0].event


async def test_a_forwarded_file_is_a_file_like_any_other(
    server: BotApi, heard: Heard, chat: LiveChat
) -> None:
    elsewhere = server.private(server.person(8, "Bob"))
    [post] = await elsewhere.send([("a.csv", b"a", "text/csv")])
    await heard.said_by()
    await chat.forward(post)
    said = await heard.said_by(2)
    assert said.forwarded
    assert [file.name for file in said.attachments] == ["a.csv"]


async def test_a_start_link_brings_its_payload(heard: Heard, chat: LiveChat) -> None:
    await chat.say("/start 123-456")
    assert (await heard.said_by()).text == "/start 123-456"


@pytest.mark.parametrize(
    "content",
    [
        {"location": {"longitude": 1, "latitude": 2}},
        {"contact": {"phone_number": "1", "first_name": "Bob"}},
        {"dice": {"emoji": "🎲", "value": 6}},
    ],
)
def test_a_place_or_a_contact_is_something_said_without_words(content: dict[str, Any]) -> None:
    """So that the person hears what is missing instead of nothing."""
    said = heard_of(content)
    assert isinstance(said, Incoming)
    assert (said.text, said.attachments) == ("", ())


# Whom we hear


@pytest.mark.parametrize(
    ("message", "kind", "chat"),
    [
        ({"text": "hi", "from": ANN | {"is_bot": True}}, "message", {}),
        ({"text": "hi", "from": None}, "message", {}),
        ({"text": "@deckhand_bot hi", "sender_chat": GROUP}, "message", GROUP),
        ({"text": "hi", "via_bot": ANN | {"is_bot": True, "id": 9}}, "message", {}),
        ({"text": "hi"}, "message", {"type": "channel", "id": -1}),
        ({"text": "hi"}, "edited_message", {"type": "channel", "id": -1}),
        ({"text": "hi"}, "channel_post", {"type": "channel", "id": -1}),
        ({"text": "hi"}, "business_message", {}),
        ({"text": "hi"}, "guest_message", {}),
        ({"new_chat_members": [ANN]}, "message", GROUP),
        ({"new_chat_title": "Sales!"}, "message", GROUP),
        ({"pinned_message": {"message_id": 1, "date": 0, "chat": GROUP}}, "message", GROUP),
        ({"forum_topic_created": {"name": "x", "icon_color": 1}}, "message", GROUP),
        ({"migrate_from_chat_id": -5}, "message", GROUP),
        ({"web_app_data": {"data": "x", "button_text": "y"}}, "message", {}),
    ],
    ids=["bot", "nobody", "anonymous admin", "via a bot", "channel", "channel edited", "channel post",
         "business", "guest", "joined", "title", "pinned", "topic made", "came from a group", "web app"],
)  # fmt: skip
def test_78_only_people_who_speak_for_themselves_are_heard(
    message: dict[str, Any], kind: str, chat: dict[str, Any]
) -> None:
    assert heard_of(message, kind, **chat) is None


async def test_78_a_channel_s_posts_are_not_heard(server: BotApi, heard: Heard, chat: LiveChat) -> None:
    channel = server.channel("News", [server.person(7)])
    await channel.say("/start")
    await chat.say("hello")
    assert (await heard.said_by()).text == "hello"


# Groups


@pytest.mark.parametrize(
    ("text", "marks", "heard", "addressed"),
    [
        ("plot the sales", [], "plot the sales", False),
        ("@deckhand_bot plot", [mark("mention", 0, 13)], "plot", True),
        ("@Deckhand_Bot, plot", [mark("mention", 0, 13)], "plot", True),
        ("plot it, @deckhand_bot!", [mark("mention", 9, 13)], "plot it, !", True),
        ("😀 @deckhand_bot plot", [mark("mention", 3, 13)], "😀 plot", True),
        ("@deckhand_bot2 plot", [mark("mention", 0, 14)], "@deckhand_bot2 plot", False),
        ("see @deckhand_bot", [mark("code", 4, 13)], "see @deckhand_bot", False),
        ("x@deckhand_bot.example", [], "x@deckhand_bot.example", False),
        ("Deckhand plot", [mark("text_mention", 0, 8, user=ME.model_dump())], "plot", True),
        ("Ann plot", [mark("text_mention", 0, 3, user=ANN)], "Ann plot", False),
        ("/status", [mark("bot_command", 0, 7)], "/status", True),
        ("/status@deckhand_bot now", [mark("bot_command", 0, 20)], "/status now", True),
        ("/status@other_bot", [mark("bot_command", 0, 17)], "/status@other_bot", False),
        ("look at /etc", [mark("bot_command", 8, 4)], "look at /etc", False),
        ("@deckhand_bot /status", [mark("mention", 0, 13), mark("bot_command", 14, 7)], "/status", True),
    ],
)
def test_in_a_group_only_what_is_meant_for_us_is_addressed(
    text: str, marks: list[Any], heard: str, addressed: bool
) -> None:
    said = in_group({"text": text, "entities": marks})
    assert (said.text, said.addressed) == (heard, addressed)
    assert (said.kind, said.title) == (ChatKind.GROUP, "Sales")
    caption = in_group({"caption": text, "caption_entities": marks, "document": FILE})
    assert (caption.text, caption.addressed) == (heard, addressed)


async def test_in_a_group_a_mention_a_reply_and_a_command_are_answered(
    server: BotApi, heard: Heard, telegram: Telegram
) -> None:
    bob = server.person(8, "Bob")
    group = server.group("Sales", [bob])
    server.privacy = False
    await group.say("just talking")
    await group.say(f"@{server.bot.username} plot this")
    await group.say("/status")
    await group.say("/status@another_bot")
    heard_of_all = [(await heard.said_by(place)).addressed for place in (1, 2, 3, 4)]
    assert heard_of_all == [False, True, True, False]


def test_a_reply_to_our_answer_needs_no_mention() -> None:
    ours = {"message_id": 1, "date": NOON, "chat": GROUP, "text": "Done", "from": ME.model_dump()}
    said = in_group({"text": "and as a pie?", "reply_to_message": ours})
    assert said.addressed
    assert said.reply_to == "1"


def test_a_reply_to_somebody_s_file_that_calls_us_brings_the_file() -> None:
    theirs = {"message_id": 1, "date": NOON, "chat": GROUP, "from": ANN, "document": FILE}
    called = {"text": "@deckhand_bot plot", "entities": [mark("mention", 0, 13)]}
    assert [file.name for file in in_group(called | {"reply_to_message": theirs}).attachments] == ["a.csv"]
    assert in_group({"text": "nice", "reply_to_message": theirs}).attachments == ()
    ours = theirs | {"from": ME.model_dump()}
    assert in_group(called | {"reply_to_message": ours}).attachments == ()


def test_being_added_and_removed_is_told_and_changes_of_rights_are_not() -> None:
    def changed(before: str, now: str, **chat: Any) -> Any:
        """As a server may tell it that knows fewer rights of admins than we do, or more."""
        facts: dict[str, Any] = {"chat": GROUP | chat, "from": ANN, "date": NOON}
        for name, status in (("old_chat_member", before), ("new_chat_member", now)):
            facts[name] = {"status": status, "user": ME.model_dump(), "until_date": 0, "can_fly": True}
        update = read_update({"update_id": 1, "my_chat_member": facts}, MockBot())
        assert update is not None
        return event_of(update, ME)

    joined = changed("left", "member")
    assert isinstance(joined, Joined)
    assert (joined.sender.id, joined.title) == ("7", "Sales")
    assert isinstance(changed("left", "administrator"), Joined)
    assert isinstance(changed("member", "kicked"), Left)
    assert isinstance(changed("administrator", "left"), Left)
    assert isinstance(changed("member", "kicked", id=7, type="private"), Left)
    assert changed("kicked", "member", id=7, type="private") is None
    assert changed("member", "administrator") is None
    assert changed("left", "administrator", id=-9, type="channel") is None


async def test_a_person_who_blocks_us_has_left(heard: Heard, chat: LiveChat) -> None:
    await chat.block()
    left = await heard.until()
    assert isinstance(left, Left)
    assert left.chat == ref(chat)


# Topics


async def test_each_topic_is_a_conversation_of_its_own(server: BotApi, heard: Heard) -> None:
    forum = server.group("Sales", [server.person(8, "Bob")], forum=True, bot="administrator")
    north, south = await forum.topic("North"), await forum.topic("South")
    await forum.say("/status", topic=north)
    await forum.say("/status", topic=south)
    await forum.say("/status")
    chats = [(await heard.said_by(place)).chat for place in (1, 2, 3)]
    assert chats == [ref(forum, north.id), ref(forum, south.id), ref(forum)]
    assert [said.reply_to for said in heard.said] == [None, None, None], "a topic's beginning is no reply"


async def test_a_topic_that_we_opened_does_not_make_everything_in_it_meant_for_us() -> None:
    opening = {"message_id": 5, "date": NOON, "chat": GROUP, "from": ME.model_dump(), "message_thread_id": 5,
               "forum_topic_created": {"name": "x", "icon_color": 1}}  # fmt: skip
    inside = {"text": "hi", "reply_to_message": opening, "message_thread_id": 5, "is_topic_message": True}
    said = in_group(inside)
    assert not said.addressed
    assert said.chat.thread == "5"


def test_a_reply_in_a_group_without_topics_stays_in_the_group_s_conversation() -> None:
    theirs = {"message_id": 1, "date": NOON, "chat": GROUP, "text": "x", "from": ANN}
    said = in_group({"text": "/status", "message_thread_id": 1, "reply_to_message": theirs})
    assert said.chat.thread == ""


# Buttons


def test_a_press_tells_who_pressed_what_and_where() -> None:
    message = {"message_id": 8, "date": NOON, "chat": GROUP, "message_thread_id": 4, "is_topic_message": True}
    facts = {"id": "991", "from": ANN, "chat_instance": "1", "data": "cancel.x", "message": message}
    press = event_of(Update.model_validate({"update_id": 9, "callback_query": facts}), ME)
    assert isinstance(press, Press)
    assert (press.sender.id, press.data, press.handle, press.event) == ("7", "cancel.x", "991", "42:9")
    assert press.chat.key == "-100500/4"
    assert press.message == MessageRef(press.chat, "8")
    old = facts | {"message": message | {"date": 0}}
    assert isinstance(event_of(Update.model_validate({"update_id": 9, "callback_query": old}), ME), Press)
    inline = {name: fact for name, fact in facts.items() if name != "message"}
    assert event_of(Update.model_validate({"update_id": 9, "callback_query": inline}), ME) is None


# aiogram's own way


async def test_the_dispatcher_leads_messages_and_presses_to_the_same_ear() -> None:
    heard = Heard()
    bot = MockBot()
    bot.dp = dispatcher(Telegram(bot).hearing(heard, await bot.me()))
    assert (await bot.dispatch(MockMessageText("/status"))).handled
    assert (await bot.dispatch(MockCallbackQuery("cancel.x"))).handled
    assert heard.said[0].text == "/status"
    assert heard.presses[0].data == "cancel.x"


async def test_the_dispatcher_passes_a_failed_store_on() -> None:
    bot = MockBot()
    bot.dp = dispatcher(Telegram(bot).hearing(Heard(trouble=[OSError("disk full")]), await bot.me()))
    with pytest.raises(OSError, match="disk full"):
        await bot.dispatch(MockMessageText("hello"))


# Whom a reply is about, which is whom `/allow` lets in

BOB: dict[str, Any] = {"id": 8, "is_bot": False, "first_name": "Bob", "language_code": "en"}
EARLIER = {"message_id": 2, "date": NOON, "chat": {"id": 7, "type": "private"}, "text": "Hello"}


def origin(kind: str, **facts: Any) -> dict[str, Any]:
    return {"forward_origin": {"type": kind, "date": NOON} | facts}


@pytest.mark.parametrize(
    ("replied", "author"),
    [
        ({"from": BOB}, "8"),
        ({"from": ANN} | origin("user", sender_user=BOB), "8"),
        ({"from": ANN} | origin("hidden_user", sender_user_name="Bob"), None),
        ({"from": ANN} | origin("chat", sender_chat=GROUP), None),
        ({"from": ANN} | origin("user", sender_user=BOB | {"is_bot": True}), None),
        ({"from": {"id": 42, "is_bot": True, "first_name": "Deckhand"}}, None),
        ({"from": BOB, "sender_chat": GROUP}, None),
        ({"from": BOB, "forum_topic_created": {"name": "Numbers", "icon_color": 1}}, None),
    ],
)  # fmt: skip
def test_a_reply_is_about_who_wrote_the_words_and_nobody_where_telegram_hides_that(
    replied: dict[str, Any], author: str | None
) -> None:
    said = heard_of({"text": "/allow", "reply_to_message": EARLIER | replied})
    assert (said.reply_author.id if said.reply_author else None) == author


def test_a_reply_from_another_chat_is_about_who_wrote_there() -> None:
    elsewhere = {"external_reply": {"origin": {"type": "user", "date": NOON, "sender_user": BOB}}}
    assert heard_of({"text": "/allow"} | elsewhere).reply_author == Sender(
        id="8", name="Bob", language=Language.ENGLISH
    )
    assert heard_of({"text": "/allow"}).reply_author is None


async def test_a_reply_in_a_group_brings_its_author_along(server: BotApi, heard: Heard) -> None:
    ann, bob = server.person(7, "Ann"), server.person(8, "Bob")
    group = server.group("Sales", [ann, bob])
    words = await group.say("May I?", by=bob)
    await group.say("/allow", by=ann, reply_to=words)
    said = await heard.said_by(2)
    assert said.reply_author is not None
    assert said.reply_author.id == "8"


async def test_a_forwarded_message_tells_of_its_author(server: BotApi, heard: Heard, chat: LiveChat) -> None:
    bob = server.person(8, "Bob")
    words = await server.group("Sales", [bob]).say("May I?", by=bob)
    passed_on = await chat.forward(words)
    await chat.say("/allow", reply_to=passed_on)
    said = await heard.said_by(3)
    assert said.reply_author is not None
    assert said.reply_author.id == "8"
