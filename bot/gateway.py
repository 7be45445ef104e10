"""One message becomes one run, or the answer to a command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from agent.plan import Plan
from bot import render
from bot.chat import Attachment, ChatAdapter, ChatRef, Event, Incoming, Message
from bot.commands import Command, parse
from bot.delivery import Delivery
from bot.dispatch import Dispatcher, JobState, Standing
from bot.errors import Refused
from bot.inputs import carry_over, newest_files
from bot.telemetry import bind, note_fault
from bot.texts import Language, Texts, language_of, texts
from bot.worker import ChatWorker
from sandbox.names import canonical_names, sendable_names
from storage.artifacts import ArtifactStore
from storage.conversations import Conversations
from storage.errors import DiskFull, StorageError, TooLarge
from storage.events import Events
from storage.records import ArtifactKind, Conversation, ConversationId, InputRef, Run, utc_now
from storage.runs import Runs

MAX_REQUEST = 32_000
"""Characters. A longer text belongs in a file."""
MAX_FILES = 20
"""Of one message, and of one run with those of earlier messages."""
NAMED = 5
"""Of the files that were left out; the rest are counted."""
MEMORY = 50
"""Runs of a conversation whose files a follow-up can use."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True, kw_only=True)
class Gateway:
    conversations: Conversations
    runs: Runs
    events: Events
    artifacts: ArtifactStore
    dispatcher: Dispatcher
    worker: ChatWorker
    delivery: Delivery
    adapters: Mapping[str, ChatAdapter]
    upload_bytes: int
    """Of one file."""
    input_bytes: int
    """Of all files of one run: those of earlier messages come along as far as there is room."""
    fallback: Language = Language.ENGLISH
    _fresh: dict[ConversationId, Run | None] = field(default_factory=dict[ConversationId, Run | None])
    """The newest run of conversations that were begun anew: files up to it are forgotten. Since boot."""

    async def receive(self, incoming: Event) -> None:
        """What adapters call. What goes wrong is told to the person, or else the log; nothing is raised."""
        if not isinstance(incoming, Incoming):
            return
        bind(platform=incoming.chat.platform, chat=incoming.chat.key)
        t = texts(self.language(incoming))
        try:
            command = parse(incoming.text)
            if command is None:
                await self.accept(incoming)
            else:
                await self._tell(incoming, await self._obey(command, incoming, t))
        except Refused as refused:
            await self._tell(incoming, t(refused.key, **refused.facts))
        except DiskFull:
            await self._tell(incoming, t("disk-full"))
        except Exception as fault:
            await self._tell(incoming, t("fault", id=note_fault(fault)))

    async def accept(self, incoming: Incoming) -> Run:
        """Store the request with its files, and queue its run.

        Raises:
            Refused: it will not become a run, and its files are not kept.
            StorageError: it could not be stored.
        """
        request = incoming.text.strip()
        self._check(request, incoming.attachments)
        conversation = await self._conversation(incoming.chat)
        sent = await self._store(incoming)
        try:
            history = await self._history(conversation)
            earlier = carry_over(history, sent, files=MAX_FILES, size=self.input_bytes)
            run = await self.runs.create(
                conversation.id,
                request,
                language=self.language(incoming),
                inputs=(*sent, *earlier.carried),
                owner=str(self.dispatcher.owner),
            )
        except Exception:  # cancelled, the run may be on record, and it needs its files
            await self._drop(sent)
            raise
        _log.info("run_accepted", run_id=run.id, files=len(sent), earlier_files=len(earlier.carried))
        t = texts(Language(run.language))
        standing = self.dispatcher.submit(run)
        if standing.state is JobState.QUEUED:
            await self._tell(incoming, t("queued", ahead=standing.ahead))
        if earlier.left_out:
            await self._tell(incoming, self._left_out(earlier.left_out, t))
        return run

    def language(self, incoming: Incoming) -> Language:
        return incoming.language or language_of(incoming.text) or self.fallback

    def _check(self, request: str, attachments: tuple[Attachment, ...]) -> None:
        if not request:
            key = "request-missing"
            raise Refused(key)
        if len(request) > MAX_REQUEST:
            key = "request-too-long"
            raise Refused(key, limit=MAX_REQUEST)
        if len(attachments) > MAX_FILES:
            key = "files-too-many"
            raise Refused(key, limit=MAX_FILES)
        for attachment in attachments:
            if attachment.size is not None and attachment.size > self.upload_bytes:
                raise self._too_big(attachment)

    async def _store(self, incoming: Incoming) -> tuple[InputRef, ...]:
        adapter = self.adapters[incoming.chat.platform]
        names = canonical_names(attachment.name for attachment in incoming.attachments)
        kept: list[InputRef] = []
        try:
            for attachment, name in zip(incoming.attachments, names, strict=True):
                kept.append(await self._keep(adapter, attachment, name))
        except BaseException:
            await self._drop(kept)
            raise
        return tuple(kept)

    async def _drop(self, kept: Sequence[InputRef]) -> None:
        """What led here is what the person has to hear, so a store that fails here too is for the log."""
        for item in kept:
            try:
                await self.artifacts.delete(item.artifact_id)
            except StorageError as fault:
                note_fault(fault, artifact_id=item.artifact_id)

    async def _keep(self, adapter: ChatAdapter, attachment: Attachment, name: str) -> InputRef:
        try:
            artifact = await self.artifacts.put(
                adapter.fetch(attachment),
                name=attachment.name,
                kind=ArtifactKind.INPUT,
                limit=self.upload_bytes,
            )
        except TooLarge as fault:
            raise self._too_big(attachment) from fault
        except StorageError:
            raise
        except OSError as fault:
            key = "file-unreadable"
            raise Refused(key, name=_shown(attachment.name)) from fault
        return InputRef(name=name, original=attachment.name, artifact_id=artifact.id, size=artifact.size)

    def _too_big(self, attachment: Attachment) -> Refused:
        key = "file-too-big"
        limit = render.file_size(self.upload_bytes)
        return Refused(key, name=_shown(attachment.name), limit=limit)

    async def _conversation(self, chat: ChatRef) -> Conversation:
        return await self.conversations.get_or_create(chat.platform, chat.key)

    def _left_out(self, items: Sequence[InputRef], t: Texts) -> str:
        return t(
            "files-left-out",
            count=len(items),
            names=", ".join(_shown(item.original) for item in items[:NAMED]) + " …" * (len(items) > NAMED),
            files=MAX_FILES,
            size=render.file_size(self.input_bytes),
        )

    async def _history(self, conversation: Conversation) -> tuple[Run, ...]:
        """Newest first, back to where the conversation was begun anew."""
        last = self._fresh.get(conversation.id)
        runs = await self.runs.list(MEMORY, conversation_id=conversation.id)
        return tuple(run for run in runs if last is None or run.id > last.id)

    async def _obey(self, command: Command, incoming: Incoming, t: Texts) -> str:
        conversation = await self._conversation(incoming.chat)
        mine = self.dispatcher.standings(conversation.id)
        match command.name:
            case "status":
                return "\n".join(self._status(standing, t) for standing in mine) or t("status-idle")
            case "plan":
                return render.whole_plan(await self._plan(conversation), t)
            case "cancel":
                stopped = [self.dispatcher.cancel(standing.run.id) for standing in mine]
                return t("cancelling" if any(stopped) else "status-idle")
            case "files":
                return await self._list_files(conversation, t)
            case "new":
                newest = await self.runs.list(1, conversation_id=conversation.id)
                self._fresh[conversation.id] = newest[0] if newest else None
                return t("begun-anew")
            case "help" | "start":
                return t("help-intro")
            case _:
                return t("command-unknown")

    def _status(self, standing: Standing, t: Texts) -> str:
        request = render.clip(standing.run.request, 60)
        if standing.state is JobState.QUEUED:
            return t("status-queued", request=request, ahead=standing.ahead)
        snapshot = self.worker.snapshot(standing.run.id)
        began = standing.run.started_at or standing.run.created_at
        return t(
            "status-working",
            request=request,
            elapsed=render.duration((utc_now() - began).total_seconds()),
            done=snapshot.done if snapshot else 0,
            total=len(snapshot.plan.todos) if snapshot else 0,
            tokens=snapshot.tokens if snapshot else 0,
        )

    async def _plan(self, conversation: Conversation) -> Plan:
        """Of the newest run that has one."""
        for run in await self._history(conversation):
            for event in reversed(await self.events.of(run.id)):
                if event.kind == "PlanChanged":
                    return Plan.model_validate(event.payload["plan"])
        return Plan()

    async def _list_files(self, conversation: Conversation, t: Texts) -> str:
        sent = [
            f"{_shown(item.original)} — {render.file_size(item.size)}"
            for item in newest_files(await self._history(conversation))
        ]
        made = [
            f"{file.name} — {render.file_size(file.size)}"
            for run in reversed(await self._history(conversation))
            for file in (await self.delivery.files(run))[0]
        ]
        blocks = [
            t(key) + "\n" + "\n".join(lines)
            for key, lines in (("files-sent", sent), ("files-made", made))
            if lines
        ]
        return "\n\n".join(blocks) or t("files-none")

    async def _say(self, incoming: Incoming, text: str) -> None:
        await self.adapters[incoming.chat.platform].post(
            incoming.chat, Message(text=text), reply_to=incoming.message
        )

    async def _tell(self, incoming: Incoming, text: str) -> None:
        """`_say` where a platform that does not take it changes nothing."""
        try:
            await self._say(incoming, text)
        except Exception as fault:
            note_fault(fault)


def _shown(name: str) -> str:
    """A person's own name of a file, without what a chat or a terminal would obey."""
    return sendable_names([name])[0]
