"""Dynamic tables: definitions, frontiers, versions, leases, history, requests, workers."""

import sqlalchemy as sa
from alembic import op

from headwater.store.instant import Instant

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "headwater_dynamic_table",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("schema_name", sa.Text, nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("definition_version", sa.Integer, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.Column("suspended_at", Instant),
        sa.Column("suspended_by", sa.Text),
        sa.Column("suspended_reason", sa.Text),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("retry_at", Instant),
        sa.Column("dropped_at", Instant),
        sa.Column("dropped_snapshot", sa.BigInteger),
    )
    op.create_table(
        "headwater_definition",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("statement", sa.Text, nullable=False),
        sa.Column("dialect", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("created_at", Instant, nullable=False),
    )
    op.create_table(
        "headwater_source",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("source_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("schema_name", sa.Text, nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
    )
    op.create_table(
        "headwater_frontier",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("snapshot", sa.BigInteger, nullable=False),
        sa.Column("valid_from", sa.BigInteger, nullable=False),
        sa.Column("lake_snapshot", sa.BigInteger, nullable=False),
        sa.Column("clock_at", Instant),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("definition_version", sa.Integer, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("refreshed_at", Instant, nullable=False),
    )
    op.create_table(
        "headwater_version",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("valid_from", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("valid_to", sa.BigInteger, nullable=False),
        sa.Column("lake_snapshot", sa.BigInteger, nullable=False),
        sa.Column("clock_at", Instant),
        sa.Column("definition_version", sa.Integer, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
    )
    op.create_table(
        "headwater_lease",
        sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("token", sa.Text),
        sa.Column("holder", sa.Text),
        sa.Column("expires_at", sa.Double, nullable=False),
    )
    op.create_table(
        "headwater_refresh",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("table_id", sa.BigInteger, nullable=False),
        sa.Column("schema_name", sa.Text, nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("warehouse", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("trigger", sa.Text, nullable=False),
        sa.Column("action", sa.Text),
        sa.Column("strategy", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("started_at", Instant, nullable=False),
        sa.Column("ended_at", Instant),
        sa.Column("error", sa.Text),
        sa.Column("suspended_reason", sa.Text),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("rows_inserted", sa.BigInteger),
        sa.Column("rows_deleted", sa.BigInteger),
        sa.Column("data_snapshot", sa.BigInteger),
        sa.Column("lake_snapshot", sa.BigInteger),
        sa.Column("completion_target", Instant),
        sa.Column("runs", sa.Integer, nullable=False),
    )
    op.create_index("headwater_refresh_by_table", "headwater_refresh", ["table_id", "started_at"])
    op.create_table(
        "headwater_request",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("table_id", sa.BigInteger, nullable=False),
        sa.Column("requested_at", Instant, nullable=False),
        sa.Column("requested_by", sa.Text, nullable=False),
        sa.Column("done_at", Instant),
        sa.Column("refresh_id", sa.Text),
    )
    op.create_table(
        "headwater_worker",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("started_at", Instant, nullable=False),
        sa.Column("heartbeat_at", sa.Double, nullable=False),
        sa.Column("doing", sa.Text),
    )
