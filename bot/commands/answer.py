"""The answer to a command, or to a button of one: who may ask is decided here, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.buttons import Action
from bot.chat import ChatKind, Incoming, Press
from bot.commands import about, accounts, admins, brand, deletion, preferences, results, running, why
from bot.commands.menu import MENU, Command
from bot.commands.parts import Asked, Handler, Parts, Reply
from bot.texts import Texts

HANDLERS: Final[Mapping[str, Handler]] = {
    "start": about.start,
    "help": about.help_,
    "new": about.new,
    "status": running.status,
    "plan": running.plan,
    "cancel": running.cancel,
    "files": results.files,
    "again": results.again,
    "resend": results.resend,
    "why": why.why,
    "bundle": why.bundle,
    "brand": brand.brand,
    "usage": accounts.usage,
    "language": preferences.language,
    "settings": preferences.settings,
    "delete": deletion.delete,
    "allow": admins.allow,
    "deny": admins.deny,
    "users": admins.users,
    "limits": admins.limits,
    "doctor": admins.doctor,
}
_FOR_ADMINS: Final = frozenset(spec.name for spec in MENU if spec.admin)


@dataclass(frozen=True, slots=True)
class Commands:
    """For those whom `Access` has let in."""

    parts: Parts

    async def obey(self, command: Command, incoming: Incoming, t: Texts) -> Reply:
        """At once, whatever runs: nothing here waits for a run.

        Raises:
            Refused: with the sentence that is the answer then.
            StorageError: it could not be looked up or changed.
        """
        chat = incoming.chat
        asked = Asked(
            command=command,
            incoming=incoming,
            conversation=await self.parts.conversations.get_or_create(chat.platform, chat.key),
            admin=await self.parts.access.admin(chat.platform, incoming.sender.id),
            t=t,
        )
        if command.name in _FOR_ADMINS and (why_not := _why_not(asked)):
            return Reply(t(why_not))
        return await HANDLERS.get(command.name, about.unknown)(asked, self.parts)

    async def why_not(self, action: Action, subject: str, choice: str, press: Press) -> str | None:
        """The sentence for who may not press this; None for who may, or would change nothing by it."""
        if action is Action.ERASE and not await deletion.may_press(subject, choice, press, self.parts):
            return "delete-not-yours"
        return None

    async def press(self, action: Action, subject: str, choice: str, press: Press, t: Texts) -> Reply:
        """What takes the place of the message that had the button. That the button is ours is known.

        Raises:
            StorageError: it could not be looked up or changed.
        """
        chat, parts = press.chat, self.parts
        conversation = await parts.conversations.get_or_create(chat.platform, chat.key)
        match action:
            case Action.LANGUAGE:
                return await preferences.choose_language(choice, conversation, parts, t)
            case Action.SETTING:
                return await preferences.choose_setting(subject, choice, chat, conversation, parts, t)
            case Action.ERASE:
                return await deletion.carry_out(subject, choice, press, parts, t)
            case Action.ADMIT:
                by = press.sender.id
                if press.kind is not ChatKind.PRIVATE or not await parts.access.admin(chat.platform, by):
                    return Reply(t("command-admins-only"))
                return await admins.admit(chat.platform, subject, choice, by=by, parts=parts, t=t)
            case _:
                return Reply(t("button-old"))


def _why_not(asked: Asked) -> str | None:
    """An admin's word counts where only they can have said it: not in a group, and not passed on."""
    if not asked.admin:
        return "command-admins-only"
    if asked.incoming.forwarded or asked.incoming.edited:
        return "command-said-anew"
    if not asked.private and (asked.command.name != "allow" or asked.words):
        return "command-in-private"  # but for letting in this group, or somebody by a reply
    return None
