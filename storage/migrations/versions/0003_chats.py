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
    with op.batch_alter_table("conversations") as table:
        table.add_column(sa.Column("preferences", TEXT(), nullable=True))
        table.add_column(sa.Column("begun_after", TEXT(), nullable=True))
    with op.batch_alter_table("runs") as table:
        table.add_column(sa.Column("sender", TEXT(), nullable=True))
        table.add_column(sa.Column("request_message", TEXT(), nullable=True))
        table.add_column(sa.Column("progress_message", TEXT(), nullable=True))
        table.add_column(sa.Column("progress_settled", sa.Boolean(), nullable=True))
        table.add_column(sa.Column("repeats", TEXT(), nullable=True))
        table.create_unique_constraint("uq_runs_repeats", ["repeats"])
        table.create_index("ix_runs_sender", ["sender"])
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
    with op.batch_alter_table("runs") as table:
        table.drop_index("ix_runs_sender")
        table.drop_constraint("uq_runs_repeats", type_="unique")
        for name in ("repeats", "progress_settled", "progress_message", "request_message", "sender"):
            table.drop_column(name)
    with op.batch_alter_table("conversations") as table:
        table.drop_column("begun_after")
        table.drop_column("preferences")
