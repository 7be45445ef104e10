"""The commands that Telegram offers while a person types, for each language and kind of chat."""

from collections.abc import Iterator, Sequence

from aiogram import Bot
from aiogram.methods import GetMyCommands, SetMyCommands
from aiogram.types import (
    BotCommand,
    BotCommandScopeAllGroupChats,
    BotCommandScopeAllPrivateChats,
    BotCommandScopeChat,
)

from bot.commands.menu import Entry, Menu
from bot.errors import ChatGone
from bot.telegram.calls import ask
from bot.texts import Language

DEFAULT = Language.ENGLISH
"""For clients in a language that we do not speak."""

Scope = BotCommandScopeAllPrivateChats | BotCommandScopeAllGroupChats | BotCommandScopeChat


async def register(bot: Bot, menu: Menu, admins: Sequence[str]) -> None:
    """`admins`: ids of people. Tells Telegram only what it does not know yet.

    Raises:
        ChatError: some of it may have been told.
    """
    for scope, language, commands in _wanted(menu, admins):
        code = None if language is DEFAULT else language.value
        try:
            known = await ask(bot, GetMyCommands(scope=scope, language_code=code))
            if _told(known) != _told(commands):
                await ask(bot, SetMyCommands(commands=commands, scope=scope, language_code=code))
        except ChatGone:
            if not isinstance(scope, BotCommandScopeChat):
                raise
            # An admin who has never written to this bot has no chat with it.


def _wanted(menu: Menu, admins: Sequence[str]) -> Iterator[tuple[Scope, Language, list[BotCommand]]]:
    for language, entries in menu.items():
        private = [entry for entry in entries if not entry.admin]
        yield BotCommandScopeAllPrivateChats(), language, _commands(private)
        groups = [entry for entry in private if entry.groups]
        yield BotCommandScopeAllGroupChats(), language, _commands(groups)
        for admin in filter(str.isdecimal, admins):  # what was typed may be no id of Telegram's
            yield BotCommandScopeChat(chat_id=int(admin)), language, _commands(entries)


def _commands(entries: Sequence[Entry]) -> list[BotCommand]:
    return [BotCommand(command=entry.name, description=entry.description[:256]) for entry in entries]


def _told(commands: Sequence[BotCommand]) -> list[tuple[str, str]]:
    """Without what makes two equal commands of aiogram differ: the bot that they came through."""
    return [(command.command, command.description) for command in commands]
