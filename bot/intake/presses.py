"""Presses: what becomes of a button that somebody pressed. Whoever may not press it reads so, and no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.asking import Asking
from bot.buttons import Action, Buttons, Pressed
from bot.chat import ChatAdapter, Message, MessageKind, MessageRef, Press
from bot.commands import Reply
from bot.dispatch import Dispatcher, JobState
from bot.errors import ChatError, Refused
from bot.gateway import Gateway
from bot.intake.places import Places
from bot.refusals import sorry
from bot.render import shown
from bot.texts import Language, Texts, texts
from storage.conversations import Conversations
from storage.errors import AlreadyRepeated, NoSuchRun
from storage.mail import InboxId
from storage.records import Run, RunId
from storage.runs import Runs

TOAST = 200
"""Characters."""

_log = structlog.stdlib.get_logger(__name__)


class Admins(Protocol):
    async def admin(self, platform: str, sender: str) -> bool: ...


class Answers(Protocol):
    async def why_not(self, action: Action, subject: str, choice: str, press: Press) -> str | None:
        """The sentence for who may not press it: the message stays as it is, for who may."""
        ...

    async def press(self, action: Action, subject: str, choice: str, press: Press, t: Texts) -> Reply:
        """What takes the place of the message that had the button."""
        ...


_OF_COMMANDS = (Action.LANGUAGE, Action.SETTING, Action.ERASE, Action.ADMIT)


class Preset(Protocol):
    """Files that wait for words; `subject` is what their buttons carry."""

    def owner(self, subject: str) -> str | None:
        """Who sent them; None when they do not wait any more."""
        ...

    def begin(self, subject: str, choice: str, entry: InboxId) -> bool:
        """Begin with the words of that choice. `entry` is the press, which the run then consumes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Presses:
    buttons: Buttons
    runs: Runs
    conversations: Conversations
    dispatcher: Dispatcher
    gateway: Gateway
    asking: Asking
    places: Places
    commands: Answers
    access: Admins
    adapters: Mapping[str, ChatAdapter]
    fallback: Language

    async def act(self, entry: InboxId, press: Press, preset: Preset) -> bool:
        """Whether that was all; False when the entry goes into a run that is still to be made.

        The toast comes first, since who pressed looks at a button that waits.
        """
        t = await self.texts(press)
        pressed = self.buttons.verify(press.chat, press.data)
        if pressed is None:
            await self.toast(press, t("press-unknown"))
        elif pressed.action is Action.PRESET:
            owner = preset.owner(pressed.subject)
            mine = owner is not None and await self.may(press, owner)
            begun = mine and preset.begin(pressed.subject, pressed.choice, entry)
            key = "press-begun" if begun else "press-over" if mine or owner is None else "press-not-yours"
            await self.toast(press, t(key))
            return not begun
        elif pressed.action in _OF_COMMANDS:
            await self._of_a_command(press, pressed, t)
        else:
            await self._about_a_run(entry, press, pressed, t)
        return True

    async def may(self, press: Press, owner: str) -> bool:
        return press.sender.id == owner or await self.access.admin(press.chat.platform, press.sender.id)

    async def toast(self, press: Press, text: str) -> None:
        """Best effort: a platform forgets a press within seconds."""
        try:
            await self.adapters[press.chat.platform].toast(press, text[:TOAST])
        except ChatError as fault:
            _log.info("toast_not_shown", reason=repr(fault))

    async def texts(self, press: Press) -> Texts:
        conversation = await self.conversations.get_or_create(press.chat.platform, press.chat.key)
        return texts(Language(conversation.language or press.sender.language or self.fallback))

    async def _of_a_command(self, press: Press, pressed: Pressed, t: Texts) -> None:
        why_not = await self.commands.why_not(pressed.action, pressed.subject, pressed.choice, press)
        await self.toast(press, "" if why_not is None else t(why_not))
        if why_not is not None:
            return
        reply = await self.commands.press(pressed.action, pressed.subject, pressed.choice, press, t)
        message = Message(kind=reply.kind, text=reply.text, buttons=reply.buttons)
        adapter = self.adapters[press.chat.platform]
        try:
            if press.message is None:
                await adapter.post(press.chat, message)
            else:
                await adapter.edit(press.message, message)
        except ChatError as fault:
            _log.info("press_not_answered", reason=repr(fault))

    async def _about_a_run(self, entry: InboxId, press: Press, pressed: Pressed, t: Texts) -> None:
        try:
            run = await self.runs.get(RunId(pressed.subject))
        except NoSuchRun:
            await self.toast(press, t("press-over"))
            return
        if not await self.may(press, run.sender):
            await self.toast(press, t("press-not-yours"))
            return
        match pressed.action:
            case Action.CANCEL:
                stopped = self.dispatcher.cancel(run.id)
                await self.toast(press, t("press-cancelling" if stopped else "press-over"))
            case Action.RETRY:
                await self._retry(entry, press, run, t)
            case Action.ANSWER:
                words = None if run.status.is_final else await self.asking.option(run.id, pressed.choice)
                await self.toast(press, t("press-over") if words is None else shown(words, TOAST))
                if words is not None:
                    await self.asking.answer(run.id, words)
            case _:
                await self.toast(press, t("press-over"))

    async def _retry(self, entry: InboxId, press: Press, run: Run, t: Texts) -> None:
        try:
            new = await self.gateway.retry(run, consumes=[entry])
        except AlreadyRepeated:
            await self.toast(press, t("press-retried"))
            return
        except Refused as refused:
            await self.toast(press, sorry(refused, t))
            return
        await self.toast(press, t("press-retrying"))
        await self._begin(new, press)

    async def _begin(self, run: Run, press: Press) -> None:
        """The new run's message comes before the run does: one message shows a run, from its beginning."""
        message = Message(
            kind=MessageKind.PROGRESS, text=texts(Language(run.language))("press-retrying"), run_id=run.id
        )
        to = None if run.request_message is None else MessageRef(press.chat, run.request_message)
        ref: MessageRef | None = None
        try:
            ref = await self.adapters[press.chat.platform].post(press.chat, message, reply_to=to)
            await self.runs.show_progress_in(run.id, ref.message)
        except ChatError as fault:
            _log.warning("retry_not_shown", run_id=run.id, reason=repr(fault))
        standing = self.dispatcher.submit(await self.runs.get(run.id))
        if standing.state is JobState.QUEUED and ref is not None:
            self.places.watch(run, ref)
