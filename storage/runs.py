"""Runs: what was asked, who works on it, how it ended, who was told. A final status never changes."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from datetime import datetime

from sqlalchemy import Update, case, func
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, or_, select, update
from sqlmodel.sql.expression import SelectOfScalar

from storage.database import Database
from storage.errors import AlreadyRepeated, NoSuchConversation, NoSuchRun
from storage.mail import InboxId
from storage.records import ConversationId, InputRef, Run, RunId, RunStatus, Usage, new_run_id, utc_now
from storage.tables import InboxRow, RunRow

_UNFINISHED = tuple(status for status in RunStatus if not status.is_final)
_UNDELIVERED = (col(RunRow.status).not_in(_UNFINISHED), col(RunRow.delivered_at).is_(None))


class Runs:
    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def create(
        self,
        conversation_id: ConversationId,
        request: str,
        *,
        language: str,
        inputs: Sequence[InputRef] = (),
        run_id: RunId | None = None,
        owner: str | None = None,
        sender: str = "",
        request_message: str | None = None,
        progress_message: str | None = None,
        repeats: RunId | None = None,
        redoes: RunId | None = None,
        consumes: Sequence[InboxId] = (),
    ) -> Run:
        """A new run in the queue of the process `owner`, or in nobody's.

        `run_id` lets the caller name it beforehand; see `new_run_id`. The entries of the inbox that it
        `consumes` are done in the same transaction.

        Raises:
            NoSuchConversation: nothing has that id.
            AlreadyRepeated: another run repeats `repeats`.
        """
        now = self._clock()
        row = RunRow(
            id=run_id or new_run_id(now),
            conversation_id=conversation_id,
            request=request,
            language=language,
            inputs=[asdict(item) for item in inputs],
            status=RunStatus.QUEUED,
            owner=owner,
            created_at=now,
            sender=sender or None,
            request_message=request_message,
            progress_message=progress_message,
            repeats=repeats,
            redoes=redoes,
        )

        async def insert(session: AsyncSession) -> None:
            session.add(row)
            try:
                await session.flush()
            except IntegrityError as error:
                if "FOREIGN KEY" in str(error.orig):
                    raise NoSuchConversation(conversation_id) from error
                if repeats is not None and "runs.repeats" in str(error.orig):
                    raise AlreadyRepeated(repeats) from error
                raise
            if consumes:
                await session.execute(
                    update(InboxRow).where(col(InboxRow.id).in_(consumes)).values(done_at=now, run_id=row.id)
                )
            await session.refresh(row)

        await self._database.write(insert)
        return _record(row)

    async def get(self, run_id: RunId) -> Run:
        """
        Raises:
            NoSuchRun: nothing has that id.
        """
        row = await self._database.read(lambda session: session.get(RunRow, run_id))
        if row is None:
            raise NoSuchRun(run_id)
        return _record(row)

    async def list(
        self, limit: int = 20, *, conversation_id: ConversationId | None = None
    ) -> tuple[Run, ...]:
        """The newest runs first, of one conversation or of all."""
        query = select(RunRow).order_by(col(RunRow.created_at).desc(), col(RunRow.id).desc()).limit(limit)
        if conversation_id is not None:
            query = query.where(col(RunRow.conversation_id) == conversation_id)
        return await self._records(query)

    async def unfinished(self) -> tuple[Run, ...]:
        """Queued and running ones, the oldest first: what a starting process has to take up."""
        query = select(RunRow).where(col(RunRow.status).in_(_UNFINISHED))
        return await self._records(query.order_by(col(RunRow.created_at), col(RunRow.id)))

    async def undelivered(self) -> tuple[Run, ...]:
        """Those that have ended and whose chat does not know it yet, the oldest first.

        A living owner is about to deliver them; what a dead one left is to be had by `take_over`.
        """
        query = select(RunRow).where(*_UNDELIVERED)
        return await self._records(query.order_by(col(RunRow.created_at), col(RunRow.id)))

    async def claim(self, run_id: RunId, owner: str, *, left_by: str | None = None) -> Run | None:
        """Begin an attempt for the process `owner`; None when the run is not to be had.

        To be had is a run whose owner still is `left_by`, of which the caller knows that it is dead, and one
        that waits in the queue of `owner` or in nobody's. Of several processes that find the same dead owner
        one gets the run.
        """
        queued_for_us = (col(RunRow.status) == RunStatus.QUEUED) & or_(
            col(RunRow.owner).is_(None), col(RunRow.owner) == owner
        )
        left = col(RunRow.status).in_(_UNFINISHED) & (col(RunRow.owner) == left_by)
        change = (
            update(RunRow)
            .where(col(RunRow.id) == run_id, or_(queued_for_us, left))
            .values(
                status=RunStatus.RUNNING,
                owner=owner,
                attempt=col(RunRow.attempt) + 1,
                started_at=func.coalesce(col(RunRow.started_at), self._clock()),
            )
            .returning(RunRow)
        )
        row = await self._database.write(lambda session: session.scalar(change))
        return None if row is None else _record(row)

    async def finish(
        self,
        run_id: RunId,
        status: RunStatus,
        *,
        answer: str | None = None,
        failure: str | None = None,
        failure_detail: str | None = None,
        owner: str | None = None,
    ) -> bool:
        """End a run, from the queue too. True when this call ended it, False when it had ended before.

        `owner` will deliver the outcome, unless another process has claimed the run. That a run waited in
        somebody's queue is no claim: its owner may be dead.

        Raises:
            NoSuchRun: nothing has that id.
            ValueError: `status` is not a final one.
        """
        if not status.is_final:
            message = f"a run does not end as {status}"
            raise ValueError(message)
        held = case((col(RunRow.status) == RunStatus.RUNNING, col(RunRow.owner)))
        change = (
            update(RunRow)
            .where(col(RunRow.id) == run_id, col(RunRow.status).in_(_UNFINISHED))
            .values(
                status=status,
                finished_at=self._clock(),
                answer=answer,
                failure=failure,
                failure_detail=failure_detail,
                owner=func.coalesce(held, owner, col(RunRow.owner)),
            )
        )
        return await self._change(run_id, change)

    async def take_over(self, run_id: RunId, owner: str, *, left_by: str | None) -> bool:
        """Have `owner` deliver an outcome instead of `left_by`, which is dead.

        True for one of several callers only: it delivers. False for the others, and once it is delivered.

        Raises:
            NoSuchRun: nothing has that id.
        """
        change = (
            update(RunRow)
            .where(col(RunRow.id) == run_id, *_UNDELIVERED, col(RunRow.owner).is_not_distinct_from(left_by))
            .values(owner=owner)
        )
        return await self._change(run_id, change)

    async def delivered(self, run_id: RunId) -> bool:
        """Note that the chat has the outcome. True the first time; False later, and before the run's end.

        Raises:
            NoSuchRun: nothing has that id.
        """
        change = (
            update(RunRow).where(col(RunRow.id) == run_id, *_UNDELIVERED).values(delivered_at=self._clock())
        )
        return await self._change(run_id, change)

    async def show_progress_in(self, run_id: RunId, message: str) -> None:
        """Remember the message that shows how the run goes.

        Raises:
            NoSuchRun: nothing has that id.
        """
        await self._set(run_id, progress_message=message, progress_settled=False)

    async def progress_settled(self, run_id: RunId) -> None:
        """The progress message shows the run's end.

        Raises:
            NoSuchRun: nothing has that id.
        """
        await self._set(run_id, progress_settled=True)

    async def reword(self, run_id: RunId, request: str) -> bool:
        """Change what a run is asked. True while it waits; False once it has begun.

        Raises:
            NoSuchRun: nothing has that id.
        """
        change = (
            update(RunRow)
            .where(col(RunRow.id) == run_id, col(RunRow.status) == RunStatus.QUEUED, col(RunRow.attempt) == 0)
            .values(request=request)
        )
        return await self._change(run_id, change)

    async def _set(self, run_id: RunId, **values: object) -> None:
        await self._change(run_id, update(RunRow).where(col(RunRow.id) == run_id).values(**values))

    async def add_usage(self, run_id: RunId, usage: Usage) -> None:
        """Add to what the run has consumed. Also after its end: a cancelled model call still costs.

        Raises:
            NoSuchRun: nothing has that id.
        """
        sums = {f.name: col(getattr(RunRow, f.name)) + getattr(usage, f.name) for f in fields(Usage)}
        change = update(RunRow).where(col(RunRow.id) == run_id).values(**sums).returning(col(RunRow.id))
        if await self._database.write(lambda session: session.scalar(change)) is None:
            raise NoSuchRun(run_id)

    async def _change(self, run_id: RunId, change: Update) -> bool:
        """Whether the guarded change found the run as it wanted it."""

        async def change_or_look(session: AsyncSession) -> bool:
            if await session.scalar(change.returning(col(RunRow.id))) is not None:
                return True
            if await session.get(RunRow, run_id) is None:
                raise NoSuchRun(run_id)
            return False

        return await self._database.write(change_or_look)

    async def _records(self, query: SelectOfScalar[RunRow]) -> tuple[Run, ...]:
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_record(row) for row in rows)


def _record(row: RunRow) -> Run:
    return Run(
        id=RunId(row.id),
        conversation_id=ConversationId(row.conversation_id),
        request=row.request,
        language=row.language,
        inputs=tuple(InputRef(**item) for item in row.inputs),
        status=RunStatus(row.status),
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
        answer=row.answer,
        failure=row.failure,
        failure_detail=row.failure_detail,
        usage=Usage(**{f.name: getattr(row, f.name) for f in fields(Usage)}),
        attempt=row.attempt,
        owner=row.owner,
        delivered_at=row.delivered_at,
        sender=row.sender or "",
        request_message=row.request_message,
        progress_message=row.progress_message,
        progress_settled=bool(row.progress_settled),
        repeats=None if row.repeats is None else RunId(row.repeats),
        redoes=None if row.redoes is None else RunId(row.redoes),
    )
