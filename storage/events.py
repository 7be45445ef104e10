"""Events: the history of a run, in the order it happened."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from storage.database import Database
from storage.errors import NoSuchRun
from storage.records import EventRecord, RunId, utc_now
from storage.tables import EventRow


class Events:
    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def append(self, run_id: RunId, kind: str, payload: Mapping[str, object]) -> EventRecord:
        """Add an event with the run's next number.

        Raises:
            NoSuchRun: nothing has that id.
            TypeError: the payload holds what JSON cannot say.
        """
        last = select(func.max(EventRow.seq)).where(col(EventRow.run_id) == run_id)

        async def insert(session: AsyncSession) -> EventRow:
            seq = (await session.scalar(last) or 0) + 1
            row = EventRow(run_id=run_id, seq=seq, at=self._clock(), kind=kind, payload=dict(payload))
            session.add(row)
            try:
                await session.flush()
            except IntegrityError as error:
                raise NoSuchRun(run_id) from error
            await session.refresh(row)
            return row

        return _record(await self._database.write(insert))

    async def of(self, run_id: RunId, *, after: int = 0) -> tuple[EventRecord, ...]:
        """The events with a number above `after`, in order; none for a run that does not exist."""
        query = select(EventRow).where(col(EventRow.run_id) == run_id, col(EventRow.seq) > after)
        rows = await self._database.read(lambda session: session.scalars(query.order_by(col(EventRow.seq))))
        return tuple(_record(row) for row in rows)

    async def of_kind(self, run_ids: Sequence[RunId], kind: str) -> tuple[EventRecord, ...]:
        """Those of one kind, over several runs, each run's in order."""
        query = select(EventRow).where(col(EventRow.run_id).in_(run_ids), col(EventRow.kind) == kind)
        ordered = query.order_by(col(EventRow.run_id), col(EventRow.seq))
        rows = await self._database.read(lambda session: session.scalars(ordered))
        return tuple(_record(row) for row in rows)


def _record(row: EventRow) -> EventRecord:
    return EventRecord(run_id=RunId(row.run_id), seq=row.seq, at=row.at, kind=row.kind, payload=row.payload)
