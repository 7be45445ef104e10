"""What chat platforms need: inbox, outbox, questions, people, and who asked for a run in which message."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
TEXT = sa.Text


def upgrade() -> None:
    # Only what SQLite does in place: rows of other tables point at these, which a copy would break.
    for name in ("preferences", "begun_after"):
        op.add_column("conversations", sa.Column(name, TEXT(), nullable=True))
    for name in ("sender", "request_message", "progress_message", "repeats"):
        op.add_column("runs", sa.Column(name, TEXT(), nullable=True))
    op.add_column("runs", sa.Column("progress_settled", sa.Boolean(), nullable=True))
    op.create_index("ix_runs_repeats", "runs", ["repeats"], unique=True)
    op.create_index("ix_runs_sender", "runs", ["sender"])
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("platform", TEXT(), nullable=False),
        sa.Column("event", TEXT(), nullable=False),
        sa.Column("said", TEXT(), nullable=True),
        sa.Column("chat", TEXT(), nullable=False),
        sa.Column("kind", TEXT(), nullable=False),
        sa.Column("payload", TEXT(), nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("done_at", TIME, nullable=True, index=True),
        sa.Column("run_id", TEXT(), nullable=True, index=True),
        sa.Column("reply", TEXT(), nullable=True),
        sa.UniqueConstraint("platform", "event", name="uq_inbox_platform"),
        sa.UniqueConstraint("said", name="uq_inbox_said"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "outbox",
        sa.Column("run_id", TEXT(), sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("seq", sa.Integer(), primary_key=True),
        sa.Column("kind", TEXT(), nullable=False),
        sa.Column("payload", TEXT(), nullable=False),
        sa.Column("digest", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("message_id", TEXT(), nullable=True, index=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", TIME, nullable=True),
        sa.Column("note", TEXT(), nullable=False),
    )
    op.create_table(
        "questions",
        sa.Column("run_id", TEXT(), sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("options", TEXT(), nullable=False),
        sa.Column("assumption", TEXT(), nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
        sa.Column("message_id", TEXT(), nullable=True),
        sa.Column("answer", TEXT(), nullable=True),
    )
    op.create_table(
        "people",
        sa.Column("platform", TEXT(), primary_key=True),
        sa.Column("id", TEXT(), primary_key=True),
        sa.Column("role", TEXT(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("allowed_by", TEXT(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("allowance", TEXT(), nullable=False),
    )
    op.create_table(
        "allowed_chats",
        sa.Column("platform", TEXT(), primary_key=True),
        sa.Column("chat", TEXT(), primary_key=True),
        sa.Column("title", TEXT(), nullable=False),
        sa.Column("allowed_by", TEXT(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("allowance", TEXT(), nullable=False),
    )
    op.create_table(
        "pairings",
        sa.Column("platform", TEXT(), primary_key=True),
        sa.Column("digest", TEXT(), nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("tries_left", sa.Integer(), nullable=False),
    )


def downgrade() -> None:
    for name in ("pairings", "allowed_chats", "people", "questions", "outbox", "inbox"):
        op.drop_table(name)
    op.drop_index("ix_runs_sender", "runs")
    op.drop_index("ix_runs_repeats", "runs")
    for name in ("repeats", "progress_settled", "progress_message", "request_message", "sender"):
        op.drop_column("runs", name)
    for name in ("begun_after", "preferences"):
        op.drop_column("conversations", name)
