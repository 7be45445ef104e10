"""The inbox: events that a platform was told we have, until they have become a run or been answered."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from sqlalchemy.dialects.sqlite import insert
from sqlmodel import col, delete, select, update

from storage.database import Database
from storage.mail import InboxEntry, InboxId
from storage.records import RunId, new_id, utc_now
from storage.tables import InboxRow


class Inbox:
    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def put(
        self,
        platform: str,
        event: str,
        *,
        chat: str,
        kind: str,
        payload: Mapping[str, object],
        said: str | None = None,
    ) -> InboxEntry | None:
        """Keep an event; None when it is here already, be it done or not.

        `event` is unique within the platform; empty for what is never told twice. `said` names what was said,
        so that a platform that numbers its events anew cannot tell us the same thing twice; None for what has
        no such name.
        """
        now = self._clock()
        fresh = (
            insert(InboxRow)
            .values(
                platform=platform,
                event=event or new_id("e", now),
                said=None if said is None else f"{platform}:{said}",
                chat=chat,
                kind=kind,
                payload=dict(payload),
                received_at=now,
            )
            .on_conflict_do_nothing()
            .returning(InboxRow)
        )
        row = await self._database.write(lambda session: session.scalar(fresh))
        return None if row is None else _record(row)

    async def waiting(self) -> tuple[InboxEntry, ...]:
        """What is not done, in the order of arrival."""
        query = select(InboxRow).where(col(InboxRow.done_at).is_(None)).order_by(col(InboxRow.id))
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_record(row) for row in rows)

    async def of_run(self, run_id: RunId) -> tuple[InboxEntry, ...]:
        """What became the run, in the order of arrival."""
        query = select(InboxRow).where(col(InboxRow.run_id) == run_id).order_by(col(InboxRow.id))
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_record(row) for row in rows)

    async def run_of(self, platform: str, said: str) -> RunId | None:
        """The run that what was said has become, or a part of; see `put`."""
        query = select(InboxRow.run_id).where(col(InboxRow.said) == f"{platform}:{said}")
        found = await self._database.read(lambda session: session.scalar(query))
        return None if found is None else RunId(found)

    async def acknowledged(self, ids: Sequence[InboxId], message: str) -> None:
        """Remember the message that acknowledges these entries."""
        change = update(InboxRow).where(col(InboxRow.id).in_(ids)).values(reply=message)
        await self._database.write(lambda session: session.execute(change))

    async def done(self, ids: Sequence[InboxId], run_id: RunId | None = None) -> None:
        """They have been answered, or need no answer. `Runs.create` does this for those that became a run.

        `run_id`: they changed what that run is asked.
        """
        change = (
            update(InboxRow)
            .where(col(InboxRow.id).in_(ids), col(InboxRow.done_at).is_(None))
            .values(done_at=self._clock(), run_id=run_id)
        )
        await self._database.write(lambda session: session.execute(change))

    async def prune(self, before: datetime) -> int:
        """Forget what was done before then. How many there were."""
        gone = delete(InboxRow).where(col(InboxRow.done_at) < before).returning(col(InboxRow.id))
        return len((await self._database.write(lambda session: session.scalars(gone))).all())


def _record(row: InboxRow) -> InboxEntry:
    return InboxEntry(
        id=InboxId(row.id or 0),
        platform=row.platform,
        chat=row.chat,
        kind=row.kind,
        payload=row.payload,
        received_at=row.received_at,
        reply=row.reply,
    )
