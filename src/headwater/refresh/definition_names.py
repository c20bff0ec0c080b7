"""The names by which a definition knows the columns of its sources."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.lake.reader import LakeReader
from headwater.refresh.bind_definition import NO_NAMES, Names
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier

_CREATED = sa.select(sa.func.min(c.table.c.begin_snapshot)).where(c.table.c.table_id == c.TABLE_ID)


def definition_names(reader: LakeReader, table: DynamicTable, frontier: Frontier | None) -> Names:
    """The names by table and field id: as of the last refresh, or before the first one as of the creation."""
    if frontier:
        return frontier.identity.names if frontier.definition_version == table.version else NO_NAMES
    created = reader.connection.execute(_CREATED, {"of_table": table.id}).scalar_one_or_none()
    if created is None or table.version != 1:
        return NO_NAMES
    found = {source.id: reader.table_by_id(source.id, created) for source in table.sources}
    return {
        id: {column.field_id: column.name for column in reader.schema(source, created)}
        for id, source in found.items()
        if source is not None
    }
