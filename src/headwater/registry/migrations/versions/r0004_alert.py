"""Which conditions of tables people have been told of."""

import sqlalchemy as sa
from alembic import op

from headwater.store.instant import Instant

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "headwater_alert",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("opened_at", Instant, nullable=False),
    )
