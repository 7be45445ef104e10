"""What happens in chats, as aiogram's own bot meets it."""

import pytest
from aiogram import Bot
from aiogram.exceptions import (
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramRetryAfter,
)
from aiogram.types import (
    BotCommand,
    BotCommandScopeAllPrivateChats,
    InputRichBlockDocument,
    InputRichMessage,
    ReactionTypeEmoji,
    ReplyParameters,
)
from aiogram.types import (
    InputMediaDocument as RichDocument,
)

from tests.botapi.samples import button, documents, file, photo, table
from tests.fakes.botapi import BotApi, LiveChat, Person


async def test_html_becomes_text_with_entities(bot: Bot, chat: LiveChat) -> None:
    await bot.send_message(chat.id, "😀 <b>a&amp;<i>b</i></b> <code>c</code>", parse_mode="HTML")
    (post,) = chat.answers
    assert post.text == "😀 a&b c"
    assert [(e["type"], e["offset"], e["length"]) for e in post.entities] == [
        ("bold", 3, 3),
        ("italic", 5, 1),
        ("code", 7, 1),
    ]


async def test_an_edit_must_change_something(bot: Bot, chat: LiveChat) -> None:
    message = await bot.send_message(chat.id, "one", reply_markup=button("x"))
    with pytest.raises(TelegramBadRequest, match="Bad Request: message is not modified: specified new"):
        await message.edit_text("one ", reply_markup=button("x"))
    await message.edit_text("one")
    with pytest.raises(TelegramBadRequest, match="message is not modified"):
        await message.edit_reply_markup()
    with pytest.raises(TelegramBadRequest, match="MESSAGE_TOO_LONG"):
        await message.edit_text("x" * 4097)
    (post,) = chat.answers
    assert [len(version.buttons) for version in post.versions] == [1, 0]


async def test_only_the_bots_own_messages_are_edited(bot: Bot, chat: LiveChat) -> None:
    post = await chat.say("mine")
    with pytest.raises(TelegramBadRequest, match="Bad Request: message can't be edited"):
        await bot.edit_message_text("yours", chat_id=chat.id, message_id=post.id)


async def test_a_deleted_message_is_gone(bot: Bot, chat: LiveChat) -> None:
    message = await bot.send_message(chat.id, "one")
    await message.delete()
    with pytest.raises(TelegramBadRequest, match="message to edit not found"):
        await message.edit_text("two")
    assert chat.visible() == []


async def test_the_text_of_a_file_is_its_caption(bot: Bot, chat: LiveChat) -> None:
    message = await bot.send_document(chat.id, file(), caption="one")
    with pytest.raises(TelegramBadRequest, match="there is no text in the message to edit"):
        await message.edit_text("two")
    await message.edit_caption(caption="two")
    assert chat.answers[0].text == "two"


async def test_a_reaction_is_one_emoji_of_telegrams_list(server: BotApi, bot: Bot, chat: LiveChat) -> None:
    post = await chat.say("hello")
    with pytest.raises(TelegramBadRequest, match="REACTION_INVALID"):
        await bot.set_message_reaction(chat.id, post.id, [ReactionTypeEmoji(emoji="🧮")])
    with pytest.raises(TelegramBadRequest, match="REACTIONS_TOO_MANY"):
        await bot.set_message_reaction(chat.id, post.id, [ReactionTypeEmoji(emoji=e) for e in "👀👍"])
    await bot.set_message_reaction(chat.id, post.id, [ReactionTypeEmoji(emoji="👀")])
    assert [(reaction.post, reaction.emoji) for reaction in server.reactions] == [(post, "👀")]


async def test_a_blocked_bot_writes_to_nobody(bot: Bot, chat: LiveChat) -> None:
    await chat.block()
    with pytest.raises(TelegramForbiddenError, match="Forbidden: bot was blocked by the user"):
        await bot.send_message(chat.id, "hello")
    await chat.unblock()
    await bot.send_message(chat.id, "hello")
    statuses = [update.my_chat_member for update in await bot.get_updates()]
    assert [status.new_chat_member.status for status in statuses if status] == ["kicked", "member"]


async def test_a_bot_does_not_write_first(server: BotApi, bot: Bot) -> None:
    stranger = server.private(server.person(8), started=False)
    with pytest.raises(TelegramForbiddenError, match="bot can't initiate conversation with a user"):
        await bot.send_message(stranger.id, "hello")


async def test_a_bot_does_not_write_where_it_was_thrown_out_or_has_left(
    server: BotApi, bot: Bot, ann: Person
) -> None:
    group = server.group("Sales", [ann])
    await group.kick_bot()
    with pytest.raises(TelegramForbiddenError, match="bot was kicked from the supergroup chat"):
        await bot.send_message(group.id, "hello")
    await group.add_bot()
    await bot.leave_chat(group.id)
    with pytest.raises(TelegramForbiddenError, match="bot is not a member of the supergroup chat"):
        await bot.send_message(group.id, "hello")


