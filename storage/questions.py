"""Questions: what runs asked their people. A run asks once, and the first answer counts."""

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select, update

from storage.database import Database
from storage.errors import NoSuchRun
from storage.mail import Question
from storage.records import RunId, RunStatus, utc_now
from storage.tables import ConversationRow, QuestionRow, RunRow


class Questions:
    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database = database
        self._clock = clock

    async def ask(self, run_id: RunId, text: str, options: Sequence[str], assumption: str) -> Question:
        """The run's question: this one, unless it has asked before.

        Raises:
            NoSuchRun: nothing has that id.
        """
        fresh = insert(QuestionRow).values(
            run_id=run_id,
            text=text,
            options=list(options),
            assumption=assumption,
            asked_at=self._clock(),
        )

        async def insert_or_find(session: AsyncSession) -> QuestionRow:
            try:
                await session.execute(fresh.on_conflict_do_nothing())
            except IntegrityError as error:
                raise NoSuchRun(run_id) from error
            return (await session.scalars(select(QuestionRow).where(col(QuestionRow.run_id) == run_id))).one()

        return _record(await self._database.write(insert_or_find))

    async def of(self, run_id: RunId) -> Question | None:
        row = await self._database.read(lambda session: session.get(QuestionRow, run_id))
        return None if row is None else _record(row)

    async def unfinished(self, platform: str, key: str, sender: str) -> tuple[Question, ...]:
        """Those, answered or not, of the unfinished runs that the person has in this conversation."""
        final = [status.value for status in RunStatus if status.is_final]
        query = (
            select(QuestionRow)
            .join(RunRow, col(RunRow.id) == col(QuestionRow.run_id))
            .join(ConversationRow, col(ConversationRow.id) == col(RunRow.conversation_id))
            .where(
                col(ConversationRow.platform) == platform,
                col(ConversationRow.key) == key,
                col(RunRow.sender) == sender,
                col(RunRow.status).not_in(final),
            )
            .order_by(col(QuestionRow.run_id))
        )
        rows = await self._database.read(lambda session: session.scalars(query))
        return tuple(_record(row) for row in rows)

    async def posted(self, run_id: RunId, message_id: str) -> None:
        change = update(QuestionRow).where(col(QuestionRow.run_id) == run_id).values(message_id=message_id)
        await self._database.write(lambda session: session.execute(change))

    async def answer(self, run_id: RunId, text: str) -> bool:
        """True for the first answer; False for later ones and where nothing was asked."""
        change = (
            update(QuestionRow)
            .where(col(QuestionRow.run_id) == run_id, col(QuestionRow.answer).is_(None))
            .values(answer=text)
            .returning(col(QuestionRow.run_id))
        )
        return await self._database.write(lambda session: session.scalar(change)) is not None


def _record(row: QuestionRow) -> Question:
    return Question(
        run_id=RunId(row.run_id),
        text=row.text,
        options=tuple(row.options),
        assumption=row.assumption,
        asked_at=row.asked_at,
        message_id=row.message_id,
        answer=row.answer,
    )
