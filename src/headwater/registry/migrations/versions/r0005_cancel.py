"""Who wants the work under a lease to end, and which warehouses a worker serves."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("headwater_lease", sa.Column("cancelled_by", sa.Text))
    op.add_column("headwater_worker", sa.Column("warehouses", sa.Text))
