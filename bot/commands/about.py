"""Who we are and what we can do: /start, /help, /new."""

from bot.commands.menu import MENU
from bot.commands.parts import Asked, Parts, Reply


async def start(asked: Asked, parts: Parts) -> Reply:
    del parts
    return Reply(asked.t("welcome"))


async def help_(asked: Asked, parts: Parts) -> Reply:
    del parts
    return Reply(_help(asked))


async def unknown(asked: Asked, parts: Parts) -> Reply:
    del parts
    return Reply(f"{asked.t('command-unknown')}\n\n{_help(asked)}")


async def new(asked: Asked, parts: Parts) -> Reply:
    newest = await parts.runs.list(1, conversation_id=asked.conversation.id)
    await parts.conversations.begin_anew(asked.conversation.id, newest[0].id if newest else None)
    return Reply(asked.t("begun-anew"))


def _help(asked: Asked) -> str:
    """Admins read of their own commands where they can use them."""
    t = asked.t
    everyone = [f"/{spec.name} – {t(spec.key)}" for spec in MENU if not spec.admin]
    admins = [f"/{spec.name} – {t(spec.key)}" for spec in MENU if spec.admin]
    lines = [t("help-intro"), *everyone]
    if asked.admin and asked.private:
        lines += ["", t("help-admins"), *admins]
    return "\n".join(lines)
