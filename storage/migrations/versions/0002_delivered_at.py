"""When the chat had a run's outcome; a run that ended before we kept that counts as delivered."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(
        "UPDATE runs SET delivered_at = coalesce(finished_at, created_at)"
        " WHERE status IN ('finished', 'failed', 'cancelled')"
    )


def downgrade() -> None:
    op.drop_column("runs", "delivered_at")
