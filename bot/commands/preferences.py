"""How we speak here: /language, /settings, and their buttons."""

from dataclasses import asdict, replace
from typing import Final

from bot.buttons import Action
from bot.chat import Button, ChatRef
from bot.commands.parts import Asked, Parts, Reply, Rows
from bot.texts import Language, Texts, texts
from storage.records import Conversation, Preferences

AUTO: Final = "auto"
_NAMES: Final = {Language.ENGLISH: "English", Language.RUSSIAN: "Русский"}
_SPOKEN: Final = {"english": "en", "английский": "en", "russian": "ru", "русский": "ru", "авто": AUTO}


async def language(asked: Asked, parts: Parts) -> Reply:
    word = asked.words[0].casefold() if asked.words else ""
    choice = _SPOKEN.get(word, word)
    if choice in (AUTO, *Language):
        return await choose_language(choice, asked.conversation, parts, asked.t)
    rows = (_languages(asked.incoming.chat, asked.conversation, parts, asked.t),)
    return Reply(asked.t("language-choose"), rows)


async def settings(asked: Asked, parts: Parts) -> Reply:
    return _settings(asked.incoming.chat, asked.conversation, parts, asked.t)


async def choose_language(choice: str, conversation: Conversation, parts: Parts, t: Texts) -> Reply:
    """The reply is in the language that was chosen."""
    if choice == AUTO:
        await parts.conversations.set_language(conversation.id, None)
        return Reply(t("language-auto"))
    if choice not in tuple(Language):
        return Reply(t("button-old"))
    await parts.conversations.set_language(conversation.id, choice)
    return Reply(texts(Language(choice))("language-chosen"))


async def choose_setting(
    name: str, choice: str, chat: ChatRef, conversation: Conversation, parts: Parts, t: Texts
) -> Reply:
    if name not in asdict(Preferences()) or choice not in ("on", "off"):
        return Reply(t("button-old"))
    changed = replace(conversation, preferences=replace(conversation.preferences, **{name: choice == "on"}))
    await parts.conversations.set_preferences(conversation.id, changed.preferences)
    return _settings(chat, changed, parts, t)


def _settings(chat: ChatRef, conversation: Conversation, parts: Parts, t: Texts) -> Reply:
    chosen = conversation.preferences
    rows: Rows = tuple(
        (_switch(chat, name, f"{t(label)}: {t('setting-on' if on else 'setting-off')}", on, parts),)
        for name, label, on in (
            ("rich", "setting-rich", chosen.rich),
            ("previews", "setting-previews", chosen.previews),
        )
    )
    return Reply(t("settings-choose"), (*rows, _languages(chat, conversation, parts, t)))


def _switch(chat: ChatRef, name: str, text: str, on: bool, parts: Parts) -> Button:
    return parts.buttons.button(chat, text, Action.SETTING, name, "off" if on else "on")


def _languages(chat: ChatRef, conversation: Conversation, parts: Parts, t: Texts) -> tuple[Button, ...]:
    """The one in force has a mark."""
    offered = {**_NAMES, AUTO: t("language-by-itself")}
    now = conversation.language or AUTO
    return tuple(
        parts.buttons.button(chat, f"✓ {name}" if choice == now else name, Action.LANGUAGE, "", str(choice))
        for choice, name in offered.items()
    )
