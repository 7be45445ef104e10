"""The intake: what adapters tell becomes requests, answers and presses, each stored before it is acted on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import structlog

from bot.asking import Asking
from bot.chat import ChatAdapter, ChatRef, Event, Incoming, Joined, Left, Message, MessageRef, Moved, Press
from bot.commands import Command, Reply, parse
from bot.dispatch import Dispatcher, JobState
from bot.errors import ChatError
from bot.gateway import Obeys
from bot.intake.assembly import Draft, Part, replay, words
from bot.intake.door import Door, Guard
from bot.intake.edits import Edits
from bot.intake.places import Places
from bot.intake.presses import Presses
from bot.intake.receipt import Receipt
from bot.intake.replies import why
from bot.intake.requests import Key, Requests
from bot.intake.strays import Strays
from bot.intake.wire import from_entry, said_key, to_record
from bot.refusals import sorry
from bot.tasks import Tasks
from bot.telemetry import bind, note_fault
from storage.conversations import Conversations
from storage.errors import StorageError, StorageUnavailable
from storage.inbox import Inbox
from storage.mail import InboxEntry, InboxId

GRACE = 3.0
"""Seconds that what is short may take to end when we close."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True, kw_only=True)
class Intake:
    inbox: Inbox
    door: Door
    guard: Guard
    requests: Requests
    commands: Obeys
    presses: Presses
    edits: Edits
    asking: Asking
    places: Places
    strays: Strays
    dispatcher: Dispatcher
    conversations: Conversations
    adapters: Mapping[str, ChatAdapter]
    tasks: Tasks
    clock: Callable[[], float]
    """Monotonic, in seconds."""
    _closed: bool = field(default=False, init=False)
    _early: set[InboxId] | None = field(default_factory=set[InboxId], init=False)
    """What came before `recover` was called, and is nothing that it has to take up; None since then."""

    async def receive(self, event: Event) -> None:
        """What adapters call. It returns when the event is stored, or is none of our business.

        Raises:
            StorageError: it could not be stored. The platform must not be told that we have it.
        """
        if self._closed:
            raise StorageUnavailable
        bind(platform=event.chat.platform, chat=event.chat.key)
        try:
            match event:
                case Incoming():
                    await self._said(event)
                case Press():
                    if await self.door.admits(event) and (entry := await self._keep(event)) is not None:
                        self.tasks.spawn(self._pressed(entry.id, event), "press")
                case Joined():
                    await self.door.joined(event)
                case Left(chat=chat):
                    await self._left(chat)
                case Moved():
                    await self._moved(event)
        except StorageError:
            raise
        except Exception as fault:
            note_fault(fault)

    async def recover(self) -> None:
        """Take up what waits in the inbox. After `Dispatcher.recover`, whose runs may have open questions.

        Raises:
            StorageError: the inbox cannot be read.
        """
        said: dict[Key, list[Part]] = {}
        others: list[tuple[InboxEntry, Incoming | Press]] = []
        for entry, event in await self._waiting():
            if isinstance(event, Press) or event.edited or parse(event.text) or _why(event):
                others.append((entry, event))
            elif (run_id := await self.asking.asked(event, repeated=True)) is not None:
                await self.asking.answer(run_id, event.text.strip())
                await self.inbox.done([entry.id])
            else:
                at = entry.received_at.timestamp()
                part = Part(id=entry.id, said=event, at=at, reply=entry.reply)
                said.setdefault((event.chat, event.sender.id), []).append(part)
        edits = {entry.id: event for entry, event in others if isinstance(event, Incoming) and event.edited}
        for parts in said.values():
            for draft in replay(parts, self.requests.patience):
                self.requests.restore(_reworded(draft, edits))
        for entry, event in others:
            if entry.id in edits or not (isinstance(event, Incoming) and event.edited):
                self._act(entry, event)
        await self._watch_places()

    async def close(self) -> None:
        """Take nothing more, and let end what is short. The rest waits in the inbox for `recover`."""
        self._closed = True
        await self.tasks.close(GRACE)

    async def _waiting(self) -> list[tuple[InboxEntry, Incoming | Press]]:
        found: list[tuple[InboxEntry, Incoming | Press]] = []
        waiting = await self.inbox.waiting()
        early, self._early = self._early or set[InboxId](), None
        for entry in waiting:
            if entry.platform not in self.adapters or entry.id in early:
                continue
            event = from_entry(entry)
            if event is None:
                _log.warning("inbox_unreadable", entry=entry.id, kind=entry.kind)
                await self.inbox.done([entry.id])
            else:
                found.append((entry, event))
        return found

    async def _watch_places(self) -> None:
        """Of the runs that were waiting already when an earlier process ended."""
        for standing in self.dispatcher.standings():
            run = standing.run
            if standing.state is JobState.QUEUED and run.progress_message is not None:
                conversation = await self.conversations.get(run.conversation_id)
                chat = ChatRef.of(conversation.platform, conversation.key)
                self.places.watch(run, MessageRef(chat, run.progress_message))

    async def _said(self, said: Incoming) -> None:
        if not said.addressed and not self.requests.has_batch(said):
            self.strays.keep(said)
            return
        if self.requests.is_too_much(said) or not await self.door.admits(said):
            return
        entry = await self._keep(said)
        if entry is None:
            return
        self._act(entry, said)
        for stray in self.strays.take(said):
            if (entry := await self._keep(stray)) is not None:
                self._act(entry, stray)

    async def _keep(self, event: Incoming | Press) -> InboxEntry | None:
        kind, payload = to_record(event)
        first = isinstance(event, Incoming) and not event.edited
        entry = await self.inbox.put(
            event.chat.platform,
            event.event,
            chat=event.chat.key,
            kind=kind,
            payload=payload,
            said=said_key(event.message) if first and event.message else None,
        )
        if entry is not None and self._early is not None:
            self._early.add(entry.id)
        return entry

    def _act(self, entry: InboxEntry, event: Incoming | Press) -> None:
        if isinstance(event, Press):
            self.tasks.spawn(self._pressed(entry.id, event), "press")
        elif event.edited:
            self.tasks.spawn(self._edited(entry.id, event), "edit")
        elif (command := parse(event.text)) is not None:
            if command.name == "again":  # a request, with files perhaps
                self.requests.again(self._part(entry, event))
            else:
                self.tasks.spawn(self._commanded(entry.id, command, event), "command")
        elif (question := _why(event)) is not None:
            self.tasks.spawn(self._asked_why(entry, question, event), "why")
        elif not event.attachments and not self._has_words(event):
            self.tasks.spawn(self._nudged(entry, event), "nudge")
        elif event.attachments or not self.dispatcher.standings():
            self.requests.add(self._part(entry, event))
        else:
            self.tasks.spawn(self._answered(entry, event), "answer")

    def _part(self, entry: InboxEntry, said: Incoming) -> Part:
        return Part(id=entry.id, said=said, at=self.clock(), reply=entry.reply)

    async def _answered(self, entry: InboxEntry, said: Incoming) -> None:
        """Words may be the answer to a run's question; all others are a request."""
        part = self._part(entry, said)
        run_id = await self.asking.asked(said)
        if run_id is None or not await self.asking.answer(run_id, said.text.strip()):
            self.requests.add(part)
            return
        await self.inbox.done([entry.id])
        if said.message is not None:
            try:
                await self.adapters[said.chat.platform].react(said.message)
            except ChatError as fault:
                _log.info("not_reacted", reason=repr(fault))

    async def _asked_why(self, entry: InboxEntry, question: Command, said: Incoming) -> None:
        """Of our answers alone, and not while a run waits for this person's: then it is what it always is."""
        gateway = self.requests.admission.gateway
        if await self.asking.asked(said) is None and await gateway.answered(said) is not None:
            await self._commanded(entry.id, question, said)
        else:
            await self._answered(entry, said)

    def _has_words(self, said: Incoming) -> bool:
        """ "!!!" behind a request goes with it."""
        return bool(words(said.text)) or self.requests.is_gathering((said.chat, said.sender.id))

    async def _nudged(self, entry: InboxEntry, said: Incoming) -> None:
        """A question mark or a smile answers a run's question. Else it asks how things stand."""
        run_id = await self.asking.asked(said)
        if run_id is not None and await self.asking.answer(run_id, said.text.strip()):
            await self.inbox.done([entry.id])
            return
        t = await self.requests.admission.texts(said)
        conversation = await self.conversations.get_or_create(said.chat.platform, said.chat.key)
        reply = Reply(t("words-missing"))
        if self.dispatcher.standings(conversation.id):
            reply = await self.commands.obey(Command("status"), said, t)
        if await Receipt(self.adapters[said.chat.platform], said.chat, to=said.message).say(
            Message(text=reply.text)
        ):
            await self.inbox.done([entry.id])

    async def _pressed(self, entry: InboxId, press: Press) -> None:
        if await self.presses.act(entry, press, self.requests):
            await self.inbox.done([entry])

    async def _edited(self, entry: InboxId, edit: Incoming) -> None:
        if not self.requests.reword(entry, edit):
            await self.requests.settled(edit)
            await self.inbox.done([entry], await self.edits.apply(edit))

    async def _commanded(self, entry: InboxId, command: Command, incoming: Incoming) -> None:
        t = await self.requests.admission.texts(incoming)
        key = (incoming.chat, incoming.sender.id)
        stopped = command.name == "cancel" and self.requests.cancel(key)
        try:
            reply = await self.commands.obey(command, incoming, t)
        except Exception as fault:
            reply = Reply(sorry(fault, t))
        if command.name == "new":
            await self.requests.forget([key])
        message = Message(
            kind=reply.kind,
            text=t("cancelling") if stopped else reply.text,
            buttons=reply.buttons,
        )
        adapter = self.adapters[incoming.chat.platform]
        await Receipt(adapter, incoming.chat, to=incoming.message).say(message)
        # Also when nobody could be told: obeyed once more at the next start, it might undo what came since.
        await self.inbox.done([entry])

    async def _left(self, chat: ChatRef) -> None:
        """Nobody is there to read; what has been made is kept."""
        keys = self.requests.keys(chat)
        for key in keys:
            self.requests.cancel(key)
        self.tasks.spawn(self.requests.forget(keys), "left")
        for conversation in await self.conversations.of_chat(chat.platform, chat.chat):
            for standing in self.dispatcher.standings(conversation.id):
                self.dispatcher.cancel(standing.run.id)

    async def _moved(self, event: Moved) -> None:
        old, new = event.chat, event.to
        await self.conversations.move(old.platform, old.chat, new.chat)
        await self.guard.moved(old.platform, old.chat, new.chat)
        self.requests.move(old, replace(new, thread=""))


def _why(said: Incoming) -> Command | None:
    return None if said.attachments or said.reply_to is None else why(said.text)


def _reworded(draft: Draft, edits: dict[InboxId, Incoming]) -> Draft:
    """With the edits that are about it, which are taken out of `edits`."""
    for entry, edit in tuple(edits.items()):
        chat, sender = draft.parts[0].said.chat, draft.parts[0].said.sender
        if edit.message is not None and (edit.chat, edit.sender.id) == (chat, sender.id):
            changed = draft.reworded(edit.message.message, edit.text, entry)
            if changed is not None:
                draft = changed
                del edits[entry]
    return draft
