"""The methods that send: where to, what, and the Message that comes back."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aiogram.methods import SendDocument, SendMediaGroup, SendMessage, SendPhoto, SendRichMessage

from tests.fakes.botapi.acting import LiveChat
from tests.fakes.botapi.errors import forbid, refuse, upgraded
from tests.fakes.botapi.files import Sent, StoredFile
from tests.fakes.botapi.limits import (
    caption_of,
    check_album,
    check_photo,
    check_upload,
    markup_of,
    text_of,
)
from tests.fakes.botapi.messages import Post, Topic
from tests.fakes.botapi.rich import rich_of
from tests.fakes.botapi.wire import Upload
from tests.fakes.botapi.world import World

Sending = SendMessage | SendDocument | SendPhoto | SendMediaGroup | SendRichMessage

RIGHTS = {"text": "text messages", "documents": "documents", "photos": "photos"}


@dataclass(frozen=True, slots=True)
class Place:
    chat: LiveChat
    topic: Topic | None
    reply_to: int | None


def reachable(world: World, chat_id: int | str) -> LiveChat:
    """The chat, if the bot may act in it."""
    chat = world.chat(chat_id)
    if chat.migrated_to is not None:
        raise upgraded(chat.migrated_to)
    if chat.deactivated:
        forbid("user is deactivated")
    if chat.bot_status == "kicked":
        words = "blocked by the user" if chat.private else f"kicked from the {chat.kind} chat"
        forbid(f"bot was {words}")
    if chat.bot_status == "left":
        private = "bot can't initiate conversation with a user"
        forbid(private if chat.private else f"bot is not a member of the {chat.kind} chat")
    return chat


def place_of(world: World, call: Sending, rights: Sequence[str]) -> Place:
    chat = reachable(world, call.chat_id)
    topic = topic_of(chat, call.message_thread_id)
    if chat.bot_status == "member":
        for right in rights:
            if right in chat.forbidden:
                refuse(f"not enough rights to send {RIGHTS[right]} to the chat")
    replied = _replied(chat, topic, call)
    if replied is not None and replied.topic is not None:
        topic = replied.topic
    closed = topic.closed if topic is not None else chat.general_closed
    if closed and chat.bot_status != "administrator":
        refuse("TOPIC_CLOSED")
    return Place(chat, topic, replied.id if replied else None)


def topic_of(chat: LiveChat, thread: int | None) -> Topic | None:
    """General has no id of its own: 1 is refused."""
    if thread is None:
        return None
    topic = chat.topics.get(thread) if chat.forum else None
    if topic is None or topic.deleted:
        refuse("message thread not found")
    return topic


def _replied(chat: LiveChat, topic: Topic | None, call: Sending) -> Post | None:
    """A reply to a message of another topic fails, whatever the bot allows."""
    wanted = call.reply_parameters
    if wanted is None:
        return None
    if wanted.chat_id not in (None, chat.id):
        refuse("message to be replied not found")
    post = chat.posts.get(wanted.message_id or 0)
    if post is None or post.deleted:
        if wanted.allow_sending_without_reply is True:
            return None
        refuse("message to be replied not found")
    if topic is not None and post.topic is not topic:
        refuse("message to be replied not found")
    return post


def send_message(world: World, call: SendMessage) -> Any:
    place = place_of(world, call, ["text"])
    text, entities = text_of(call.text, call.parse_mode, call.entities)
    return _publish(world, place, call, text, entities=entities, markup=markup_of(call.reply_markup)).shown()


def send_document(world: World, call: SendDocument) -> Any:
    place = place_of(world, call, ["documents"])
    text, entities = caption_of(call.caption, call.parse_mode, call.caption_entities)
    markup = markup_of(call.reply_markup)
    file = keep(world, call.document, "document")
    return _publish(world, place, call, text, entities=entities, markup=markup, files=(file,)).shown()


def send_photo(world: World, call: SendPhoto) -> Any:
    place = place_of(world, call, ["photos"])
    text, entities = caption_of(call.caption, call.parse_mode, call.caption_entities)
    markup = markup_of(call.reply_markup)
    file = keep(world, call.photo, "photo")
    return _publish(world, place, call, text, entities=entities, markup=markup, files=(file,)).shown()


def send_media_group(world: World, call: SendMediaGroup) -> Any:
    """All of its files are checked before the first is sent: an album comes whole or not at all."""
    check_album(call.media)
    kinds = ["photos" if item.type == "photo" else "documents" for item in call.media]
    place = place_of(world, call, sorted(set(kinds)))
    captions = [caption_of(item.caption, item.parse_mode, item.caption_entities) for item in call.media]
    world.pace.check(place.chat.id, group=not place.chat.private, count=len(call.media))
    files = [keep(world, item.media, str(item.type)) for item in call.media]
    album = str(13_900_000_000_000_000 + secrets.randbelow(10**12))
    return [
        _publish(
            world, place, call, text, entities=entities, files=(file,), album=album, checked=True
        ).shown()
        for (text, entities), file in zip(captions, files, strict=True)
    ]


def send_rich_message(world: World, call: SendRichMessage) -> Any:
    place = place_of(world, call, ["text"])
    rich = rich_of(call.rich_message, lambda upload, kind: keep(world, upload, kind))
    markup = markup_of(call.reply_markup)
    return _publish(world, place, call, rich.text, markup=markup, rich=rich.content, files=rich.files).shown()


def keep(world: World, file: object, kind: str) -> StoredFile:
    """The upload as a stored file, or the file that the id names."""
    if not isinstance(file, Upload):
        if str(file).startswith(("http:", "https:")):
            refuse("failed to get HTTP URL content")
        return world.files.by_id(str(file))
    check_upload(file, local=world.local)
    width, height = check_photo(file) if kind == "photo" else (0, 0)
    sent = Sent(name=file.name, data=file.data, mime=file.mime)
    return world.files.add(sent, kind, width=width, height=height)


def _publish(
    world: World, place: Place, call: Sending, text: str, *, checked: bool = False, **facts: Any
) -> Post:
    chat = place.chat
    if not checked:
        world.pace.check(chat.id, group=not chat.private)
    post = chat.add(
        None if chat.kind == "channel" else world.bot,
        text,
        silent=bool(call.disable_notification),
        reply_to=place.reply_to,
        topic=place.topic,
        by_bot=True,
        **facts,
    )
    world.pace.note(chat.id, post.id, group=not chat.private, edit=False)
    return post
