"""The outbox at work: the parts of a delivery in their order, one chat at a time, with a receipt for each."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, assert_never
from weakref import WeakValueDictionary

import structlog

from bot.chat import ChatAdapter, ChatRef, Delivered, MessageRef
from bot.delivery import parts, retries
from bot.delivery.deliverables import Deliverable, Deliverables
from bot.delivery.messages import Messages, RunButton
from bot.delivery.parts import PartKind
from bot.delivery.retries import Again, Dead, Doubted, Over, Plainly, Renewed, Step, Without
from bot.errors import ChatBusy, ChatError, FileRefused
from bot.holds import Holds
from bot.tasks import to_its_end
from bot.telemetry import note_fault
from storage.errors import StorageUnavailable
from storage.mail import OutboxEntry, OutboxPart, OutboxState
from storage.outbox import Outbox, digest_of
from storage.records import Run, RunStatus, utc_now
from storage.runs import Runs

STORE_PAUSE: Final = 30.0
"""Seconds until files are looked for again in a store that did not serve."""

LAST_CALL: Final = 3.0
"""Seconds that a call under way still has when we close: cut short, nobody would know whether it arrived."""

_log = structlog.stdlib.get_logger(__name__)


@dataclass(slots=True, kw_only=True)
class Trip:
    """One run's way to its chat."""

    run: Run
    chat: ChatRef
    adapter: ChatAdapter
    messages: Messages
    entries: tuple[OutboxEntry, ...] = ()
    silent_since: datetime | None = None
    """Since when the chat, or the store of the files, could not be reached."""
    renewed: bool = False
    """The headline was posted anew, because somebody had deleted it."""

    moved: ChatRef | None = None
    """Where the chat turned out to be by now: what was posted since is there, what was before is not."""

    def ref(self, message: str | None) -> MessageRef | None:
        return None if message is None else MessageRef(self.chat, message)

    def headline(self, message: str | None) -> MessageRef | None:
        return None if message is None else MessageRef(self.moved or self.chat, message)

    def silent_for(self, now: datetime) -> float:
        self.silent_since = self.silent_since or now
        return (now - self.silent_since).total_seconds()


