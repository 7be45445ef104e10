"""What the bot said to Telegram, and what of it would act: be loaded, tapped on, or call somebody."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.buttons import Buttons
from bot.chat import ChatRef
from tests.fakes.botapi import BotApi, Call
from tests.redteam.house import PLATFORM

SAYING = ("sendMessage", "editMessageText", "sendRichMessage", "sendPhoto", "sendDocument", "sendMediaGroup")
ELSEWHERE = ("getUpdates", "getMe", "deleteWebhook", "getFile", "file", "answerCallbackQuery")
"""They name no chat."""
MARKS = {"bold", "italic", "underline", "strikethrough", "spoiler", "blockquote", "expandable_blockquote"}
VERBATIM = {"code", "pre"}
_ACTS = re.compile(
    r"https?://|tg://|t\.me\b|@\w|mailto:|(?<![\w/<>])/[A-Za-z0-9_]|\+\d{7}"
    r"|\b[\w-]+\.(?:com|example|org|ru|me)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    "[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\x00-\x08\x0b-\x1f\ud800-\udfff\U000e0000-\U000e007f]"
)


@dataclass(frozen=True, slots=True)
class Said:
    """One text of a call: a message, a caption, a toast, a file's name or a button's words."""

    call: Call
    text: str
    entities: tuple[Mapping[str, Any], ...] = ()

    def acting(self) -> list[str]:
        """What a client would make a link of, outside verbatim text."""
        units = self.text.encode("utf-16-le")
        for mark in self.entities:
            if mark["type"] in VERBATIM:
                start, end = mark["offset"] * 2, (mark["offset"] + mark["length"]) * 2
                units = units[:start] + ".".encode("utf-16-le") * mark["length"] + units[end:]
        return _ACTS.findall(units.decode("utf-16-le"))


def said(call: Call) -> Iterable[Said]:
    """Everything of a call that a person reads."""
    params = call.params
    for part in (params, *params.get("media", ())):
        for name in ("text", "caption"):
            if part.get(name):
                marks = part.get("entities" if name == "text" else "caption_entities") or ()
                yield Said(call, str(part[name]), tuple(marks))
    for row in (params.get("reply_markup") or {}).get("inline_keyboard", ()):
        for button in row:
            yield Said(call, str(button["text"]))


def spoken(server: BotApi, *kinds: str) -> list[Said]:
    return [
        one
        for call in server.calls
        if call.method in (kinds or (*SAYING, "answerCallbackQuery"))
        for one in said(call)
    ]


def check_harmless(server: BotApi, *, asked: str = "") -> None:
    """Nothing of a whole session previews, links, calls, commands or hides anything.

    `asked`: an address that the person wrote, which stays one.
    """
    for call in server.calls:
        if call.method in ("sendMessage", "editMessageText"):
            assert call.params["link_preview_options"] == {"is_disabled": True}, call
        assert "parse_mode" not in str(call.params), call
        for one in said(call):
            left = replace(one, text=one.text.replace(asked, "." * len(asked))) if asked else one
            assert left.acting() == [], one
            assert not _UNSEEN.search(one.text), one
            assert {mark["type"] for mark in one.entities} <= MARKS | VERBATIM, one
    assert server.refused() == []


def check_buttons(server: BotApi, buttons: Buttons) -> None:
    """Every button has nothing but data, which we signed for the chat that it is in."""
    for call in server.calls:
        for row in (call.params.get("reply_markup") or {}).get("inline_keyboard", ()):
            for button in row:
                assert set(button) == {"text", "callback_data"}, button
                thread = call.params.get("message_thread_id") or _topic(server, call)
                there = ChatRef(PLATFORM, str(call.chat), str(thread or ""))
                assert buttons.verify(there, button["callback_data"]) is not None, button


def _topic(server: BotApi, call: Call) -> int | None:
    """Of the message that is edited."""
    posts = server.chats[call.chat or 0].posts
    topic = posts[call.params["message_id"]].topic if "message_id" in call.params else None
    return None if topic is None else topic.id


def check_stays(server: BotApi, chat: int, thread: int | None = None, *, since: int = 0) -> None:
    """Every call since then is for that chat, and that topic of it."""
    for call in server.calls[since:]:
        if call.method not in ELSEWHERE:
            assert call.chat == chat, call
        if call.method in SAYING and not call.method.startswith("edit"):
            assert call.params.get("message_thread_id") == thread, call
