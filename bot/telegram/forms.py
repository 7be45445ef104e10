"""A message of ours as the call that posts it or edits it."""

from dataclasses import dataclass

from aiogram.methods import EditMessageText, SendMessage, SendRichMessage
from aiogram.types import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputRichMessage,
    LinkPreviewOptions,
    ReplyParameters,
)

from bot.chat import ChatRef, Message, MessageKind, MessageRef
from bot.errors import ChatGone
from bot.telegram.markup import Page, pages_of, rich_html

SILENT = (MessageKind.PROGRESS, MessageKind.SETTLED, MessageKind.NOTICE)
NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
"""A preview is fetched from wherever a link of a model points to."""
GENERAL = "1"
"""The topic that must not be named."""

Form = Page | InputRichMessage


def chat_id(chat: ChatRef) -> int:
    """Raises: ChatGone: an admin has typed this id, and it is none of Telegram's."""
    try:
        return int(chat.chat)
    except ValueError:
        raise ChatGone(chat.chat) from None


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is sent to."""

    chat: int
    thread: int | None
    reply: ReplyParameters | None

    @classmethod
    def of(cls, chat: ChatRef, reply_to: MessageRef | None) -> "Place":
        """Ids of messages mean nothing in another chat."""
        reply = None
        if reply_to is not None and reply_to.chat.chat == chat.chat:
            reply = ReplyParameters(message_id=int(reply_to.message), allow_sending_without_reply=True)
        thread = int(chat.thread) if chat.thread and chat.thread != GENERAL else None
        return cls(chat_id(chat), thread, reply)


def page_of(message: Message) -> Page:
    pages = pages_of(message)
    return pages[min(message.page, len(pages) - 1)]


def rich_of(message: Message) -> InputRichMessage | None:
    """Only for what fits one classic message, too: that is what is left if Telegram refuses the rich one."""
    html = rich_html(message)
    if html is None or len(pages_of(message)) > 1:
        return None
    return InputRichMessage(html=html, skip_entity_detection=True)


def posting(form: Form, message: Message, place: Place) -> SendMessage | SendRichMessage:
    silent = message.kind in SILENT or message.page > 0
    keyboard = _keyboard(message)
    if isinstance(form, InputRichMessage):
        return SendRichMessage(
            chat_id=place.chat,
            message_thread_id=place.thread,
            rich_message=form,
            disable_notification=silent,
            reply_parameters=place.reply,
            reply_markup=keyboard,
        )
    return SendMessage(
        chat_id=place.chat,
        message_thread_id=place.thread,
        text=form.text,
        entities=list(form.entities) or None,
        link_preview_options=NO_PREVIEW,
        disable_notification=silent,
        reply_parameters=place.reply,
        reply_markup=keyboard,
    )


def editing(form: Form, message: Message, ref: MessageRef) -> EditMessageText:
    """Without buttons, the message loses those that it had."""
    rich = form if isinstance(form, InputRichMessage) else None
    page = form if isinstance(form, Page) else None
    return EditMessageText(
        chat_id=int(ref.chat.chat),
        message_id=int(ref.message),
        text=page.text if page else None,
        entities=(list(page.entities) or None) if page else None,
        rich_message=rich,
        link_preview_options=NO_PREVIEW,
        reply_markup=_keyboard(message),
    )


def _keyboard(message: Message) -> InlineKeyboardMarkup | None:
    if not message.buttons:
        return None
    rows = [
        [InlineKeyboardButton(text=button.text, callback_data=button.data) for button in row]
        for row in message.buttons
    ]
    return InlineKeyboardMarkup(inline_keyboard=rows)
