"""Admission: a request that is complete becomes a run, or its person reads why not."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

import structlog

from bot.buttons import Action, Buttons
from bot.chat import Button, ChatAdapter, ChatRef, Incoming, Message, MessageKind
from bot.dispatch import JobState
from bot.errors import ChatError
from bot.gateway import MAX_FILES, Gateway
from bot.intake.assembly import Draft, Part
from bot.intake.filetypes import sorted_out
from bot.intake.places import Places
from bot.intake.receipt import Receipt, Sleep
from bot.intake.replies import is_same
from bot.refusals import named, sorry
from bot.telemetry import bind, note_fault
from bot.texts import Language, Texts, texts
from storage.errors import StorageError
from storage.inbox import Inbox
from storage.mail import InboxId

PRESETS = (("eda", "deck"), ("report", "look"))
"""What can be made of files without a word: rows of buttons."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True)
class Line:
    """A request in the making, and the message that says how it stands."""

    draft: Draft
    receipt: Receipt
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the draft has grown."""
    task: asyncio.Task[None] | None = None
    """None while its files wait for words."""
    noted: tuple[tuple[InboxId, ...], str] | None = None
    """The entries of the inbox that are noted as acknowledged, and by which message."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it was cancelled."""
    again: bool = False
    """Its words are those of its person's earlier request."""
    language: Language | None = None
    """In which its person was asked what the files are for."""

    @property
    def cancelled(self) -> bool:
        return self.stop.is_set()


@dataclass(slots=True, kw_only=True)
class Admission:
    inbox: Inbox
    gateway: Gateway
    places: Places
    buttons: Buttons
    adapters: Mapping[str, ChatAdapter]
    sleep: Sleep = asyncio.sleep

    def receipt(self, part: Part, posted: str | None = None) -> Receipt:
        chat = part.said.chat
        return Receipt(
            self.adapters[chat.platform], chat, to=part.said.message, posted=posted, sleep=self.sleep
        )

    async def acknowledge(self, line: Line) -> None:
        said = line.draft.parts[0].said
        if line.receipt.ref is None:
            t = await self.texts(said)
            await line.receipt.open(Message(kind=MessageKind.PROGRESS, text=t("received")))
            await self._note_receipt(line)
        if said.message is not None:
            try:
                await self.adapters[said.chat.platform].react(said.message)
            except ChatError as fault:
                _log.info("not_reacted", reason=repr(fault))

    async def ask_for_words(self, line: Line) -> str | None:
        """What the files are for. The refusal where there is nothing to ask about: it ends the request."""
        request = await self.gateway.understood(line.draft.request())
        line.language = self.gateway.language(request)
        t = texts(line.language)
        taken, others = sorted_out(request.attachments)
        refusal = t("file-kinds", names=named([item.name for item in others])) if others else ""
        if not taken or len(taken) > MAX_FILES:
            return t("files-too-many", limit=MAX_FILES) if taken else refusal
        await self._note_receipt(line)
        question = t("files-for-what", count=len(taken), names=named([item.name for item in taken]))
        rows = tuple(tuple(self._preset(request.chat, line, name, t) for name in row) for row in PRESETS)
        await line.receipt.say(
            Message(kind=MessageKind.QUESTION, text=f"{refusal}\n{question}".strip(), buttons=rows)
        )
        return None

    async def begin(self, line: Line) -> None:
        """What goes wrong is told."""
        try:
            await self._begin(line)
        except Exception as fault:
            await self.give_up(line, fault)

    async def give_up(self, line: Line, fault: Exception) -> None:
        """Where the store cannot even note the end, the request waits in the inbox for the next start."""
        t = texts(self.gateway.language(line.draft.request()))
        text = sorry(fault, t)
        try:
            await self.end(line, text)
        except StorageError as again:
            note_fault(again)
            await line.receipt.say(Message(text=t("kept-for-later")))

    async def end(self, line: Line, text: str) -> None:
        """The request comes to nothing, and the person knows: done, unless they could not be told."""
        if await line.receipt.say(Message(text=text)):
            await self.inbox.done(line.draft.ids)

    async def texts(self, incoming: Incoming) -> Texts:
        return texts(self.gateway.language(await self.gateway.understood(incoming)))

    async def _begin(self, line: Line) -> None:
        request = await self.gateway.understood(line.draft.request())
        bind(platform=request.chat.platform, chat=request.chat.key)
        if line.receipt.ref is None:
            await self.acknowledge(line)
        await self._note_receipt(line)
        taken, others = sorted_out(request.attachments)
        request = replace(request, attachments=taken)
        redoes = None
        if line.again or (
            is_same(request.text) and taken and await self.gateway.answered(request) is not None
        ):
            repeated = await self.gateway.again(request)
            request, redoes = repeated.request, repeated.redoes
        t = texts(self.gateway.language(request))
        if line.cancelled:
            await self.end(line, t("cancelled-early"))
            return
        admitted = await self.gateway.admit(
            request,
            consumes=line.draft.ids,
            progress=line.receipt.ref.message if line.receipt.ref else None,
            redoes=redoes,
            late=_late(line, t),
            stop=line.stop,
        )
        if line.cancelled:
            self.gateway.dispatcher.cancel(admitted.run.id)
        elif admitted.standing.state is JobState.QUEUED and line.receipt.ref is not None:
            self.places.watch(admitted.run, line.receipt.ref)
        notes: list[str] = []
        if others:
            notes.append(t("file-kinds-without", names=named([item.name for item in others])))
        if admitted.left_out:
            notes.append(self.gateway.left_out(admitted.left_out, t))
        if notes:
            await self.receipt(line.draft.parts[0]).say(Message(text="\n".join(notes)))

    async def _note_receipt(self, line: Line) -> None:
        if line.receipt.ref is None:
            return
        ids, message = line.draft.ids, line.receipt.ref.message
        if line.noted != (ids, message):  # each note is a commit that others wait for
            await self.inbox.acknowledged(ids, message)
            line.noted = ids, message

    def _preset(self, chat: ChatRef, line: Line, name: str, t: Texts) -> Button:
        subject = str(line.draft.parts[0].id)
        return self.buttons.button(chat, t(f"button-{name}"), Action.PRESET, subject, name)


def _late(line: Line, t: Texts) -> Callable[[], Awaitable[None]]:
    async def late() -> None:
        await line.receipt.hint(Message(kind=MessageKind.PROGRESS, text=t("fetching")))

    return late
