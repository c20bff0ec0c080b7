"""DuckLake's options of single tables."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.lake import catalog as c

# Whether clients compact the table automatically.
AUTO_COMPACT = "auto_compact"


def table_option(table_id: int, key: str, value: str) -> sa.Insert:
    """The statement that adds an option that the table does not have."""
    return sa.insert(c.ducklake_metadata).values(key=key, value=value, scope="table", scope_id=table_id)


def tables_with(connection: sa.Connection, key: str) -> frozenset[int]:
    """The tables that have the option, with any value."""
    options = c.ducklake_metadata
    query = sa.select(options.c.scope_id).where(options.c.scope == "table", options.c.key == key)
    return frozenset(connection.execute(query).scalars())
