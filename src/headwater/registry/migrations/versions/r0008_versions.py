"""Every version of a dynamic table: its number, its state layout, and the snapshots that show it."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from headwater.store.instant import Instant

revision = "0008"
down_revision = "0007"

_COLUMNS = (
    "table_id",
    "epoch",
    "valid_from",
    "valid_to",
    "lake_snapshot",
    "clock_at",
    "definition_version",
    "identity",
)
_OLD = sa.Table(
    "headwater_version",
    sa.MetaData(),
    *(sa.Column(name, Instant if name == "clock_at" else None) for name in _COLUMNS),
)


def upgrade() -> None:
    connection = op.get_bind()
    rows = [dict(row._mapping) for row in connection.execute(sa.select(_OLD))]
    committed = _committed_at(connection)
    op.drop_table("headwater_version")
    created = op.create_table(
        "headwater_version",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("valid_from", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("valid_to", sa.BigInteger, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("lake_snapshot", sa.BigInteger, nullable=False),
        sa.Column("visible_to", sa.BigInteger),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("clock_at", Instant),
        sa.Column("definition_version", sa.Integer, nullable=False),
        sa.Column("restored_from", sa.BigInteger),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("layout", sa.Text),
    )
    assert created is not None
    # Another client may have written to the table after its version, which was not recorded.
    filled = {
        (row["table_id"], row["lake_snapshot"], row["valid_from"]): row
        | {
            "number": row["lake_snapshot"],
            "visible_to": row["lake_snapshot"],
            "created_at": committed.get(row["lake_snapshot"], min(committed.values())),
            "restored_from": None,
            "layout": None,
        }
        for row in rows
    }
    op.bulk_insert(created, list(filled.values()))
    for column in (
        sa.Column("number", sa.BigInteger),
        sa.Column("created_at", Instant),
        sa.Column("restored_from", sa.BigInteger),
        sa.Column("own_rows_to", sa.BigInteger),
    ):
        op.add_column("headwater_frontier", column)
    frontier = sa.table(
        "headwater_frontier",
        *(sa.column(name) for name in ("table_id", "lake_snapshot", "number")),
        sa.column("created_at", Instant),
        sa.column("refreshed_at", Instant),
    )
    connection.execute(sa.update(frontier).values(number=frontier.c.lake_snapshot))
    for table_id, snapshot, refreshed_at in connection.execute(
        sa.select(frontier.c.table_id, frontier.c.lake_snapshot, frontier.c.refreshed_at)
    ).all():
        at = committed.get(snapshot, refreshed_at)
        connection.execute(sa.update(frontier).where(frontier.c.table_id == table_id).values(created_at=at))


def _committed_at(connection: sa.Connection) -> dict[int, Any]:
    """The time of each snapshot, from the history of refreshes where the snapshot has been expired."""
    ended = sa.table("headwater_refresh", sa.column("lake_snapshot"), sa.column("ended_at", Instant))
    snapshot = sa.table("ducklake_snapshot", sa.column("snapshot_id"), sa.column("snapshot_time", Instant))
    known = sa.and_(ended.c.lake_snapshot.is_not(None), ended.c.ended_at.is_not(None))
    refreshed = connection.execute(sa.select(ended).where(known)).all()
    # Later refreshes without changes have the same snapshot: the first one counts.
    found = {row.lake_snapshot: row.ended_at for row in sorted(refreshed, key=lambda row: row.ended_at, reverse=True)}
    return found | {row.snapshot_id: row.snapshot_time for row in connection.execute(sa.select(snapshot))}
