"""A chat's template for decks."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("conversations", sa.Column("brand", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("conversations", "brand")
