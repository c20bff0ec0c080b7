"""The folders of tables, including dropped ones."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.lake.paths import resolve


def table_locations(connection: sa.Connection, data_path: str) -> dict[int, str]:
    """The folders of all tables in the catalog, by table id."""
    table, schema = c.table, c.schema
    places = sa.select(
        table.c.table_id,
        table.c.path,
        table.c.path_is_relative,
        schema.c.path.label("above"),
        schema.c.path_is_relative.label("above_relative"),
    ).join(schema, schema.c.schema_id == table.c.schema_id)
    return {
        row.table_id: resolve(resolve(data_path, row.above, row.above_relative), row.path, row.path_is_relative)
        for row in connection.execute(places)
    }
