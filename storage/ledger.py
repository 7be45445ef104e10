"""The ledger: answers of finished tool calls, so that a node that is run again does not do its work twice."""

from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from storage.database import Database
from storage.errors import NoSuchRun
from storage.records import RunId
from storage.tables import LedgerRow


class Ledger:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, run_id: RunId, key: str) -> str | None:
        """The answer to the call `key`, or None when that call has not finished."""
        row = await self._database.read(lambda session: session.get(LedgerRow, (run_id, key)))
        return None if row is None else row.value

    async def put(self, run_id: RunId, key: str, value: str) -> str:
        """Record an answer and return the one that counts: the first that was written.

        Raises:
            NoSuchRun: nothing has that id.
        """
        entry = insert(LedgerRow).values(run_id=run_id, key=key, value=value).on_conflict_do_nothing()

        async def insert_or_find(session: AsyncSession) -> str:
            try:
                await session.execute(entry)
            except IntegrityError as error:
                raise NoSuchRun(run_id) from error
            return (await session.get_one(LedgerRow, (run_id, key))).value

        return await self._database.write(insert_or_find)
