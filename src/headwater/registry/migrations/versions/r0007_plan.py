"""The SQL that refreshes ran, each text once."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "headwater_plan",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("sql", sa.Text, nullable=False),
    )
    op.add_column("headwater_refresh", sa.Column("plan_id", sa.Text))
