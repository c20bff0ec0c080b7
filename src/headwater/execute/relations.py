"""The named scans of a query."""

from __future__ import annotations

from headwater.core.representable import is_representable
from headwater.lake.values import TableAt
from headwater.refresh.engine import Query
from headwater.sql.column_usage import referenced_columns


def readable_columns(query: Query) -> dict[str, tuple[str, ...]]:
    """The columns of each relation's scan: all except those of types that Spark lacks and the query does not name.

    Other columns that the query does not name stay: Spark doesn't read them, and suggests them if a name is wrong.
    """
    odd = {relation: at for relation, at in query.sources.items() if not all(map(is_representable, at.schema))}
    named = referenced_columns(query.sql, {relation: at.schema for relation, at in odd.items()}) if odd else {}
    return {relation: _readable(at, named.get(relation)) for relation, at in query.sources.items()}


def _readable(at: TableAt, named: tuple[int, ...] | None) -> tuple[str, ...]:
    return tuple(
        column.name for column in at.schema if named is None or column.field_id in named or is_representable(column)
    )
