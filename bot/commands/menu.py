"""The menu: which commands there are, and which one a message is. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.texts import Language, texts

_SHAPE = re.compile(r"/ ?(\w{0,32})(?:@\w+)?(?:\s+|$)")
"""Also what is none of ours, in any alphabet, or half typed: nobody means a request by it."""
_ALIASES: Final = {"pair": "start"}


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    """In small letters. Nobody promises that there is such a command."""
    arguments: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    name: str
    key: str
    """The sentence in `locales` that says in a few words what it does."""
    admin: bool = False
    """For admins, in a private chat."""
    groups: bool = True
    """Worth offering in a group."""


MENU: Final = (
    CommandSpec(name="status", key="menu-status"),
    CommandSpec(name="plan", key="menu-plan"),
    CommandSpec(name="cancel", key="menu-cancel"),
    CommandSpec(name="files", key="menu-files"),
    CommandSpec(name="why", key="menu-why"),
    CommandSpec(name="again", key="menu-again"),
    CommandSpec(name="resend", key="menu-resend"),
    CommandSpec(name="bundle", key="menu-bundle"),
    CommandSpec(name="brand", key="menu-brand"),
    CommandSpec(name="new", key="menu-new"),
    CommandSpec(name="usage", key="menu-usage"),
    CommandSpec(name="language", key="menu-language"),
    CommandSpec(name="settings", key="menu-settings"),
    CommandSpec(name="delete", key="menu-delete"),
    CommandSpec(name="help", key="menu-help"),
    CommandSpec(name="start", key="menu-start", groups=False),
    CommandSpec(name="allow", key="menu-allow", admin=True),
    CommandSpec(name="deny", key="menu-deny", admin=True),
    CommandSpec(name="users", key="menu-users", admin=True),
    CommandSpec(name="limits", key="menu-limits", admin=True),
    CommandSpec(name="doctor", key="menu-doctor", admin=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    name: str
    description: str
    admin: bool = False
    """For admins, in their own chat with us only."""
    groups: bool = True
    """Makes sense in a group."""


Menu = Mapping[Language, Sequence[Entry]]


def worded() -> Menu:
    """The menu in every language, for platforms that show it while a person types."""
    return {
        language: [
            Entry(name=spec.name, description=texts(language)(spec.key), admin=spec.admin, groups=spec.groups)
            for spec in MENU
        ]
        for language in Language
    }


def parse(text: str) -> Command | None:
    """The command that `text` begins with, if it does; a platform may append `@name-of-the-bot`."""
    stripped = text.strip()
    found = _SHAPE.match(stripped)
    if found is None:
        return None
    name = found[1].lower()
    return Command(_ALIASES.get(name, name), stripped[found.end() :])
