"""Who may use us, and how much: /allow, /deny, /users, /limits, /doctor. For admins, in private."""

import re
from dataclasses import asdict, replace
from typing import Final

from bot.buttons import Action
from bot.chat import ChatRef, Sender
from bot.commands.parts import Asked, Parts, Reply, Signs
from bot.ops.check import Level
from bot.render import clip, shown
from bot.texts import Texts
from sandbox.names import clean_text
from storage.members import Allowance, Role

_ID = re.compile(r"-?[A-Z0-9]*[0-9][A-Z0-9]*")
"""As platforms give them to people and chats. A name is none: it belongs to whoever takes it."""
_LIMIT = re.compile(r"(runs|tokens|at_once)=(\d{1,12}|usual)")
_FIELDS: Final = {"runs": "runs_a_day", "tokens": "tokens_a_day", "at_once": "runs_at_once"}
_MARKS: Final = {Level.OK: "✓", Level.WARNING: "!", Level.FAILURE: "✗"}


async def allow(asked: Asked, parts: Parts) -> Reply:
    """In a group: the group. Else a person by id, or by replying to something that they wrote."""
    t, by = asked.t, asked.sender
    author = asked.incoming.reply_author
    if not asked.private and author is None and not asked.words:
        await parts.access.allow_chat(asked.incoming.chat, by=by, title=asked.incoming.title)
        return Reply(t("allowed-group"))
    whom = _whom(asked)
    if whom is None:
        return Reply(t("whom-missing", command="/allow 12345"))
    if _is_group(whom):
        await parts.access.allow_chat(ChatRef(asked.platform, whom), by=by)
        return Reply(t("allowed-group-there"))
    role = Role.ADMIN if asked.words[-1:] == ["admin"] else Role.MEMBER
    if role is Role.MEMBER and await parts.access.admin(asked.platform, whom):
        return Reply(t("allowed-already"))
    name = author.name if author is not None and author.id == whom else ""
    await parts.access.allow(asked.platform, whom, by=by, name=name, role=role)
    await parts.welcomes.welcome(asked.platform, whom)
    return Reply(t("allowed-admin" if role is Role.ADMIN else "allowed-person", id=whom))


async def deny(asked: Asked, parts: Parts) -> Reply:
    whom = _whom(asked)
    if whom is None:
        return Reply(asked.t("whom-missing", command="/deny 12345"))
    if whom == asked.sender:
        return Reply(asked.t("denied-yourself"))
    if _is_group(whom):
        await parts.access.forbid_chat(ChatRef(asked.platform, whom))
        await _stop(asked.platform, whom, parts)
        return Reply(asked.t("denied-group"))
    await parts.access.deny(asked.platform, whom, by=asked.sender)
    await _stop(asked.platform, whom, parts)
    return Reply(asked.t("denied-person", id=whom))


async def users(asked: Asked, parts: Parts) -> Reply:
    people = await parts.people.list(asked.platform)
    blocks: list[str] = []
    for role, key in (
        (Role.ADMIN, "users-admins"),
        (Role.MEMBER, "users-members"),
        (Role.DENIED, "users-denied"),
    ):
        lines = [f"{person.name or '–'} ({person.id})" for person in people if person.role is role]
        if lines:
            blocks.append("\n".join((asked.t(key), *lines)))
    if chats := await parts.people.chats(asked.platform):
        lines = [f"{chat.title or '–'} ({chat.chat})" for chat in chats]
        blocks.append("\n".join((asked.t("users-groups"), *lines)))
    return Reply("\n\n".join(blocks) or asked.t("users-none"))


async def limits(asked: Asked, parts: Parts) -> Reply:
    """`/limits 12345 runs=10 tokens=1000000 at_once=2`; `usual` takes one back; without any they are told."""
    t = asked.t
    if not asked.words:
        return Reply(f"{t('limits-usual')}: {_amounts(parts.access.usual, t)}\n{t('limits-how')}")
    whom, changes = asked.words[0], asked.words[1:]
    own = await _own(asked.platform, whom, parts)
    if own is None:
        return Reply(t("limits-unknown"))
    parsed = [_LIMIT.fullmatch(change) for change in changes]
    values: dict[str, int | None] = {}
    for match in parsed:
        if match is None:
            return Reply(t("limits-how"))
        values[_FIELDS[match[1]]] = None if match[2] == "usual" else int(match[2])
    own = replace(own, **values)
    if values:
        await parts.access.limit(asked.platform, whom, own)
    return Reply(f"{whom}: {_amounts(own, t)}")


async def doctor(asked: Asked, parts: Parts) -> Reply:
    checks = await parts.examine()
    lines = [
        f"{_MARKS[check.level]} {asked.t(f'doctor-check-{check.subject.value}')}: "
        + clip(clean_text(asked.t(check.key, **check.facts)), 300)
        for check in checks
    ]
    return Reply("\n".join(lines))


def introduction(stranger: Sender, admin: ChatRef, buttons: Signs, t: Texts) -> Reply:
    """What an admin reads of somebody who would like to use us, in the admin's own chat."""
    name = shown(stranger.name, 64) or "–"
    row = tuple(
        buttons.button(admin, t(label), Action.ADMIT, stranger.id, choice)
        for label, choice in (("admit-yes", "yes"), ("admit-no", "no"))
    )
    return Reply(t("access-knock", name=name, id=stranger.id), (row,))


async def admit(platform: str, stranger: str, choice: str, *, by: str, parts: Parts, t: Texts) -> Reply:
    """The answer to the introduction. Somebody who has a role by now keeps it."""
    known = await parts.people.get(platform, stranger)
    if known is not None or choice not in ("yes", "no"):
        return Reply(t("button-old"))
    if choice == "no":
        await parts.access.deny(platform, stranger, by=by)
        return Reply(t("denied-person", id=stranger))
    await parts.access.allow(platform, stranger, by=by)
    await parts.welcomes.welcome(platform, stranger)
    return Reply(t("allowed-person", id=stranger))


async def _stop(platform: str, whom: str, parts: Parts) -> None:
    """What runs for a person, or in a group. What it has made so far is kept."""
    for standing in parts.dispatcher.standings():
        conversation = await parts.conversations.get(standing.run.conversation_id)
        chat = ChatRef.of(conversation.platform, conversation.key)
        if chat.platform == platform and whom in (standing.run.sender, chat.chat):
            parts.dispatcher.cancel(standing.run.id)


def _whom(asked: Asked) -> str | None:
    """The id that was given, else whose message the command replies to."""
    first = asked.words[0] if asked.words else ""
    if _ID.fullmatch(first):
        return first
    author = asked.incoming.reply_author
    return author.id if author is not None and first in ("", "admin") else None


def _is_group(whom: str) -> bool:
    """People's ids are never negative; where groups' are not either, /allow is said in the group itself."""
    return whom.startswith("-")


async def _own(platform: str, whom: str, parts: Parts) -> Allowance | None:
    if (person := await parts.people.get(platform, whom)) is not None:
        return person.allowance
    chat = await parts.people.chat(platform, whom)
    return None if chat is None else chat.allowance


def _amounts(allowance: Allowance, t: Texts) -> str:
    values = asdict(allowance)
    return ", ".join(
        f"{word}={t('limits-as-usual') if values[field] is None else values[field]}"
        for word, field in _FIELDS.items()
    )
