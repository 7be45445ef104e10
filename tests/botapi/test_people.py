"""What people do, as the bot is told of it and as a test sees it."""

import pytest
from aiogram import Bot
from aiogram.exceptions import (
    TelegramBadRequest,
)
from aiogram.types import (
    InaccessibleMessage,
)

from tests.botapi.samples import button
from tests.fakes.botapi import BotApi, LiveChat, Person


async def test_people_speak_and_the_bot_is_told_as_telegram_tells_it(
    server: BotApi, bot: Bot, ann: Person
) -> None:
    forum = server.group("Sales", [ann], forum=True)
    topic = await forum.topic("Decks")
    first = await forum.say(f"@{server.bot.username} 😀 /deck@{server.bot.username}", topic=topic)
    album = await forum.send([("a.csv", b"1", "text/csv"), ("b.csv", b"2", "text/csv")], "both", topic=topic)
    await forum.edit(first, "never mind")
    updates = [update.message for update in await bot.get_updates() if update.message is not None]
    opened, said, one, two = updates
    assert opened.forum_topic_created is not None
    assert [(e.type, e.offset, e.length) for e in said.entities or []] == [
        ("bot_command", 17, 18),
        ("mention", 0, 13),
    ]
    assert said.reply_to_message is not None
    assert said.reply_to_message.message_id == topic.id
    assert (one.media_group_id, one.caption, two.caption) == (album[1].album, "both", None)
    assert two.media_group_id == one.media_group_id


async def test_a_person_sees_each_version_of_a_message(bot: Bot, chat: LiveChat) -> None:
    message = await bot.send_message(chat.id, "one", disable_notification=True)
    await message.edit_text("two")
    post = await chat.answer("two", 5)
    assert [version.text for version in post.versions] == ["one", "two"]
    assert post.silent
    assert post.versions[0].at <= post.versions[1].at


async def test_waiting_in_vain_ends_with_the_chats_transcript(chat: LiveChat) -> None:
    await chat.say("anybody there?")
    with pytest.raises(AssertionError, match=r"not within 0\.05 s:\n\d+ Ann: anybody there\?"):
        await chat.until(lambda chat: chat.answers, 0.05)


async def test_a_reply_in_a_plain_supergroup_has_a_thread_that_is_no_topic(
    server: BotApi, bot: Bot, ann: Person
) -> None:
    group = server.group("Sales", [ann])
    first = await group.say("one")
    await group.say("two", reply_to=first)
    reply = (await bot.get_updates())[-1].message
    assert reply is not None
    assert (reply.message_thread_id, reply.is_topic_message) == (first.id, None)
    with pytest.raises(TelegramBadRequest, match="message thread not found"):
        await bot.send_message(group.id, "hello", message_thread_id=first.id)


async def test_in_privacy_mode_the_bot_reads_only_what_is_meant_for_it(
    server: BotApi, bot: Bot, ann: Person
) -> None:
    server.privacy = True
    group = server.group("Sales", [ann])
    await group.say("what a day")
    await group.say("/status")
    await group.say(f"@{server.bot.username} hello")
    await bot.send_message(group.id, "hello")
    await group.say("thanks", reply_to=group.answers[0])
    told = [update.message.text for update in await bot.get_updates() if update.message]
    assert told == ["/status", "@deckhand_bot hello", "thanks"]


async def test_anybody_can_send_the_data_of_no_button(bot: Bot, chat: LiveChat) -> None:
    await bot.send_message(chat.id, "hello")
    with pytest.raises(AssertionError, match="no button"):
        await chat.press(chat.answers[0], "forged")
    await chat.press(chat.answers[0], "forged", anyway=True)
    (update,) = await bot.get_updates()
    assert update.callback_query is not None
    assert update.callback_query.data == "forged"


async def test_a_press_on_a_deleted_message_comes_without_its_text(bot: Bot, chat: LiveChat) -> None:
    message = await bot.send_message(chat.id, "hello", reply_markup=button("go"))
    await message.delete()
    await chat.press(chat.messages[0], "Go")
    (update,) = await bot.get_updates()
    assert update.callback_query is not None
    assert isinstance(update.callback_query.message, InaccessibleMessage)


async def test_forwarded_anonymous_and_channel_messages_say_where_they_are_from(
    server: BotApi, bot: Bot, ann: Person
) -> None:
    group, channel = server.group("Sales", [ann]), server.channel("News", [ann])
    news = await channel.say("news")
    await group.forward(news)
    await group.say("hello", anonymous=True)
    post, forwarded, anonymous = await bot.get_updates()
    assert post.channel_post is not None
    assert post.channel_post.sender_chat is not None
    assert forwarded.message is not None
    assert forwarded.message.forward_origin is not None
    assert forwarded.message.forward_origin.type == "channel"
    assert anonymous.message is not None
    assert anonymous.message.sender_chat is not None
    assert anonymous.message.sender_chat.id == group.id


async def test_the_bot_may_ask_who_is_in_a_chat(server: BotApi, bot: Bot, ann: Person) -> None:
    group = server.group("Sales", [ann], bot="administrator")
    group.admins.add(ann.id)
    assert (await bot.get_chat(group.id)).title == "Sales"
    assert (await bot.get_chat_member(group.id, ann.id)).status == "administrator"
    assert (await bot.get_chat_member(group.id, server.bot.id)).status == "administrator"
    assert await bot.get_chat_member_count(group.id) == 2
    assert [member.user.id for member in await bot.get_chat_administrators(group.id)] == [ann.id]


async def test_a_long_text_is_cut_as_a_client_cuts_it(bot: Bot, chat: LiveChat) -> None:
    await chat.paste("x" * 4095 + "😀" + "y")
    updates = await bot.get_updates()
    assert [update.message and update.message.text for update in updates] == ["x" * 4095, "😀y"]


async def test_a_channels_posts_are_the_channels_own(server: BotApi, bot: Bot, ann: Person) -> None:
    channel = server.channel("News", [ann])
    message = await bot.send_message(channel.id, "news")
    assert message.from_user is None
    await message.edit_text("old news")
    assert [post.text for post in channel.answers] == ["old news"]
