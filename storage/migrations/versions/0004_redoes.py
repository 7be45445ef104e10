"""Which run's scripts a run has for its own files."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("redoes", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("runs", "redoes")
