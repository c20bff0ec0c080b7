"""The tables that a definition comes after, beyond those that it reads."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "headwater_after",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("after_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("schema_name", sa.Text, nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
    )
