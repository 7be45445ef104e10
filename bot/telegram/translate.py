"""What happened on Telegram, as an event of ours. Pure."""

import re
from collections.abc import Iterator

from aiogram.enums import ChatMemberStatus, ChatType, ContentType, MessageEntityType
from aiogram.types import (
    CallbackQuery,
    Chat,
    ChatMemberRestricted,
    ChatMemberUnion,
    ChatMemberUpdated,
    ExternalReplyInfo,
    Message,
    MessageEntity,
    MessageOriginUser,
    Update,
    User,
)

from bot.chat import ChatKind, ChatRef, Event, Incoming, Joined, Left, MessageRef, Moved, Press, Sender
from bot.telegram.attached import attachments
from bot.texts import Language

PLATFORM = "telegram"
GROUPS = (ChatType.GROUP, ChatType.SUPERGROUP)
SAID = frozenset(
    {
        ContentType.TEXT,
        ContentType.RICH_MESSAGE,
        ContentType.DOCUMENT,
        ContentType.PHOTO,
        ContentType.LIVE_PHOTO,
        ContentType.ANIMATION,
        ContentType.VIDEO,
        ContentType.VIDEO_NOTE,
        ContentType.AUDIO,
        ContentType.VOICE,
        ContentType.STICKER,
        ContentType.CHECKLIST,
        ContentType.CONTACT,
        ContentType.DICE,
        ContentType.GAME,
        ContentType.LOCATION,
        ContentType.PAID_MEDIA,
        ContentType.POLL,
        ContentType.STORY,
        ContentType.VENUE,
    }
)
"""What a person sends and expects a word about; all else are notes of the service."""

Span = tuple[int, int]
"""Start and end in UTF-16 units, as Telegram counts."""


def event_of(update: Update, me: User) -> Event | None:
    """None for what is not for us: channels, other bots, anonymous admins, notes of the service."""
    event = f"{me.id}:{update.update_id}"
    if message := update.message or update.edited_message:
        return _message(message, me, event, edited=update.message is None)
    if update.callback_query:
        return _press(update.callback_query, event)
    if update.my_chat_member:
        return _membership(update.my_chat_member, event)
    return None


def chat_ref(chat: Chat, message: Message | None = None) -> ChatRef:
    """Replies in a group without topics have a thread id as well, and the general topic has a false one."""
    thread = message.message_thread_id if message is not None and message.is_topic_message else None
    return ChatRef(PLATFORM, str(chat.id), str(thread or ""))


def _message(message: Message, me: User, event: str, *, edited: bool) -> Event | None:
    kind = _kind(message.chat)
    if kind is None:
        return None
    if message.migrate_to_chat_id:
        to = ChatRef(PLATFORM, str(message.migrate_to_chat_id))
        return Moved(chat=chat_ref(message.chat), to=to, event=event)
    author = message.from_user
    if author is None or author.is_bot or message.sender_chat or message.via_bot:
        return None
    if message.content_type not in SAID:
        return None
    reply = message.reply_to_message
    if reply is not None and reply.forum_topic_created:
        reply = None  # each message of a topic "replies" to its beginning
    text, addressed = _address(message, me)
    addressed = addressed or kind is ChatKind.PRIVATE or _is_by(reply, me)
    files = attachments(message)
    if reply is not None and addressed and not _is_by(reply, me):
        files += attachments(reply)
    chat = chat_ref(message.chat, message)
    return Incoming(
        chat=chat,
        sender=_sender(author),
        text=text,
        attachments=files,
        message=MessageRef(chat, str(message.message_id)),
        event=event,
        at=message.date,
        kind=kind,
        title=message.chat.title or "",
        addressed=addressed,
        reply_to=str(reply.message_id) if reply else None,
        reply_author=_author(reply, message.external_reply),
        batch=message.media_group_id or "",
        edited=edited,
        forwarded=message.forward_origin is not None,
    )


