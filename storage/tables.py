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
    preferences: dict[str, Any] | None = Field(default=None, sa_type=CleanJson)
    brand: dict[str, Any] | None = Field(default=None, sa_type=CleanJson)
    begun_after: str | None = Field(default=None, sa_type=CleanText)


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
    sender: str | None = Field(default=None, index=True, sa_type=CleanText)
    request_message: str | None = Field(default=None, sa_type=CleanText)
    progress_message: str | None = Field(default=None, sa_type=CleanText)
    progress_settled: bool | None = None
    repeats: str | None = Field(default=None, index=True, unique=True, sa_type=CleanText)
    redoes: str | None = Field(default=None, sa_type=CleanText)


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


class InboxRow(Table, table=True):
    """A row stays when it is done: it is how a second telling is known. No id is ever given twice."""

    __tablename__: ClassVar[Any] = "inbox"
    __table_args__ = (UniqueConstraint("platform", "event"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, primary_key=True)
    platform: str = Field(sa_type=CleanText)
    event: str = Field(sa_type=CleanText)
    said: str | None = Field(default=None, unique=True, sa_type=CleanText)
    chat: str = Field(sa_type=CleanText)
    kind: str = Field(sa_type=CleanText)
    payload: dict[str, Any] = Field(sa_type=CleanJson)
    received_at: datetime = Field(sa_type=UtcTime)
    done_at: datetime | None = Field(default=None, index=True, sa_type=UtcTime)
    run_id: str | None = Field(default=None, index=True, sa_type=CleanText)
    reply: str | None = Field(default=None, sa_type=CleanText)


class OutboxRow(Table, table=True):
    __tablename__: ClassVar[Any] = "outbox"

    run_id: str = Field(primary_key=True, foreign_key="runs.id", sa_type=CleanText)
    seq: int = Field(primary_key=True)
    kind: str = Field(sa_type=CleanText)
    payload: dict[str, Any] = Field(sa_type=CleanJson)
    digest: str = Field(sa_type=CleanText)
    state: str = Field(sa_type=CleanText)
    message_id: str | None = Field(default=None, index=True, sa_type=CleanText)
    attempts: int = 0
    next_at: datetime | None = Field(default=None, sa_type=UtcTime)
    note: str = Field(default="", sa_type=CleanText)


class QuestionRow(Table, table=True):
    __tablename__: ClassVar[Any] = "questions"

    run_id: str = Field(primary_key=True, foreign_key="runs.id", sa_type=CleanText)
    text: str = Field(sa_type=CleanText)
    options: list[str] = Field(sa_type=CleanJson)
    assumption: str = Field(sa_type=CleanText)
    asked_at: datetime = Field(sa_type=UtcTime)
    message_id: str | None = Field(default=None, sa_type=CleanText)
    answer: str | None = Field(default=None, sa_type=CleanText)


class PersonRow(Table, table=True):
    __tablename__: ClassVar[Any] = "people"

    platform: str = Field(primary_key=True, sa_type=CleanText)
    id: str = Field(primary_key=True, sa_type=CleanText)
    role: str = Field(sa_type=CleanText)
    name: str = Field(sa_type=CleanText)
    allowed_by: str = Field(sa_type=CleanText)
    at: datetime = Field(sa_type=UtcTime)
    allowance: dict[str, Any] = Field(sa_type=CleanJson)


class AllowedChatRow(Table, table=True):
    __tablename__: ClassVar[Any] = "allowed_chats"

    platform: str = Field(primary_key=True, sa_type=CleanText)
    chat: str = Field(primary_key=True, sa_type=CleanText)
    title: str = Field(sa_type=CleanText)
    allowed_by: str = Field(sa_type=CleanText)
    at: datetime = Field(sa_type=UtcTime)
    allowance: dict[str, Any] = Field(sa_type=CleanJson)


class PairingRow(Table, table=True):
    """At most one code per platform; only its digest is kept."""

    __tablename__: ClassVar[Any] = "pairings"

    platform: str = Field(primary_key=True, sa_type=CleanText)
    digest: str = Field(sa_type=CleanText)
    expires_at: datetime = Field(sa_type=UtcTime)
    tries_left: int