class Sender:
    def __init__(
        self,
        *,
        outbox: Outbox,
        runs: Runs,
        deliverables: Deliverables,
        holds: Holds,
        retry: RunButton | None = None,
        model_host: str = "",
        clock: Callable[[], datetime] = utc_now,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`retry` makes the button that asks for a failed run again; `chance`, from 0 to 1, the jitter."""
        self._outbox = outbox
        self._runs = runs
        self._deliverables = deliverables
        self._holds = holds
        self._retry = retry
        self._model_host = model_host
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def send(self, run: Run, adapter: ChatAdapter, chat: ChatRef) -> None:
        """Until every part is final, for as long as that takes: hours, where a platform wants them.

        Raises:
            StorageError: a receipt could not be kept. What was on its way counts as found after a crash.
            ChatError: a chat whose messages do not last did not take one.
        """
        retry = None if self._retry is None or not _may_retry(run) else self._retry(run, chat)
        messages = Messages(run, adapter.lasting, self._model_host, retry)
        trip = Trip(run=run, chat=chat, adapter=adapter, messages=messages)
        lock = self._locks.setdefault((chat.platform, chat.chat), asyncio.Lock())
        while (pause := await self._send_in_order(trip, lock)) is not None:
            await self._sleep(pause)

    async def _send_in_order(self, trip: Trip, lock: asyncio.Lock) -> float | None:
        """None once all is final; else seconds until what may be told out of order is due."""
        async with lock:
            while True:
                trip.entries = await self._outbox.of(trip.run.id)
                entry = retries.next_due(trip.entries)
                if entry is None:
                    return None
                pause = 0.0 if entry.next_at is None else (entry.next_at - self._clock()).total_seconds()
                if pause <= 0:
                    await self._bring(trip, entry)
                elif entry.kind == PartKind.SETTLE:
                    return pause
                else:
                    await self._sleep(pause)

    async def _bring(self, trip: Trip, entry: OutboxEntry) -> None:
        may_repeat = retries.repeatable(entry, trip.entries, lasting=trip.adapter.lasting)
        if entry.state is OutboxState.SENDING and not may_repeat:
            await self._follow(trip, entry, Doubted())
            return
        files: tuple[Delivered, ...] = ()
        if entry.kind == PartKind.PARCEL:
            try:
                files, lost = await self._lay_out(trip, entry)
            except (StorageUnavailable, OSError) as fault:
                _log.warning("files_out_of_reach", run_id=trip.run.id, reason=str(fault))
                gave_up = trip.silent_for(self._clock()) >= retries.GIVEN_UP_AFTER
                await self._follow(trip, entry, Dead("store") if gave_up else Again(STORE_PAUSE))
                return
            if lost:
                await self._reduce(trip, entry, {name: parts.note("file-lost", name=name) for name in lost})
                return
        await to_its_end(self._send(trip, entry, files, may_repeat=may_repeat), LAST_CALL)

    async def _send(
        self, trip: Trip, entry: OutboxEntry, files: Sequence[Delivered], *, may_repeat: bool
    ) -> None:
        await self._outbox.sending(entry)
        step = await self._attempt(trip, entry, files, may_repeat=may_repeat)
        if isinstance(step, Plainly):
            _log.warning("answer_refused", run_id=trip.run.id, seq=entry.seq, reason=step.reason)
            step = await self._attempt(trip, entry, files, may_repeat=may_repeat, plainly=True)
            if parts.has_more_pages(trip.entries):  # plain text has its page breaks elsewhere
                await self._append(trip, entry, [parts.parcel([parts.WHOLE_ANSWER], as_files=True)])
        if step is not None:
            await self._follow(trip, entry, step)

    async def _attempt(
        self,
        trip: Trip,
        entry: OutboxEntry,
        files: Sequence[Delivered],
        *,
        may_repeat: bool,
        plainly: bool = False,
    ) -> Step | None:
        """One call. None when it went through, else what follows."""
        try:
            message_id = await self._call(trip, entry, files, plainly=plainly)
        except Exception as fault:
            if not (trip.adapter.lasting or isinstance(fault, FileRefused)):
                raise  # a terminal ends with its process: nothing waits there, and the next start shows it
            if not isinstance(fault, ChatError):
                note_fault(fault, run_id=trip.run.id, part=entry.kind)
            if isinstance(fault, ChatBusy):
                self._holds.hold(trip.chat, fault.seconds)
            if retries.is_contact(fault):
                trip.silent_since = None
            return retries.after(
                fault,
                entry,
                edits=self._target(trip, entry) is not None,
                may_repeat=may_repeat,
                silent_for=trip.silent_for(self._clock()),
                chance=self._chance(),
            )
        trip.silent_since = None
        await self._outbox.sent(entry, message_id)
        if entry.kind == PartKind.SETTLE:
            await self._runs.progress_settled(trip.run.id)
        return None

    async def _call(
        self, trip: Trip, entry: OutboxEntry, files: Sequence[Delivered], *, plainly: bool
    ) -> str | None:
        if entry.kind == PartKind.PARCEL:
            await trip.adapter.attach(trip.chat, files)
            return None
        message = trip.messages.of(entry, plainly=plainly)
        if (target := self._target(trip, entry)) is not None:
            await trip.adapter.edit(target, message)
            return target.message
        opens = entry.kind != PartKind.NOTE and not (entry.kind == PartKind.ANSWER and parts.page_of(entry))
        reply_to = trip.ref(trip.run.request_message) if opens else None
        posted = await trip.adapter.post(trip.chat, message, reply_to=reply_to)
        if posted.chat != trip.chat:
            trip.moved = posted.chat
        return posted.message

    def _target(self, trip: Trip, entry: OutboxEntry) -> MessageRef | None:
        """The message that the part edits; None for one that is a message of its own."""
        if entry.kind == PartKind.SETTLE:
            return trip.ref(trip.run.progress_message)
        headline = parts.headline_of(trip.entries, entry)
        return None if headline is None else trip.headline(headline.message_id)

    async def _lay_out(self, trip: Trip, entry: OutboxEntry) -> tuple[tuple[Delivered, ...], tuple[str, ...]]:
        refs = parts.files_of(entry)
        kept = [Deliverable(ref.name, ref.artifact, 0) for ref in refs if ref.artifact is not None]
        files, lost = await self._deliverables.lay_out(trip.run.id, kept)
        if parts.WHOLE_ANSWER in refs:
            pages = [page for page in trip.entries if page.kind == PartKind.ANSWER]
            text = trip.messages.answer(verified=parts.verified_of(pages[-1]) if pages else "")
            files = (*files, await self._deliverables.write(trip.run.id, parts.WHOLE_ANSWER.name, text))
        return tuple(replace(file, as_file=parts.are_files(entry)) for file in files), lost

    async def _follow(self, trip: Trip, entry: OutboxEntry, step: Step) -> None:
        match step:
            case Again(seconds=seconds):
                await self._put_off(entry, seconds)
            case Renewed():
                await self._renew(trip, entry)
            case Doubted():
                if entry.kind != PartKind.NOTE:
                    await self._append(trip, entry, [parts.note("may-be-missing")])
                await self._outbox.unknown(entry, "maybe-arrived")
            case Without(name=name, reason=reason):
                note = parts.note("file-refused", name=name, reason=reason)
                await self._reduce(trip, entry, {name: note})
            case Over(reason=reason):
                _log.warning("nobody_to_tell", run_id=trip.run.id, reason=reason)
                for left in trip.entries:
                    if not left.state.is_final:
                        await self._outbox.dead(left, reason)
            case Dead(reason=reason) | Plainly(reason=reason):
                await self._bury(trip, entry, reason)
            case _:
                assert_never(step)

    async def _renew(self, trip: Trip, page: OutboxEntry) -> None:
        """The headline once more, and the page into it; whoever deletes that too does not want it."""
        headline = parts.headline_of(trip.entries, page)
        if headline is None or trip.renewed:
            await self._bury(trip, page, "gone")
            return
        trip.renewed = True
        await self._put_off(page, 0)
        await self._put_off(headline, 0)

    async def _put_off(self, entry: OutboxEntry, seconds: float) -> None:
        await self._outbox.put_off(entry, self._clock() + timedelta(seconds=seconds))

    async def _bury(self, trip: Trip, entry: OutboxEntry, reason: str) -> None:
        _log.error("part_given_up", run_id=trip.run.id, seq=entry.seq, part=entry.kind, reason=reason)
        if entry.kind == PartKind.PARCEL and not parts.are_previews(entry):
            await self._append(trip, entry, [parts.note("files-refused", reason=reason)])
        await self._outbox.dead(entry, reason)

    async def _reduce(self, trip: Trip, entry: OutboxEntry, notes: dict[str, OutboxPart]) -> None:
        """The rest of a parcel goes without the files that the notes are about; a preview needs no note."""
        rest = [file for file in parts.files_of(entry) if file.name not in notes]
        if len(rest) == len(parts.files_of(entry)):
            await self._bury(trip, entry, "not-in-the-parcel")
            return
        if parts.are_previews(entry):
            again, notes = [parts.previews(rest)], {}
        else:
            again = [parts.parcel(rest, as_files=parts.are_files(entry))]
        await self._append(trip, entry, [*(again if rest else ()), *notes.values()])
        await self._outbox.dead(entry, "reduced")

    async def _append(self, trip: Trip, entry: OutboxEntry, more: Sequence[OutboxPart]) -> None:
        """Add parts unless they wait already: after a crash the same thing is found once more."""
        waiting = {
            other.digest
            for other in await self._outbox.of(trip.run.id)
            if not other.state.is_final and other.seq != entry.seq
        }
        if fresh := [part for part in more if digest_of(part) not in waiting]:
            await self._outbox.add(trip.run.id, fresh)


def _may_retry(run: Run) -> bool:
    return run.status is RunStatus.FAILED
