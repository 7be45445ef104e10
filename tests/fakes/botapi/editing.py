"""The methods about a message that is there: edits, deletions, reactions, answers to presses."""

import time
from typing import Any

from aiogram.enums import ChatAction
from aiogram.methods import (
    AnswerCallbackQuery,
    DeleteMessage,
    DeleteMessages,
    EditMessageCaption,
    EditMessageReplyMarkup,
    EditMessageText,
    SendChatAction,
    SetMessageReaction,
)

from tests.fakes.botapi.acting import LiveChat
from tests.fakes.botapi.errors import refuse
from tests.fakes.botapi.limits import ANSWER, caption_of, markup_of, text_of
from tests.fakes.botapi.markup import units
from tests.fakes.botapi.messages import Post, Version
from tests.fakes.botapi.rich import rich_of
from tests.fakes.botapi.sending import keep, reachable, topic_of
from tests.fakes.botapi.world import Reaction, World

REACTIONS = (
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 "
    "🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 "
    "🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
)
"""The emoji that a bot may react with."""
GENERAL = 1
"""The thread of General, for chat actions only."""

Edit = EditMessageText | EditMessageCaption | EditMessageReplyMarkup


def edit_message_text(world: World, call: EditMessageText) -> Any:
    post = _own(world, call)
    if call.rich_message is not None:
        if call.text is not None:
            refuse("text and rich_message can't be used together")
        rich = rich_of(call.rich_message, lambda upload, kind: keep(world, upload, kind))
        return _edited(world, post, Version(rich.text, [], markup_of(call.reply_markup), rich.content, 0.0))
    text, entities = text_of(call.text, call.parse_mode, call.entities, edit=True)
    if post.files and post.rich is None:
        refuse("there is no text in the message to edit")
    return _edited(world, post, Version(text, entities, markup_of(call.reply_markup), None, 0.0))


def edit_message_caption(world: World, call: EditMessageCaption) -> Any:
    post = _own(world, call)
    text, entities = caption_of(call.caption, call.parse_mode, call.caption_entities)
    if not post.files or post.rich is not None:
        refuse("there is no caption in the message to edit")
    return _edited(world, post, Version(text, entities, markup_of(call.reply_markup), None, 0.0))


def edit_message_reply_markup(world: World, call: EditMessageReplyMarkup) -> Any:
    post = _own(world, call)
    now = post.versions[-1]
    return _edited(world, post, Version(now.text, now.entities, markup_of(call.reply_markup), now.rich, 0.0))


def _own(world: World, call: Edit) -> Post:
    """The message to edit: one of the bot's own."""
    if call.chat_id is None:
        refuse("chat_id is empty")
    chat = reachable(world, call.chat_id)
    if call.message_id is None:
        refuse("message identifier is not specified")
    post = _there(chat, call.message_id, "message to edit not found")
    if not post.by_bot or post.service:
        refuse("message can't be edited")
    return post


def _there(chat: LiveChat, message_id: int, otherwise: str) -> Post:
    post = chat.posts.get(message_id)
    if post is None or post.deleted:
        refuse(otherwise)
    return post


def _edited(world: World, post: Post, version: Version) -> Any:
    if version.same(post.versions[-1]):
        same = "specified new message content and reply markup are exactly the same as a current content"
        refuse(f"message is not modified: {same} and reply markup of the message")
    group = not post.chat.private
    world.pace.check(post.chat.id, group=group)
    now = time.monotonic()
    post.versions.append(Version(version.text, version.entities, version.markup, version.rich, now))
    post.edit_date = int(time.time())
    world.pace.note(post.chat.id, post.id, group=group, edit=True)
    return post.shown()


def delete_message(world: World, call: DeleteMessage) -> bool:
    """In a group a bot that is no administrator deletes its own messages only."""
    chat = reachable(world, call.chat_id)
    post = _there(chat, call.message_id, "message to delete not found")
    if not (post.by_bot or chat.private or chat.bot_status == "administrator"):
        refuse("message can't be deleted")
    post.deleted = True
    return True


def delete_messages(world: World, call: DeleteMessages) -> bool:
    """Those that are not there are passed over."""
    chat = reachable(world, call.chat_id)
    for message_id in call.message_ids:
        if message_id in chat.posts:
            chat.posts[message_id].deleted = True
    return True


def set_message_reaction(world: World, call: SetMessageReaction) -> bool:
    chat = reachable(world, call.chat_id)
    post = _there(chat, call.message_id, "message to react not found")
    wanted = call.reaction or []
    if len(wanted) > 1:
        refuse("REACTIONS_TOO_MANY")
    emoji = "".join(str(getattr(reaction, "emoji", "")) for reaction in wanted)
    if post.service or (wanted and emoji not in REACTIONS.split()):
        refuse("REACTION_INVALID")
    world.reactions.append(Reaction(post, emoji, time.monotonic()))
    return True


def send_chat_action(world: World, call: SendChatAction) -> bool:
    chat = reachable(world, call.chat_id)
    if call.action not in set(ChatAction):
        refuse("wrong parameter action in request")
    if call.message_thread_id != GENERAL:
        topic_of(chat, call.message_thread_id)
    world.actions.append((chat.id, str(call.action)))
    return True


def answer_callback_query(world: World, call: AnswerCallbackQuery) -> bool:
    if call.text and units(call.text) > ANSWER:
        refuse("MESSAGE_TOO_LONG")
    press = world.presses.get(call.callback_query_id)
    if press is None or press.expired:
        refuse("query is too old and response timeout expired or query ID is invalid")
    press.answers.append(call.model_dump(exclude_none=True))
    return True
