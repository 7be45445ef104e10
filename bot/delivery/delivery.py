"""The end of a run as its person sees it: the answer, or why there is none, and the files."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agent.events import ResultsVerified, RunFailed, RunFinished
from bot import render
from bot.chat import ChatAdapter, ChatRef
from bot.delivery import parts, tables
from bot.delivery.deliverables import Deliverable, Deliverables
from bot.delivery.messages import Messages
from bot.delivery.parts import FileRef
from bot.delivery.sending import Sender
from bot.delivery.verified import under_answer, verification_of
from bot.snapshot import Outcome, recorded
from bot.telemetry import note_fault
from bot.texts import Language, texts
from storage.errors import StorageError
from storage.events import Events
from storage.mail import OutboxPart
from storage.outbox import Outbox
from storage.records import Preferences, Run, RunId, RunStatus


class Delivery:
    def __init__(
        self,
        *,
        outbox: Outbox,
        events: Events,
        deliverables: Deliverables,
        sender: Sender,
        tables: tables.TableMaker | None = None,
    ) -> None:
        """Without a maker of `tables`, wide ones stay in the text."""
        self._outbox = outbox
        self._events = events
        self._deliverables = deliverables
        self._sender = sender
        self._tables = tables

    async def deliver(
        self,
        run: Run,
        outcome: Outcome,
        adapter: ChatAdapter,
        chat: ChatRef,
        preferences: Preferences | None = None,
    ) -> None:
        """Until the chat has all that it will ever have, which can take a day. To be repeated after a crash.

        Raises:
            StorageError: the parts or their receipts could not be kept.
            ChatError: a chat whose messages do not last did not take one.
        """
        run = _ended(run, outcome)
        try:
            if not await self._outbox.of(run.id):
                await self._outbox.plan(run.id, await self._parts(run, outcome, adapter, preferences))
        except StorageError:
            if isinstance(outcome, RunFailed):  # without receipts, but a person should not wait for nothing
                t = texts(Language(run.language))
                await adapter.post(chat, render.failure(outcome, t, files=0))
            raise
        await self._sender.send(run, adapter, chat)

    async def queue_again(
        self,
        run: Run,
        outcome: Outcome,
        adapter: ChatAdapter,
        preferences: Preferences | None = None,
        *,
        everything: bool = False,
    ) -> int:
        """Put into the outbox what has not arrived; all files where everything has. How many parts.

        `send` then sends them.
        """
        run = _ended(run, outcome)
        entries = await self._outbox.of(run.id)
        new: list[OutboxPart] = []
        if parts.is_text_missing(entries):
            verified = await self._verified(run)
            new += self._text(run, outcome, adapter, preferences, files=0, workbook="", verified=verified)
        files, lost = await self._deliverables.of(run.id)
        there = parts.arrived(entries)
        missing = [file for file in files if FileRef(file.name, file.artifact) not in there]
        of_run = {file.name for file in files}
        others = [ref for ref in parts.asked_for(entries) if ref not in there and ref.name not in of_run]
        new += [parts.parcel([ref], as_files=True) for ref in others]
        if everything:
            new += await self._previews(run, adapter, preferences)
        new += await self._parcels(
            run, files if everything or not (missing or new) else missing, adapter, preferences
        )
        new += [parts.note("file-lost", name=name) for name in lost]
        return len(await self._outbox.add(run.id, new))

    async def queue_file(self, run: Run, file: FileRef) -> None:
        """One that is none of its deliverables. `send` then sends it."""
        await self._outbox.add(run.id, [parts.parcel([file], as_files=True)])

    async def send(self, run: Run, adapter: ChatAdapter, chat: ChatRef) -> None:
        """What stands in the outbox of a run whose outcome was delivered before.

        Raises:
            StorageError: a receipt could not be kept.
        """
        await self._sender.send(run, adapter, chat)

    async def unfinished(self) -> tuple[RunId, ...]:
        """Runs with something left to send, the oldest first."""
        return await self._outbox.unfinished()

    async def _parts(
        self, run: Run, outcome: Outcome, adapter: ChatAdapter, preferences: Preferences | None
    ) -> Sequence[OutboxPart]:
        workbook, drawn = await self._draw_tables(run, adapter)
        found, lost = await self._deliverables.of(run.id)
        files = sorted(found, key=lambda file: file.name not in drawn)  # the tables of the text come first
        settle: list[OutboxPart] = []
        if adapter.lasting and run.progress_message is not None and not run.progress_settled:
            snapshot = recorded(await self._events.of(run.id), outcome)
            settle = [parts.settle(render.settled(snapshot, _elapsed(run), texts(Language(run.language))))]
        return [
            *settle,
            *self._text(
                run,
                outcome,
                adapter,
                preferences,
                files=len(files),
                workbook=workbook,
                verified=await self._verified(run),
            ),
            *await self._previews(run, adapter, preferences),
            *await self._parcels(run, files, adapter, preferences),
            *(parts.note("file-lost", name=name) for name in lost),
        ]

    def _text(
        self,
        run: Run,
        outcome: Outcome,
        adapter: ChatAdapter,
        preferences: Preferences | None,
        *,
        files: int,
        workbook: str,
        verified: str,
    ) -> Iterable[OutboxPart]:
        if isinstance(outcome, RunFailed):
            yield parts.failure(outcome, files)
            return
        rich = preferences is not None and preferences.rich
        messages = Messages(run, adapter.lasting)
        pages = adapter.pages(messages.page(messages.answer(workbook, verified), 0, rich=rich))
        yield from parts.answer(
            pages, headline=adapter.lasting, rich=rich, workbook=workbook, verified=verified
        )
        if pages > parts.PAGES:
            name, summary = parts.WHOLE_ANSWER.name, verified.partition("\n")[0]
            if summary:
                yield parts.note("answer-long-verified", name=name, verified=summary)
            else:
                yield parts.note("answer-long", name=name)
            yield parts.parcel([parts.WHOLE_ANSWER], as_files=True)

    async def _verified(self, run: Run) -> str:
        events = await self._events.of_kind([run.id], ResultsVerified.__name__)
        return under_answer(verification_of(events), texts(Language(run.language)))

    async def _previews(
        self, run: Run, adapter: ChatAdapter, preferences: Preferences | None
    ) -> Sequence[OutboxPart]:
        """Where pictures can be shown, and are wanted."""
        if not adapter.lasting or (preferences is not None and not preferences.previews):
            return ()
        pictures = parts.evenly(await self._deliverables.pictures(run.id), parts.PREVIEWS)
        if not pictures:
            return ()
        known = {file.name: FileRef(file.name, file.artifact) for file in pictures}
        shown = [await self._deliverables.preview(run.id, file, as_file=False) for file in pictures]
        return [parts.previews([known[file.name] for file in parcel]) for parcel in adapter.parcels(shown)]

    async def _parcels(
        self, run: Run, files: Sequence[Deliverable], adapter: ChatAdapter, preferences: Preferences | None
    ) -> Sequence[OutboxPart]:
        """What a file is decides how it travels, so that all have to lie here for that."""
        as_files = preferences is not None and not preferences.previews
        known = {file.name: FileRef(file.name, file.artifact) for file in files}
        shown = [await self._deliverables.preview(run.id, file, as_file=as_files) for file in files]
        return [
            parts.parcel([known[file.name] for file in parcel], as_files=as_files)
            for parcel in adapter.parcels(shown)
        ]

    async def _draw_tables(self, run: Run, adapter: ChatAdapter) -> tuple[str, frozenset[str]]:
        """Wide tables as files of the run: the workbook's name, and the names of all of them; none: empty."""
        found = tables.wide(Messages(run, adapter.lasting).answer()) if run.answer else ()
        if self._tables is None or not adapter.lasting or not found:
            return "", frozenset()
        try:
            made = await self._tables.make(run, found)
            await self._deliverables.keep(run.id, made)
        except Exception as fault:
            # The answer counts more than how its tables look.
            note_fault(fault, run_id=run.id)
            return "", frozenset()
        return (made[-1].name if made else ""), frozenset(file.name for file in made)


def _ended(run: Run, outcome: Outcome) -> Run:
    """The run as the outcome says, which the store may not have taken."""
    match outcome:
        case RunFinished(answer=answer):
            return replace(run, status=RunStatus.FINISHED, answer=answer)
        case RunFailed(reason=reason, detail=detail):
            status = RunStatus.CANCELLED if reason.value == "cancelled" else RunStatus.FAILED
            return replace(run, status=status, answer=None, failure=reason.value, failure_detail=detail)


def _elapsed(run: Run) -> float | None:
    """Seconds of work; None for a run that never began."""
    if run.started_at is None or run.finished_at is None:
        return None
    return (run.finished_at - run.started_at).total_seconds()
