"""What Telegram's and the network's failures mean to us. Pure.

Nothing of an original failure goes along, not even as a cause: addresses of the Bot API hold the token.
"""

import re

from aiogram.exceptions import (
    AiogramError,
    ClientDecodeError,
    RestartingTelegram,
    TelegramAPIError,
    TelegramBadRequest,
    TelegramEntityTooLarge,
    TelegramForbiddenError,
    TelegramMigrateToChat,
    TelegramNetworkError,
    TelegramNotFound,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiohttp import ClientConnectorError, ClientHttpProxyError, ConnectionTimeoutError

from bot.errors import ChatBusy, ChatError, ChatGone, ChatRefused, ChatUncertain, ChatUnreachable, MessageGone

NEVER_CONNECTED = (ClientConnectorError, ClientHttpProxyError, ConnectionTimeoutError)
UNTOLD = 5.0
"""Seconds to wait where Telegram does not say how long."""
PAGE = re.compile(r"\b(?:413|50[0-3])\b")
"""Web pages that say it was not done. A 504 says no such thing: what it waited for may yet come to pass."""

GONE = (
    "chat not found",
    "peer_id_invalid",
    "user is deactivated",
    "group chat was deleted",
    "group chat was deactivated",
    "bot is not a member",
    "message thread not found",
    "topic_deleted",
    "topic_id_invalid",
)
MESSAGE_GONE = (
    "message to edit not found",
    "message can't be edited",
    "message_id_invalid",
    "message identifier is not specified",
)
NO_RIGHTS = ("not enough rights", "no rights to send", "chat_write_forbidden", "chat_restricted")
BAD_PICTURE = ("photo_", "image_process_failed", "wrong type of the web page content", "media_invalid")
BAD_ENTITIES = ("can't parse entities", "entity_", "entities_")


class Unchanged(ChatRefused):
    """The message already looks like that."""


class EntitiesRefused(ChatRefused):
    """The text would do without its entities."""


class PictureRefused(ChatRefused):
    """Telegram takes it as a document, but not as a photo."""


class TooLarge(ChatRefused):
    """Too many bytes."""


class MethodUnknown(ChatRefused):
    """This server is too old for what was asked of it."""


class Migrated(ChatUnreachable):
    """Nothing has happened: the chat has another id by now."""

    def __init__(self, to: int) -> None:
        super().__init__("the group has become a supergroup")
        self.to = str(to)


def meaning(fault: AiogramError) -> ChatError:
    """What the failure of a call means to the one who made it."""
    match fault:
        case TelegramEntityTooLarge():
            return TooLarge("telegram-file-too-big")
        case TelegramNetworkError():
            return _of_network(fault.__cause__)
        case ClientDecodeError():
            return _of_answer(fault.data)
        case TelegramAPIError():
            return _of_telegram(fault)
        case _:
            return ChatUncertain(type(fault).__name__)


def _of_network(cause: BaseException | None) -> ChatError:
    kind = type(cause).__name__
    if isinstance(cause, NEVER_CONNECTED):
        return ChatUnreachable(f"no connection: {kind}")
    return ChatUncertain(f"the connection broke: {kind}")


def _of_answer(data: object) -> ChatError:
    """An answer that is no JSON comes from a proxy in between; JSON of an unknown shape may be a success."""
    if isinstance(data, str) and (page := PAGE.search(data[:2000])):
        if page[0] == "413":
            return TooLarge("telegram-file-too-big")
        return ChatUnreachable(f"a page about {page[0]} instead of an answer")
    return ChatUncertain("an answer that cannot be read")


def _of_telegram(fault: TelegramAPIError) -> ChatError:
    match fault:
        case TelegramRetryAfter():
            return ChatBusy(fault.retry_after)
        case TelegramMigrateToChat():
            return Migrated(fault.migrate_to_chat_id)
        case RestartingTelegram():  # said of all that it had in hand, sent on or not
            return ChatUncertain("Telegram's server restarts")
        case TelegramServerError():
            return ChatUnreachable("Telegram has a failure of its own")
        case TelegramUnauthorizedError():
            return ChatUnreachable("Telegram does not know the token any more")
        case TelegramForbiddenError():
            return ChatGone(fault.message)
        case TelegramNotFound():
            return MethodUnknown("telegram-refused")
        case TelegramBadRequest():
            return _of_refusal(fault.message.casefold())
        case _ if fault.message.casefold().startswith("too many requests"):
            return ChatBusy(UNTOLD)
        case _:
            return ChatRefused("telegram-refused")


def _of_refusal(says: str) -> ChatError:
    def has(words: tuple[str, ...]) -> bool:
        return any(word in says for word in words)

    if "message is not modified" in says:
        return Unchanged("telegram-refused")
    if has(MESSAGE_GONE):
        return MessageGone(says)
    if has(GONE):
        return ChatGone(says)
    if "topic_closed" in says:
        return ChatRefused("telegram-topic-closed")
    if has(NO_RIGHTS) or re.search(r"chat_send_\w+_forbidden", says):
        return ChatRefused("telegram-no-rights")
    if has(BAD_PICTURE):
        return PictureRefused("telegram-refused")
    if "file is too big" in says or "file_parts_invalid" in says:
        return TooLarge("telegram-file-too-big")
    if has(BAD_ENTITIES):
        return EntitiesRefused("telegram-refused")
    return ChatRefused("telegram-refused")
