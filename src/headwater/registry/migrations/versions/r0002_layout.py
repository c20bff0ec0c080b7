"""Incremental refresh: what a dynamic table's files carry beside their rows."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("headwater_frontier", sa.Column("layout", sa.Text))
