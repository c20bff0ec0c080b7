"""Dynamic tables by their names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headwater.core.errors import InvalidRequest, NotFound
from headwater.core.names import TableName
from headwater.lake.names import resolve
from headwater.lake.reader import LakeReader
from headwater.registry import definitions, install
from headwater.registry.definitions import DynamicTable
from headwater.sql.statements import ObjectName


def all_tables(reader: LakeReader) -> tuple[DynamicTable, ...]:
    """All dynamic tables that the lake still has, under their present names, by schema and name."""
    if not install.is_installed(reader.connection):
        return ()
    present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    found = (table for table in definitions.load(reader.connection) if table.id in present)
    return tuple(sorted((replace(t, name=present[t.id]) for t in found), key=lambda table: table.name))


def find_dynamic(reader: LakeReader, name: ObjectName) -> DynamicTable:
    """The dynamic table of this name, or an error that says what the name is instead."""
    at = reader.latest().id
    wanted = resolve(name, reader, at)
    if table := find_by_name(reader, wanted):
        return table
    if any(table.name.same(wanted) for table in reader.tables(at)):
        raise InvalidRequest(f"{wanted} is a table, not a dynamic table", hint="SHOW DYNAMIC TABLES lists those.")
    raise NotFound(f"no dynamic table {wanted}", hint="SHOW DYNAMIC TABLES lists those that there are.")


def find_by_name(reader: LakeReader, name: TableName) -> DynamicTable | None:
    """The dynamic table of this name, if there is one."""
    if not install.is_installed(reader.connection):
        return None
    table = next((t for t in reader.tables(reader.latest().id) if t.name.same(name)), None)
    found = definitions.find(reader.connection, table.id) if table else None
    return replace(found, name=table.name) if found and table else None


def closure(tables: dict[int, DynamicTable], wanted: set[int]) -> dict[int, set[int]]:
    """The wanted dynamic tables and all that they read, directly or not: each with its direct upstreams."""
    above = upstreams(tables.values())
    graph: dict[int, set[int]] = {}
    left = [*wanted]
    while left:
        table_id = left.pop()
        if table_id in graph:
            continue
        graph[table_id] = above[table_id]
        left += graph[table_id]
    return graph


def upstreams(tables: Iterable[DynamicTable]) -> dict[int, set[int]]:
    """The dynamic tables that each one reads directly; one that took the place of another since counts as well."""
    known = {table.id: table for table in tables}
    by_name = {_folded(table.name): table.id for table in known.values()}
    return {
        table.id: {
            found
            for source in table.sources
            if (found := source.id if source.id in known else by_name.get(_folded(source.name))) is not None
            and found != table.id
        }
        for table in known.values()
    }


def _folded(name: TableName) -> TableName:
    return TableName(name.schema.casefold(), name.name.casefold())
