"""The tables: the only ORM models. A change here needs a migration; a test compares the two."""

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import BigInteger, MetaData, UniqueConstraint
from sqlmodel import Field, SQLModel

from storage.columns import CleanJson, CleanText, UtcTime


class Table(SQLModel):
    """Constraints have predictable names, since SQLite can alter only what a migration can name."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class ConversationRow(Table, table=True):
    __tablename__: ClassVar[Any] = "conversations"
    __table_args__ = (UniqueConstraint("platform", "key"),)

    id: str = Field(primary_key=True, sa_type=CleanText)
    platform: str = Field(sa_type=CleanText)
    key: str = Field(sa_type=CleanText)
    language: str | None = Field(default=None, sa_type=CleanText)
    created_at: datetime = Field(sa_type=UtcTime)


class RunRow(Table, table=True):
    __tablename__: ClassVar[Any] = "runs"

    id: str = Field(primary_key=True, sa_type=CleanText)
    conversation_id: str = Field(foreign_key="conversations.id", index=True, sa_type=CleanText)
    request: str = Field(sa_type=CleanText)
    language: str = Field(sa_type=CleanText)
    inputs: list[dict[str, Any]] = Field(sa_type=CleanJson)
    status: str = Field(index=True, sa_type=CleanText)
    created_at: datetime = Field(sa_type=UtcTime)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
    answer: str | None = Field(default=None, sa_type=CleanText)
    failure: str | None = Field(default=None, sa_type=CleanText)
    failure_detail: str | None = Field(default=None, sa_type=CleanText)
    attempt: int = 0
    owner: str | None = Field(default=None, sa_type=CleanText)
    delivered_at: datetime | None = Field(default=None, sa_type=UtcTime)
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    model_seconds: float = 0.0
    sandbox_runs: int = 0
    sandbox_seconds: float = 0.0


class EventRow(Table, table=True):
    __tablename__: ClassVar[Any] = "events"

    run_id: str = Field(primary_key=True, foreign_key="runs.id", sa_type=CleanText)
    seq: int = Field(primary_key=True)
    at: datetime = Field(sa_type=UtcTime)
    kind: str = Field(sa_type=CleanText)
    payload: dict[str, Any] = Field(sa_type=CleanJson)


class LedgerRow(Table, table=True):
    __tablename__: ClassVar[Any] = "ledger"

    run_id: str = Field(primary_key=True, foreign_key="runs.id", sa_type=CleanText)
    key: str = Field(primary_key=True, sa_type=CleanText)
    value: str = Field(sa_type=CleanText)


class ArtifactRow(Table, table=True):
    __tablename__: ClassVar[Any] = "artifacts"

    id: str = Field(primary_key=True, sa_type=CleanText)
    run_id: str | None = Field(default=None, foreign_key="runs.id", index=True, sa_type=CleanText)
    name: str = Field(sa_type=CleanText)
    size: int = Field(sa_type=BigInteger)
    sha256: str = Field(index=True, sa_type=CleanText)
    media_type: str = Field(sa_type=CleanText)
    created_at: datetime = Field(sa_type=UtcTime)
    kind: str = Field(sa_type=CleanText)
