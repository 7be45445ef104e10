"""The gateway: one request becomes one run."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from bot import render
from bot.chat import ChatAdapter, ChatRef, Event, Incoming, Message, MessageKind
from bot.commands import Command, Reply, parse
from bot.dispatch import Dispatcher, JobState, Standing
from bot.errors import Refused
from bot.history import History
from bot.inputs import carry_over, own, with_brand
from bot.intake.fetching import Fetcher, Late
from bot.refusals import named, sorry
from bot.telemetry import bind, note_fault
from bot.texts import Language, Texts, language_of, texts
from storage.conversations import Conversations
from storage.mail import InboxId
from storage.outbox import Outbox
from storage.records import Conversation, InputRef, Run, RunId, RunStatus
from storage.runs import Runs

MAX_REQUEST = 32_000
"""Characters. A longer text belongs in a file."""
MAX_FILES = 20
"""Of one message, and of one run with those that people sent in earlier messages."""

_log = structlog.stdlib.get_logger(__name__)


class Obeys(Protocol):
    async def obey(self, command: Command, incoming: Incoming, t: Texts) -> Reply:
        """At once, whatever runs: nothing here waits for a run.

        Raises:
            Refused: with the sentence that is the answer then.
        """
        ...


class Quota(Protocol):
    async def may_begin(self, chat: ChatRef, sender: str) -> None:
        """
        Raises:
            Refused: the person, or the chat, has had its share.
        """
        ...

    def beginning(self, chat: ChatRef, sender: str) -> AbstractAsyncContextManager[None]:
        """`may_begin`, for a block that stores the run: of many requests at once none slips through."""
        ...


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that has become a run."""

    run: Run
    standing: Standing
    left_out: tuple[InputRef, ...]
    """Earlier files that do not come along any more."""


@dataclass(frozen=True, slots=True)
class Again:
    """An earlier request over new files."""

    request: Incoming
    redoes: RunId | None
    """The run whose scripts may do for them; None where it came to no end."""


