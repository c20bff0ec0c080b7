"""Find dynamic tables by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from headwater.core.errors import InvalidRequest, NotFound
from headwater.core.names import TableName
from headwater.lake.dropped_tables import dropped_tables
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.registry import definitions, install
from headwater.registry.definitions import AfterDependency, DynamicTable
from headwater.sql.statements import ObjectName


def all_tables(reader: LakeReader) -> tuple[DynamicTable, ...]:
    """All dynamic tables of the lake under their current names, ordered by schema and name."""
    return reader.once(("dynamic tables",), lambda: _all_tables(reader))


def _all_tables(reader: LakeReader) -> tuple[DynamicTable, ...]:
    if not install.is_installed(reader.connection):
        return ()
    present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    found = [table for table in definitions.load(reader.connection) if table.id in present]
    dynamic = {table.id for table in found}
    return tuple(
        sorted((_with_present_names(table, present, dynamic) for table in found), key=lambda table: table.name)
    )


def find_dynamic(reader: LakeReader, name: ObjectName) -> DynamicTable:
    """The dynamic table of this name, or an error."""
    at = reader.latest().id
    wanted = resolve(name, reader, at)
    if table := find_by_name(reader, wanted):
        return table
    if any(table.name.same(wanted) for table in reader.tables(at)):
        raise InvalidRequest(
            f"{wanted} is not a dynamic table", hint="Run SHOW DYNAMIC TABLES to list the dynamic tables."
        )
    raise NotFound(f"dynamic table {wanted} does not exist", hint="Run SHOW DYNAMIC TABLES to list the dynamic tables.")


def find_by_name(reader: LakeReader, name: TableName) -> DynamicTable | None:
    """The dynamic table of this name, if there is one."""
    if not install.is_installed(reader.connection):
        return None
    present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    table_id = next((id for id, known in present.items() if known.same(name)), None)
    found = definitions.find(reader.connection, table_id) if table_id is not None else None
    if found is None:
        return None
    return _with_present_names(found, present, definitions.ids(reader.connection) if found.after else ())


def find_dropped(reader: LakeReader, name: TableName) -> DynamicTable | None:
    """The dynamic table that last had this name and was dropped, with the current names of the tables of AFTER."""
    if not install.is_installed(reader.connection):
        return None
    stored = definitions.load_dropped_names(reader.connection)
    # Another client may have renamed it.
    last = dropped_tables(reader, [id for id, _ in stored])
    table_id = next((id for id, known in stored if (last[id].name if id in last else known).same(name)), None)
    if table_id is None:
        return None
    present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    found = definitions.find_dropped(reader.connection, table_id)
    return _with_present_names(found, {table_id: name} | present, definitions.ids(reader.connection))


def _with_present_names(
    table: DynamicTable, present: Mapping[int, TableName], dynamic: Collection[int]
) -> DynamicTable:
    """The table with the current names of itself and of the tables of AFTER."""
    if not table.after:
        return replace(table, name=present[table.id])
    after = tuple(_awaited(each, present, dynamic) for each in table.after)
    names = tuple(ObjectName(each.name.name, each.name.schema) for each in after)
    properties = replace(table.statement.properties, after=names)
    return replace(
        table, name=present[table.id], after=after, statement=replace(table.statement, properties=properties)
    )


def _awaited(each: AfterDependency, present: Mapping[int, TableName], dynamic: Collection[int]) -> AfterDependency:
    """The table with this id, or after a drop the plain table of its name; creation repoints to dynamic ones."""
    if each.id in present:
        return AfterDependency(each.id, present[each.id])
    heirs = (id for id, name in present.items() if name.same(each.name) and id not in dynamic)
    heir = next(heirs, None)
    return replace(each, dropped=True) if heir is None else AfterDependency(heir, present[heir])
