"""The table that a refresh writes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.core.errors import HeadwaterError, NotFound
from headwater.core.schema import SortKey
from headwater.lake.reader import LakeReader
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.bind_definition import bind_definition
from headwater.refresh.layout import key_order, stored_plan
from headwater.refresh.source_versions import versions_then
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier


@dataclass(frozen=True, slots=True)
class Target:
    """Its current rows, how its files are written and sorted, and the next free field id."""

    at: TableAt
    writing: WriteTarget
    order: tuple[SortKey, ...]
    free: int


def target_of(reader: LakeReader, table: DynamicTable, base: int) -> Target:
    """The table at a snapshot of the lake."""
    found = reader.table_by_id(table.id, base)
    if found is None:
        raise NotFound(
            f"the stored table of dynamic table {table.name} does not exist",
            hint="Drop the dynamic table, or restore it from a backup.",
        )
    at = reader.table_at(found, base)
    return Target(at, reader.write_target(found, base), target_order(reader, at), reader.next_field_id(found))


def target_order(reader: LakeReader, at: TableAt) -> tuple[SortKey, ...]:
    """The columns that a table's files are sorted by."""
    return tuple(
        replace(key, expression=column.name)
        for key in reader.sorting(at.table, at.snapshot)
        if (column := at.schema.find(key.expression.strip('"'))) is not None
    )


def key_order_of(reader: LakeReader, table: DynamicTable, frontier: Frontier, at: TableAt) -> tuple[SortKey, ...]:
    """The default sort order of a table, by its key; none if the key is unknown."""
    layout, names = frontier.layout, frontier.identity.names
    if layout is None:
        return ()
    then = versions_then(reader, frontier, names)
    try:
        bound = bind_definition(table, reader, frontier.snapshot, then.of, names)
        found = stored_plan(bound, {s.relation: then.table_at(s.table_id, s.name) for s in bound.sources}, layout)
    except HeadwaterError:
        return ()
    return key_order(found.key, found.root.columns, (*at.schema, *layout.state)) if found else ()