@dataclass(slots=True, kw_only=True)
class Gateway:
    conversations: Conversations
    runs: Runs
    outbox: Outbox
    history: History
    fetcher: Fetcher
    dispatcher: Dispatcher
    commands: Obeys
    adapters: Mapping[str, ChatAdapter]
    input_bytes: int
    """Of all files of one run: those of earlier messages come along as far as there is room."""
    queue: int = 5
    """Requests of one conversation that wait."""
    fallback: Language = Language.ENGLISH
    quota: Quota

    async def receive(self, incoming: Event) -> None:
        """For a terminal. What goes wrong is told to the person, or else the log: nothing is raised."""
        if not isinstance(incoming, Incoming):
            return
        bind(platform=incoming.chat.platform, chat=incoming.chat.key)
        t = texts(self.language(incoming))
        try:
            command = parse(incoming.text)
            if command is None:
                await self.accept(incoming)
            elif command.name == "again" and incoming.attachments:
                again = await self.again(incoming)
                await self.accept(again.request, redoes=again.redoes)
            else:
                reply = await self.commands.obey(command, incoming, t)
                await self._tell(incoming, reply.text, reply.kind)
        except Exception as fault:
            await self._tell(incoming, sorry(fault, t))

    async def accept(self, incoming: Incoming, *, redoes: RunId | None = None) -> Run:
        """`admit` where the platform keeps nothing: what there is to say is said in messages of their own.

        Raises:
            Refused: it will not become a run, and its files are not kept.
            StorageError: it could not be stored.
        """
        admitted = await self.admit(incoming, redoes=redoes)
        t = texts(Language(admitted.run.language))
        if admitted.standing.state is JobState.QUEUED:
            await self._tell(incoming, t("queued", ahead=admitted.standing.ahead))
        if admitted.left_out:
            await self._tell(incoming, self.left_out(admitted.left_out, t))
        return admitted.run

    async def admit(
        self,
        incoming: Incoming,
        *,
        consumes: Sequence[InboxId] = (),
        progress: str | None = None,
        redoes: RunId | None = None,
        late: Late | None = None,
        stop: asyncio.Event | None = None,
    ) -> Admitted:
        """Store the request with its files, and queue its run.

        The entries of the inbox that it `consumes` are done in the same transaction. `progress` is the
        message that the run shows itself in. `late` is called when the files take their time; `stop` ends
        the waiting for them.

        Raises:
            Refused: it will not become a run, and its files are not kept.
            StorageError: it could not be stored.
        """
        request = incoming.text.strip()
        self._check(request, incoming)
        conversation = await self._conversation(incoming.chat)
        await self._check_room(conversation, incoming.sender.id)
        sent = await self.fetcher.fetch(
            self.adapters[incoming.chat.platform], incoming.attachments, late=late, stop=stop
        )
        try:
            meant = await self._replied_to(incoming)
            history = await self.history.of(conversation, first=meant)
            theirs = own(history, incoming.sender.id, sent=bool(sent), meant=meant)
            earlier = carry_over(theirs, sent, files=MAX_FILES, size=self.input_bytes)
            async with self.quota.beginning(incoming.chat, incoming.sender.id):
                self._check_queue(conversation)  # others may have come while the files did
                run = await self.runs.create(
                    conversation.id,
                    request,
                    language=self.language(incoming),
                    inputs=with_brand((*sent, *earlier.carried), conversation.brand),
                    owner=str(self.dispatcher.owner),
                    sender=incoming.sender.id,
                    request_message=incoming.message.message if incoming.message else None,
                    progress_message=progress,
                    redoes=redoes,
                    consumes=consumes,
                )
        except Exception:  # cancelled, the run may be on record, and it needs its files
            await self.fetcher.drop(sent)
            raise
        _log.info("run_accepted", run_id=run.id, files=len(sent), earlier_files=len(earlier.carried))
        return Admitted(run, self.dispatcher.submit(run), earlier.left_out)

    async def retry(self, run: Run, *, consumes: Sequence[InboxId] = ()) -> Run:
        """A new run with the request and the files of one that failed. The caller submits it.

        Raises:
            Refused: it will not become a run.
            AlreadyRepeated: there is one.
        """
        if run.status not in (RunStatus.FAILED, RunStatus.CANCELLED):
            key = "press-over"
            raise Refused(key)
        await self._check_room(await self.conversations.get(run.conversation_id), run.sender)
        return await self.runs.create(
            run.conversation_id,
            run.request,
            language=run.language,
            inputs=run.inputs,
            owner=str(self.dispatcher.owner),
            sender=run.sender,
            request_message=run.request_message,
            repeats=run.id,
            redoes=run.redoes,
            consumes=consumes,
        )

    async def again(self, incoming: Incoming) -> Again:
        """What the message replies to, or the person's last request, over the files of this message.

        Raises:
            Refused: there is no earlier request, or no file.
        """
        meant = await self.answered(incoming)
        last = meant or await self.history.last_request(
            await self._conversation(incoming.chat), incoming.sender.id
        )
        if last is None or not incoming.attachments:
            key = "again-nothing" if last is None else "again-files-missing"
            raise Refused(key)
        request = replace(incoming, text=last.request, language=Language(last.language))
        return Again(request, last.id if last.status is RunStatus.FINISHED else None)

    async def answered(self, incoming: Incoming) -> Run | None:
        """The run whose answer, or another message of ours about it, this one replies to; None for others."""
        meant = await self._replied_to(incoming)
        run = None if meant is None else await self.runs.get(meant)
        if run is None or run.status is not RunStatus.FINISHED or run.request_message == incoming.reply_to:
            return None
        return run

    async def understood(self, incoming: Incoming) -> Incoming:
        """With the language chosen for the conversation; where nothing tells, that of their last request."""
        conversation = await self._conversation(incoming.chat)
        chosen = conversation.language
        if chosen is None and language_of(incoming.text) is None:
            last = await self.history.last_request(conversation, incoming.sender.id)
            chosen = None if last is None else last.language
        return incoming if chosen is None else replace(incoming, language=Language(chosen))

    def language(self, incoming: Incoming) -> Language:
        return incoming.language or language_of(incoming.text) or incoming.sender.language or self.fallback

    def left_out(self, items: Sequence[InputRef], t: Texts) -> str:
        return t(
            "files-left-out",
            count=len(items),
            names=named([item.original for item in items]),
            files=MAX_FILES,
            size=render.file_size(self.input_bytes),
        )

    def _check(self, request: str, incoming: Incoming) -> None:
        if not request:
            key = "request-missing"
            raise Refused(key)
        if len(request) > MAX_REQUEST:
            key = "request-too-long"
            raise Refused(key, limit=MAX_REQUEST)
        if len(incoming.attachments) > MAX_FILES:
            key = "files-too-many"
            raise Refused(key, limit=MAX_FILES)
        self.fetcher.check(incoming.attachments)

    async def _check_room(self, conversation: Conversation, sender: str) -> None:
        self._check_queue(conversation)
        await self.quota.may_begin(ChatRef.of(conversation.platform, conversation.key), sender)

    def _check_queue(self, conversation: Conversation) -> None:
        waiting = sum(
            standing.state is JobState.QUEUED for standing in self.dispatcher.standings(conversation.id)
        )
        if waiting >= self.queue:
            key = "queue-full"
            raise Refused(key, limit=self.queue)

    async def _replied_to(self, incoming: Incoming) -> RunId | None:
        """The run whose message this one replies to. None but of the same conversation is looked at."""
        if incoming.reply_to is None:
            return None
        return await self.outbox.run_of(incoming.chat.platform, incoming.chat.key, incoming.reply_to)

    async def _conversation(self, chat: ChatRef) -> Conversation:
        return await self.conversations.get_or_create(chat.platform, chat.key)

    async def _tell(self, incoming: Incoming, text: str, kind: MessageKind = MessageKind.NOTICE) -> None:
        """A platform that does not take it changes nothing."""
        try:
            await self.adapters[incoming.chat.platform].post(
                incoming.chat, Message(text=text, kind=kind), reply_to=incoming.message
            )
        except Exception as fault:
            note_fault(fault)
