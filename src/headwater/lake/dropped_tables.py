"""What the catalog still knows about dropped tables."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from headwater.core.names import TableName
from headwater.lake import catalog as c
from headwater.lake.reader import LakeReader

_VERSIONS = (
    sa.select(c.table.c.table_id, c.table.c.table_name, c.schema.c.schema_name, c.snapshot.c.snapshot_time)
    .join(c.schema, c.schema.c.schema_id == c.table.c.schema_id)
    .join(c.snapshot, c.snapshot.c.snapshot_id == c.table.c.end_snapshot, isouter=True)
    .where(c.table.c.table_id.in_(sa.bindparam("ids", expanding=True)), c.table.c.end_snapshot.is_not(None))
    .order_by(c.table.c.begin_snapshot)
)


@dataclass(frozen=True, slots=True)
class DroppedTable:
    """A dropped table under its last name; the time is None if the snapshot of its drop has expired."""

    id: int
    name: TableName
    dropped_at: datetime | None


def dropped_tables(reader: LakeReader, ids: Collection[int]) -> dict[int, DroppedTable]:
    """Those of the dropped tables that the catalog still lists, by id."""
    if not ids:
        return {}
    rows = reader.connection.execute(_VERSIONS, {"ids": list(ids)})
    return {
        row.table_id: DroppedTable(row.table_id, TableName(row.schema_name, row.table_name), row.snapshot_time)
        for row in rows
    }
