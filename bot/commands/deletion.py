"""/delete: somebody's or a chat's data, once the button below the question is pressed."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.buttons import Action
from bot.chat import ChatKind, Press
from bot.commands.parts import Asked, Erased, Parts, Reply
from bot.texts import Texts

_ID: Final = re.compile(r"-?[A-Za-z0-9]{1,24}")
_PERSON, _RIGHTS, _CHAT = "p", "r", "c"
"""A person's data; those and what they may; a chat's data. One letter, since a button has little room."""
_COUNTS: Final = timedelta(hours=1)
"""How long a question may be answered."""
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True)
class _Target:
    kind: str
    id: str


async def delete(asked: Asked, parts: Parts) -> Reply:
    """Nothing goes before the button is pressed."""
    t = asked.t
    target = await _target(asked, parts)
    if isinstance(target, str):
        return Reply(t(target))
    until = (parts.clock() + _COUNTS - _EPOCH) // timedelta(minutes=1)
    chat = asked.incoming.chat
    sure = parts.buttons.button(chat, t("delete-yes"), Action.ERASE, target.id, f"{target.kind}{until}")
    question = {_PERSON: "delete-person", _RIGHTS: "delete-rights", _CHAT: "delete-chat"}[target.kind]
    if target.id == asked.sender and target.kind == _PERSON:
        return Reply(t("delete-mine"), ((sure,),))
    return Reply(t(question, id=target.id), ((sure,),))


async def may_press(subject: str, choice: str, press: Press, parts: Parts) -> bool:
    """One's own data, and one's own private chat; an admin in private anybody's."""
    private = press.kind is ChatKind.PRIVATE
    if choice[:1] == _PERSON and subject == press.sender.id:
        return True
    if choice[:1] == _CHAT and private and subject == press.chat.chat:
        return True
    return private and await parts.access.admin(press.chat.platform, press.sender.id)


async def carry_out(subject: str, choice: str, press: Press, parts: Parts, t: Texts) -> Reply:
    """The button was pressed, by whomever: it is checked here whether they may."""
    kind, until = choice[:1], choice[1:]
    now = (parts.clock() - _EPOCH) // timedelta(minutes=1)
    if kind not in (_PERSON, _RIGHTS, _CHAT) or not until.isdecimal() or int(until) < now:
        return Reply(t("button-old"))
    if not await may_press(subject, choice, press, parts):
        return Reply(t("delete-not-yours"))
    erased = await _erase(kind, subject, press.chat.platform, parts)
    parts.access.forget()
    if erased.left:
        return Reply(t("deleted-partly", runs=erased.runs, left=erased.left))
    return Reply(t("deleted", runs=erased.runs))


async def _erase(kind: str, subject: str, platform: str, parts: Parts) -> Erased:
    if kind == _CHAT:
        return await parts.erases.erase_chat(platform, subject)
    return await parts.erases.erase_person(platform, subject, rights=kind == _RIGHTS)


async def _target(asked: Asked, parts: Parts) -> _Target | str:
    """Whose data; or the sentence that says why not."""
    word = asked.words[0] if asked.words else ""
    if word == "me":
        return _Target(_PERSON, asked.sender)
    if word == "here" and asked.private:
        return _Target(_CHAT, asked.incoming.chat.chat)
    if not word or not (word == "here" or _ID.fullmatch(word)):
        return "delete-how-admin" if asked.admin and asked.private else "delete-how"
    if not asked.admin:
        return "command-admins-only"
    if not asked.private or asked.incoming.forwarded or asked.incoming.edited:
        return "command-in-private"
    if word.startswith("-") or await parts.people.chat(asked.platform, word) is not None:
        return _Target(_CHAT, word)
    return _Target(_RIGHTS if asked.words[1:2] == ["rights"] else _PERSON, word)