def _press(query: CallbackQuery, event: str) -> Press | None:
    message = query.message
    kind = _kind(message.chat) if message else None
    if message is None or kind is None or query.from_user.is_bot:
        return None
    chat = chat_ref(message.chat, message if isinstance(message, Message) else None)
    return Press(
        chat=chat,
        sender=_sender(query.from_user),
        data=query.data or "",
        handle=query.id,
        message=MessageRef(chat, str(message.message_id)),
        event=event,
        kind=kind,
    )


def _membership(change: ChatMemberUpdated, event: str) -> Joined | Left | None:
    kind = _kind(change.chat)
    before, now = _is_in(change.old_chat_member), _is_in(change.new_chat_member)
    if kind is None or before == now:
        return None
    chat = chat_ref(change.chat)
    if not now:
        return Left(chat=chat, event=event)
    if kind is ChatKind.PRIVATE:
        return None  # unblocked: what comes next is what the person says
    return Joined(chat=chat, sender=_sender(change.from_user), title=change.chat.title or "", event=event)


def _kind(chat: Chat) -> ChatKind | None:
    if chat.type == ChatType.PRIVATE:
        return ChatKind.PRIVATE
    return ChatKind.GROUP if chat.type in GROUPS else None


def _is_in(member: ChatMemberUnion) -> bool:
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status not in (ChatMemberStatus.LEFT, ChatMemberStatus.KICKED)


def _is_by(message: Message | None, me: User) -> bool:
    return message is not None and message.from_user is not None and message.from_user.id == me.id


def _author(reply: Message | None, elsewhere: ExternalReplyInfo | None) -> Sender | None:
    """Who wrote the words that were replied to, here or in another chat, and not who passed them on.

    None where Telegram hides that person, and for channels, bots and anonymous admins.
    """
    author = None if reply is None or reply.sender_chat else reply.from_user
    origin = reply.forward_origin if reply else elsewhere.origin if elsewhere else None
    if origin is not None:
        author = origin.sender_user if isinstance(origin, MessageOriginUser) else None
    return None if author is None or author.is_bot else _sender(author)


def _sender(user: User) -> Sender:
    code = (user.language_code or "").partition("-")[0].casefold()
    language = next((known for known in Language if known.value == code), None)
    return Sender(id=str(user.id), name=user.full_name, language=language)


def _address(message: Message, me: User) -> tuple[str, bool]:
    """The text without what calls us by name, and whether it does. Only Telegram's own marks count."""
    text = message.text or message.caption or ""
    entities = message.entities or message.caption_entities or []
    spans = list(_calls(text, entities, me))
    command = next((mark for mark in entities if mark.type == MessageEntityType.BOT_COMMAND), None)
    commanded = False
    if command is not None and command.offset == 0:
        name, at, whom = command.extract_from(text).partition("@")
        commanded = not at or whom.casefold() == (me.username or "").casefold()
        if at and commanded:
            spans.append((len(name), command.length))
    return _without(text, spans), commanded or bool(spans)


def _calls(text: str, entities: list[MessageEntity], me: User) -> Iterator[Span]:
    for mark in entities:
        named = mark.type == MessageEntityType.MENTION and me.username is not None
        by_name = named and mark.extract_from(text).casefold() == f"@{me.username}".casefold()
        by_link = mark.type == MessageEntityType.TEXT_MENTION and mark.user and mark.user.id == me.id
        if by_name or by_link:
            yield mark.offset, mark.offset + mark.length


def _without(text: str, spans: list[Span]) -> str:
    units = text.encode("utf-16-le", "surrogatepass")
    for start, end in sorted(spans, reverse=True):
        units = units[: start * 2] + units[end * 2 :]
    rest = units.decode("utf-16-le", "surrogatepass")
    if spans:
        rest = re.sub(r"[ \t]{2,}", " ", rest)
    if any(start == 0 for start, _ in spans):
        rest = rest.lstrip(" ,:;\n")
    return rest.strip()
