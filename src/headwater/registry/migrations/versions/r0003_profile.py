"""What each refresh took."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("headwater_refresh", sa.Column("profile", sa.Text))
