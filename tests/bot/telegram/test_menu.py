"""The commands that people are offered while they type."""

import pytest

from bot.chat import ChatRef, Message
from bot.commands.menu import Entry
from bot.errors import ChatGone, ChatUnreachable
from bot.telegram.adapter import Telegram
from bot.texts import Language
from tests.fakes.botapi import BotApi, HtmlPage, LiveChat

MENU = {
    Language.ENGLISH: (
        Entry(name="status", description="what is running"),
        Entry(name="start", description="begin", groups=False),
        Entry(name="allow", description="let somebody in", admin=True),
    ),
    Language.RUSSIAN: (
        Entry(name="status", description="что делается"),
        Entry(name="start", description="начать", groups=False),
        Entry(name="allow", description="пустить", admin=True),
    ),
}


def shown(server: BotApi, scope: str, language: str = "") -> dict[str, str]:
    return {entry["command"]: entry["description"] for entry in server.commands[(scope, language)]}


async def test_each_person_is_offered_what_they_may_use_in_their_language(
    telegram: Telegram, server: BotApi, chat: LiveChat
) -> None:
    await telegram.register(MENU, [str(chat.id)])
    assert shown(server, "all_private_chats") == {"status": "what is running", "start": "begin"}
    assert shown(server, "all_private_chats", "ru") == {"status": "что делается", "start": "начать"}
    assert shown(server, "all_group_chats") == {"status": "what is running"}
    assert shown(server, "all_group_chats", "ru") == {"status": "что делается"}
    assert shown(server, f"chat:{chat.id}", "ru")["allow"] == "пустить"
    assert not server.refused()


async def test_a_menu_that_telegram_knows_already_is_not_told_again(
    telegram: Telegram, server: BotApi
) -> None:
    await telegram.register(MENU, [])
    told = len(server.called("setMyCommands"))
    await telegram.register(MENU, [])
    assert len(server.called("setMyCommands")) == told == 4
    changed = MENU | {Language.ENGLISH: (Entry(name="status", description="what I am doing"),)}
    await telegram.register(changed, [])
    assert shown(server, "all_private_chats") == {"status": "what I am doing"}
    assert len(server.called("setMyCommands")) == told + 2


async def test_an_admin_who_never_wrote_to_this_bot_does_not_cost_others_their_menu(
    telegram: Telegram, server: BotApi, chat: LiveChat
) -> None:
    await telegram.register(MENU, ["999", str(chat.id)])
    assert "allow" in shown(server, f"chat:{chat.id}")


async def test_a_menu_that_could_not_be_told_is_an_error_of_the_chat(
    telegram: Telegram, server: BotApi
) -> None:
    server.faults.add("setMyCommands", HtmlPage())
    with pytest.raises(ChatUnreachable):
        await telegram.register(MENU, [])


async def test_what_an_admin_has_typed_as_an_id_and_is_none_costs_nobody_anything(
    telegram: Telegram, server: BotApi
) -> None:
    await telegram.register(MENU, ["A1"])
    assert shown(server, "all_private_chats")
    nobody = ChatRef("telegram", "A1")
    with pytest.raises(ChatGone):
        await telegram.post(nobody, Message(text="The disk is nearly full."))
    await telegram.leave(nobody)
    assert telegram.pace(nobody).gap