async def test_a_group_that_became_a_supergroup_names_its_new_address(
    server: BotApi, bot: Bot, ann: Person
) -> None:
    old = server.group("Sales", [ann], basic=True)
    new = await old.migrate()
    with pytest.raises(TelegramMigrateToChat) as caught:
        await bot.send_message(old.id, "hello")
    assert caught.value.migrate_to_chat_id == new.id
    messages = [update.message for update in await bot.get_updates()]
    told = [(message.migrate_to_chat_id, message.migrate_from_chat_id) for message in messages if message]
    assert told == [(new.id, None), (None, old.id)]
    await bot.send_message(new.id, "hello")


async def test_a_group_may_forbid_files(server: BotApi, bot: Bot, ann: Person) -> None:
    group = server.group("Sales", [ann])
    group.restrict(documents=False, photos=False)
    with pytest.raises(TelegramBadRequest, match="not enough rights to send documents to the chat"):
        await bot.send_media_group(group.id, documents(2))
    with pytest.raises(TelegramBadRequest, match="not enough rights to send photos to the chat"):
        await bot.send_photo(group.id, photo(9, 9))
    await bot.send_message(group.id, "only words")
    group.restrict(text=False)
    with pytest.raises(TelegramBadRequest, match="not enough rights to send text messages to the chat"):
        await bot.send_message(group.id, "no words")


async def test_topics_are_written_to_by_their_id_and_only_while_open(
    server: BotApi, bot: Bot, ann: Person
) -> None:
    forum = server.group("Sales", [ann], forum=True)
    topic = await forum.topic("Decks")
    message = await bot.send_message(forum.id, "hello", message_thread_id=topic.id)
    assert (message.message_thread_id, message.is_topic_message) == (topic.id, True)
    with pytest.raises(TelegramBadRequest, match="message thread not found"):
        await bot.send_message(forum.id, "hello", message_thread_id=1)
    await forum.close_topic(topic)
    with pytest.raises(TelegramBadRequest, match="TOPIC_CLOSED"):
        await bot.send_message(forum.id, "hello", message_thread_id=topic.id)
    await forum.delete_topic(topic)
    with pytest.raises(TelegramBadRequest, match="message thread not found"):
        await bot.send_message(forum.id, "hello", message_thread_id=topic.id)
    await forum.close_topic()
    with pytest.raises(TelegramBadRequest, match="TOPIC_CLOSED"):
        await bot.send_message(forum.id, "hello")


async def test_a_reply_goes_to_the_topic_of_its_message(server: BotApi, bot: Bot, ann: Person) -> None:
    forum = server.group("Sales", [ann], forum=True)
    topic, other = await forum.topic("Decks"), await forum.topic("Data")
    post = await forum.say("hello", topic=topic)
    reply = ReplyParameters(message_id=post.id, allow_sending_without_reply=True)
    message = await bot.send_message(forum.id, "hi", reply_parameters=reply)
    assert message.message_thread_id == topic.id
    with pytest.raises(TelegramBadRequest, match="message to be replied not found"):
        await bot.send_message(forum.id, "hi", reply_parameters=reply, message_thread_id=other.id)


async def test_an_answer_to_a_press_may_come_too_late(bot: Bot, chat: LiveChat) -> None:
    await bot.send_message(chat.id, "hello", reply_markup=button("go.1"))
    press = await chat.press(chat.answers[0], "Go")
    (update,) = await bot.get_updates()
    assert update.callback_query is not None
    assert update.callback_query.data == "go.1"
    await update.callback_query.answer("Going")
    assert await press.answered() == "Going"
    press.expired = True
    with pytest.raises(TelegramBadRequest, match="query is too old"):
        await update.callback_query.answer()


async def test_commands_are_kept_by_scope_and_language(server: BotApi, bot: Bot) -> None:
    scope = BotCommandScopeAllPrivateChats()
    await bot.set_my_commands(
        [BotCommand(command="new", description="Новое")], scope=scope, language_code="ru"
    )
    (command,) = await bot.get_my_commands(scope=scope, language_code="ru")
    assert (command.command, command.description) == ("new", "Новое")
    assert await bot.get_my_commands(scope=scope) == []
    assert list(server.commands) == [("all_private_chats", "ru")]
    await bot.delete_my_commands(scope=scope, language_code="ru")
    assert server.commands == {}


async def test_a_rich_message_keeps_its_files_and_may_replace_a_plain_one(bot: Bot, chat: LiveChat) -> None:
    block = InputRichBlockDocument(document=RichDocument(media=file(b"12", "a.csv")))
    rich = InputRichMessage(blocks=[*(table(2).blocks or []), block])
    message = await bot.send_message(chat.id, "one")
    await bot.edit_message_text(chat_id=chat.id, message_id=message.message_id, rich_message=rich)
    (post,) = chat.answers
    assert post.text == "x x"
    assert post.rich is not None
    await bot.send_rich_message(chat.id, rich)
    assert [document.data for document in chat.documents] == [b"12"]


async def test_haste_is_counted_and_refused_only_on_demand(server: BotApi, bot: Bot, chat: LiveChat) -> None:
    message = await bot.send_message(chat.id, "0")
    for frame in range(1, 5):
        await message.edit_text(str(frame))
    assert server.over_pace(2.0) == 4
    assert server.over_pace(0.0) == 0
    assert server.pace.busiest(60.0, chat=chat.id) == 5
    server.pace.enforce = True
    with pytest.raises(TelegramRetryAfter) as caught:
        await message.edit_text("5")
    assert 1 <= caught.value.retry_after <= 5
