"""Our tables, beside those of DuckLake in the same database."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Double, Index, Integer, MetaData, Table, Text

from headwater.store.instant import Instant

metadata = MetaData()
# The parameter of prebuilt statements: building a statement takes several times as long as running it.
TABLE_ID = sa.bindparam("of_table", type_=BigInteger())

# A dynamic table; its id is the lake's table id, which renames don't change.
dynamic_table = Table(
    "headwater_dynamic_table",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("schema_name", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("definition_version", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("suspended_at", Instant),
    Column("suspended_by", Text),
    Column("suspended_reason", Text),
    Column("failures", Integer, nullable=False, default=0),
    Column("retry_at", Instant),
    Column("dropped_at", Instant),
    Column("dropped_snapshot", BigInteger),
)

# A definition: the canonical CREATE statement, and the session settings of its query.
definition = Table(
    "headwater_definition",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("statement", Text, nullable=False),
    Column("dialect", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)

# The tables that a definition reads, by id, with the names under which it found them.
source = Table(
    "headwater_source",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("source_id", BigInteger, primary_key=True, autoincrement=False),
    Column("schema_name", Text, nullable=False),
    Column("table_name", Text, nullable=False),
)

# The tables that a definition comes after by AFTER, whether it reads them or not.
after = Table(
    "headwater_after",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("after_id", BigInteger, primary_key=True, autoincrement=False),
    Column("place", Integer, nullable=False),
    Column("schema_name", Text, nullable=False),
    Column("table_name", Text, nullable=False),
)

# The current version: content that holds for data snapshots valid_from to snapshot and lies in lake_snapshot.
frontier = Table(
    "headwater_frontier",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("snapshot", BigInteger, nullable=False),
    Column("valid_from", BigInteger, nullable=False),
    Column("lake_snapshot", BigInteger, nullable=False),
    Column("clock_at", Instant),
    Column("epoch", Integer, nullable=False),
    Column("definition_version", Integer, nullable=False),
    Column("identity", Text, nullable=False),
    Column("refreshed_at", Instant, nullable=False),
    Column("layout", Text),
    # Rows for the first time in lake snapshot `number`; lake_snapshot is a later one if only columns were changed.
    Column("number", BigInteger),
    Column("created_at", Instant),
    Column("restored_from", BigInteger),
    # Up to this snapshot of the lake no other client wrote to the table, although commits may have been expired.
    Column("own_rows_to", BigInteger),
)

# Earlier versions, a row for each range of data snapshots; the range is empty if another definition replaced the version.
# The snapshots number to visible_to of the lake show it; visible_to is NULL if the version went on.
version = Table(
    "headwater_version",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("valid_from", BigInteger, primary_key=True, autoincrement=False),
    Column("valid_to", BigInteger, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("lake_snapshot", BigInteger, nullable=False),
    Column("visible_to", BigInteger),
    Column("created_at", Instant, nullable=False),
    Column("clock_at", Instant),
    Column("definition_version", Integer, nullable=False),
    Column("restored_from", BigInteger),
    Column("identity", Text, nullable=False),
    Column("layout", Text),
)

# Leases. Times are seconds since 1970 by the database's clock.
lease = Table(
    "headwater_lease",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("token", Text),
    Column("holder", Text),
    Column("expires_at", Double, nullable=False, default=0.0),
    Column("cancelled_by", Text),
)

refresh = Table(
    "headwater_refresh",
    metadata,
    Column("id", Text, primary_key=True),
    Column("table_id", BigInteger, nullable=False),
    Column("schema_name", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("warehouse", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("trigger", Text, nullable=False),
    Column("action", Text),
    Column("strategy", Text),
    Column("reason", Text),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("error", Text),
    Column("suspended_reason", Text),
    Column("sources", Text, nullable=False),
    Column("rows_inserted", BigInteger),
    Column("rows_deleted", BigInteger),
    Column("data_snapshot", BigInteger),
    Column("lake_snapshot", BigInteger),
    Column("completion_target", Instant),
    Column("runs", Integer, nullable=False, default=1),
    Column("profile", Text),
    Column("plan_id", Text),
    Index("headwater_refresh_by_table", "table_id", "started_at"),
)

# The SQL that refreshes ran, by a digest of it.
plan = Table(
    "headwater_plan",
    metadata,
    Column("id", Text, primary_key=True),
    Column("sql", Text, nullable=False),
)

request = Table(
    "headwater_request",
    metadata,
    Column("id", Text, primary_key=True),
    Column("table_id", BigInteger, nullable=False),
    Column("requested_at", Instant, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("done_at", Instant),
    Column("refresh_id", Text),
)

worker = Table(
    "headwater_worker",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("version", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("heartbeat_at", Double, nullable=False),
    Column("doing", Text),
    Column("warehouses", Text),
)

# Published alert conditions, until they end.
alert = Table(
    "headwater_alert",
    metadata,
    Column("table_id", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("opened_at", Instant, nullable=False),
)


KINDS = ("sqlite", "postgresql")


def now(kind: str) -> sa.ColumnElement[float]:
    """Seconds since 1970 by the database's clock, at the moment of the statement and not of its transaction."""
    if kind == "postgresql":
        return sa.literal_column("extract(epoch FROM clock_timestamp())", Double)
    return sa.literal_column("((julianday('now') - 2440587.5) * 86400.0)", Double)
