"""Dynamic tables by their names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from headwater.core.errors import DefinitionRefused, InvalidRequest, NotFound
from headwater.core.names import TableName
from headwater.lake.names import resolve
from headwater.lake.reader import LakeReader
from headwater.registry import definitions, install
from headwater.registry.definitions import Awaited, DynamicTable
from headwater.sql.statements import ObjectName


def all_tables(reader: LakeReader) -> tuple[DynamicTable, ...]:
    """All dynamic tables that the lake still has, under their present names, by schema and name."""
    if not install.is_installed(reader.connection):
        return ()
    present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    found = [table for table in definitions.load(reader.connection) if table.id in present]
    dynamic = {table.id for table in found}
    return tuple(sorted((_as_it_is(table, present, dynamic) for table in found), key=lambda table: table.name))


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
    present = {table.id: table.name for table in reader.tables(reader.latest().id)}
    table_id = next((id for id, known in present.items() if known.same(name)), None)
    found = definitions.find(reader.connection, table_id) if table_id is not None else None
    if found is None:
        return None
    return _as_it_is(found, present, definitions.ids(reader.connection) if found.after else ())


def _as_it_is(table: DynamicTable, present: Mapping[int, TableName], dynamic: Collection[int]) -> DynamicTable:
    """A table under its present name, with those that it comes after under theirs."""
    if not table.after:
        return replace(table, name=present[table.id])
    after = tuple(_awaited(each, present, dynamic) for each in table.after)
    names = tuple(ObjectName(each.name.name, each.name.schema) for each in after)
    properties = replace(table.statement.properties, after=names)
    return replace(
        table, name=present[table.id], after=after, statement=replace(table.statement, properties=properties)
    )


def _awaited(each: Awaited, present: Mapping[int, TableName], dynamic: Collection[int]) -> Awaited:
    """The table of that id; if it is gone, the one of its name that is not dynamic: creation sees to those that are."""
    if each.id in present:
        return Awaited(each.id, present[each.id])
    heirs = (id for id, name in present.items() if name.same(each.name) and id not in dynamic)
    heir = next(heirs, None)
    return replace(each, gone=True) if heir is None else Awaited(heir, present[heir])


def closure(tables: dict[int, DynamicTable], wanted: set[int]) -> dict[int, set[int]]:
    """The wanted dynamic tables and all that comes before them, directly or not: each with those directly before it.

    Where two changes at once have made tables read each other, nothing comes first, and they are refused.
    """
    above = before(tables.values())
    graph: dict[int, set[int]] = {}
    left = [*wanted]
    while left:
        table_id = left.pop()
        if table_id in graph:
            continue
        graph[table_id] = above[table_id]
        left += graph[table_id]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        names = [str(tables[id].name) for id in error.args[1]]
        raise DefinitionRefused(
            f"{names[0]} reads itself",
            detail=f"What each of these gives is read by the next: {', '.join(names)}.",
            hint="Give one of them another query with CREATE OR REPLACE DYNAMIC TABLE.",
        ) from None
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


def before(tables: Iterable[DynamicTable]) -> dict[int, set[int]]:
    """The dynamic tables that come before each one: those that it reads, and those that AFTER names.

    Where two changes at once have made a circle, AFTER does not count within it.
    """
    known = {table.id: table for table in tables}
    above = upstreams(known.values())
    followed = {id: {each.id for each in table.after if each.id in known} for id, table in known.items()}
    while True:
        every = {id: reads | followed[id] for id, reads in above.items()}
        try:
            TopologicalSorter(every).prepare()
        except CycleError as error:
            if not any(followed[id] for id in error.args[1]):
                return every
            followed |= {id: set() for id in error.args[1]}
        else:
            return every


def _folded(name: TableName) -> TableName:
    return TableName(name.schema.casefold(), name.name.casefold())
