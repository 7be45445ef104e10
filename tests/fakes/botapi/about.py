"""The methods about the bot and its chats: who, where, which commands, which files."""

from typing import Any

from aiogram.methods import (
    DeleteMyCommands,
    GetChat,
    GetChatAdministrators,
    GetChatMember,
    GetChatMemberCount,
    GetFile,
    GetMe,
    GetMyCommands,
    GetMyDescription,
    GetMyName,
    GetMyShortDescription,
    LeaveChat,
    SetMyCommands,
    SetMyDescription,
    SetMyName,
    SetMyShortDescription,
)
from aiogram.types import BotCommandScopeDefault
from pydantic import BaseModel

from tests.fakes.botapi.acting import LiveChat, member
from tests.fakes.botapi.errors import refuse
from tests.fakes.botapi.limits import check_commands
from tests.fakes.botapi.sending import reachable
from tests.fakes.botapi.world import World

NAME, DESCRIPTION, SHORT = 64, 512, 120
"""Letters."""


def get_me(world: World, call: GetMe) -> Any:
    facts = {
        "can_join_groups": True,
        "can_read_all_group_messages": not world.privacy,
        "supports_inline_queries": False,
        "has_topics_enabled": world.topics_in_private,
    }
    return world.bot.shown() | facts


def get_file(world: World, call: GetFile) -> Any:
    file = world.files.link(call.file_id)
    ids = {"file_id": file.id, "file_unique_id": file.unique_id}
    return ids | {"file_size": file.size, "file_path": file.path}


def get_chat(world: World, call: GetChat) -> Any:
    chat = reachable(world, call.chat_id)
    gifts = dict.fromkeys(
        ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"),
        False,
    )
    return chat.shown() | {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": gifts}


def _status(chat: LiveChat, user: int) -> str:
    if user == chat.world.bot.id:
        return chat.bot_status
    if user not in chat.members:
        return "left"
    return "administrator" if user in chat.admins else "member"


def get_chat_member(world: World, call: GetChatMember) -> Any:
    chat = reachable(world, call.chat_id)
    known = {person.id: person for other in world.chats.values() for person in other.members.values()}
    known[world.bot.id] = world.bot
    if call.user_id not in known:
        refuse("PARTICIPANT_ID_INVALID")
    return member(known[call.user_id], _status(chat, call.user_id))


def get_chat_administrators(world: World, call: GetChatAdministrators) -> Any:
    chat = reachable(world, call.chat_id)
    if chat.private:
        refuse("there are no administrators in the private chat")
    return [member(chat.members[user], "administrator") for user in chat.admins]


def get_chat_member_count(world: World, call: GetChatMemberCount) -> int:
    return len(reachable(world, call.chat_id).members) + 1


def leave_chat(world: World, call: LeaveChat) -> bool:
    chat = reachable(world, call.chat_id)
    if chat.private:
        refuse("chat member status can't be changed in private chats")
    old, chat.bot_status = chat.bot_status, "left"
    chat.tell_status(old, world.bot)
    return True


def _key(world: World, scope: BaseModel | None, language: str | None) -> tuple[str, str]:
    """Where a list of commands is kept."""
    facts = (scope or BotCommandScopeDefault()).model_dump(exclude_none=True)
    if "chat_id" in facts:
        reachable(world, facts["chat_id"])
    if language and (len(language) != 2 or not language.isalpha() or not language.islower()):
        refuse("invalid language code specified")
    parts = [str(facts[name]) for name in ("type", "chat_id", "user_id") if name in facts]
    return ":".join(parts), language or ""


def set_my_commands(world: World, call: SetMyCommands) -> bool:
    key = _key(world, call.scope, call.language_code)
    check_commands(call.commands)
    world.commands[key] = [command.model_dump(exclude_none=True) for command in call.commands]
    return True


def delete_my_commands(world: World, call: DeleteMyCommands) -> bool:
    world.commands.pop(_key(world, call.scope, call.language_code), None)
    return True


def get_my_commands(world: World, call: GetMyCommands) -> Any:
    return world.commands.get(_key(world, call.scope, call.language_code), [])


def _set(texts: dict[str, str], language: str | None, text: str | None, most: int, words: str) -> bool:
    if len(text or "") > most:
        refuse(words)
    texts[language or ""] = text or ""
    return True


def _get(texts: dict[str, str], language: str | None, otherwise: str = "") -> str:
    return texts.get(language or "") or texts.get("") or otherwise


def set_my_name(world: World, call: SetMyName) -> bool:
    return _set(world.profile.names, call.language_code, call.name, NAME, "bot name is too long")


def get_my_name(world: World, call: GetMyName) -> Any:
    return {"name": _get(world.profile.names, call.language_code, world.bot.name)}


def set_my_description(world: World, call: SetMyDescription) -> bool:
    texts = world.profile.descriptions
    return _set(texts, call.language_code, call.description, DESCRIPTION, "bot description is too long")


def get_my_description(world: World, call: GetMyDescription) -> Any:
    return {"description": _get(world.profile.descriptions, call.language_code)}


def set_my_short_description(world: World, call: SetMyShortDescription) -> bool:
    texts = world.profile.short_descriptions
    return _set(texts, call.language_code, call.short_description, SHORT, "bot short description is too long")


def get_my_short_description(world: World, call: GetMyShortDescription) -> Any:
    return {"short_description": _get(world.profile.short_descriptions, call.language_code)}
