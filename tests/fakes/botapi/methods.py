"""Which function answers which method. Those that are not here are answered "Not Found"."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.botapi import about, editing, sending
from tests.fakes.botapi.world import World

Answer = Callable[[World, Any], Any]

ANSWERS: Mapping[str, Answer] = {
    "sendMessage": sending.send_message,
    "sendDocument": sending.send_document,
    "sendPhoto": sending.send_photo,
    "sendMediaGroup": sending.send_media_group,
    "sendRichMessage": sending.send_rich_message,
    "sendChatAction": editing.send_chat_action,
    "editMessageText": editing.edit_message_text,
    "editMessageCaption": editing.edit_message_caption,
    "editMessageReplyMarkup": editing.edit_message_reply_markup,
    "deleteMessage": editing.delete_message,
    "deleteMessages": editing.delete_messages,
    "setMessageReaction": editing.set_message_reaction,
    "answerCallbackQuery": editing.answer_callback_query,
    "getMe": about.get_me,
    "getFile": about.get_file,
    "getChat": about.get_chat,
    "getChatMember": about.get_chat_member,
    "getChatAdministrators": about.get_chat_administrators,
    "getChatMemberCount": about.get_chat_member_count,
    "leaveChat": about.leave_chat,
    "setMyCommands": about.set_my_commands,
    "deleteMyCommands": about.delete_my_commands,
    "getMyCommands": about.get_my_commands,
    "setMyName": about.set_my_name,
    "getMyName": about.get_my_name,
    "setMyDescription": about.set_my_description,
    "getMyDescription": about.get_my_description,
    "setMyShortDescription": about.set_my_short_description,
    "getMyShortDescription": about.get_my_short_description,
}
