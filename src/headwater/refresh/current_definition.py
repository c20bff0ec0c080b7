"""A definition restated with the present names of the tables and columns that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from headwater.core.errors import HeadwaterError, InvalidRequest, NotFound
from headwater.core.format import format_time
from headwater.core.names import TableName, folded
from headwater.core.semantics import sql_mode
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.refresh.bind_definition import LakeSchemas, Names, bind_definition, bind_statement
from headwater.refresh.current_sources import CurrentSource, current_sources
from headwater.refresh.definition_names import definition_names
from headwater.registry import frontiers
from headwater.registry.definitions import Dependency, DynamicTable
from headwater.sql.bind import BoundQuery
from headwater.sql.column_owners import RenamedSource
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.rename_sources import rename_sources
from headwater.sql.statements import ObjectName


@dataclass(frozen=True, slots=True)
class CurrentDefinition:
    """A definition with present names; `problems` are sentences about what keeps it from being created again."""

    statement: CreateDynamicTable
    sources: tuple[CurrentSource, ...]
    problems: tuple[str, ...] = ()


def current_definition(reader: LakeReader, table: DynamicTable) -> CurrentDefinition:
    """The definition of a table, which may have been dropped, with present names."""
    at = reader.latest().id
    sources = current_sources(reader, (table,))[table.id]
    names = definition_names(reader, table, frontiers.find(reader.connection, table.id))
    by_name = {
        known.name.folded: _renamed(reader, at, known, source.name, names)
        for known, source in zip(table.sources, sources, strict=True)
        if known.id == source.id and not source.dropped
    }

    def find(name: ObjectName) -> RenamedSource | None:
        written = _written(name, reader, at)
        found = by_name.get(written.folded)
        return None if found is None else replace(found, renamed=not found.name.same(written))

    old = table.statement
    mode = sql_mode(table.session)
    query = rename_sources(
        old.query, old.properties.dialect or "spark", find, double_quoted_names=mode.double_quoted_names
    )
    statement = old if query == old.query else replace(old, query=query)
    return CurrentDefinition(statement, sources, tuple(_problems(reader, at, table, statement, sources, names)))


def require_sources(current: CurrentDefinition, table: DynamicTable) -> None:
    """Refuse a definition that does not read the tables that it read."""
    if not current.problems:
        return
    raise (NotFound if any(source.dropped for source in current.sources) else InvalidRequest)(
        f"the sources of dynamic table {table.name} are not those of its definition",
        detail=" ".join(current.problems),
        hint=f"Create {table.name} with a query that reads the right tables.",
    )


def _renamed(reader: LakeReader, at: int, known: Dependency, name: TableName, names: Names) -> RenamedSource:
    present = _present_columns(reader, at, known.id)
    columns = tuple((old, present[id]) for id, old in names.get(known.id, {}).items() if id in present)
    return RenamedSource(name, not name.same(known.name), columns)


def _present_columns(reader: LakeReader, at: int, table_id: int) -> dict[int, str]:
    table = reader.table_by_id(table_id, at)
    return {column.field_id: column.name for column in reader.schema(table, at)} if table else {}


def _problems(
    reader: LakeReader,
    at: int,
    table: DynamicTable,
    statement: CreateDynamicTable,
    sources: tuple[CurrentSource, ...],
    names: Names,
) -> Iterable[str]:
    for source in sources:
        if source.dropped:
            when = f" at {format_time(source.dropped_at)}" if source.dropped_at else ""
            yield f"Source {source.name} was dropped{when}."
        elif source.replaced:
            yield f"A source was dropped, and {source.name} is another table with its former name."
        for column in _taken_names(_present_columns(reader, at, source.id), names.get(source.id, {})):
            yield f'Column "{column}" of {source.name} was dropped, and another column has its name.'
    if any(source.dropped for source in sources):
        return
    if statement is not table.statement or not _same_names(table, sources):
        yield from _misread(reader, at, table, statement, names)


def _taken_names(present: Mapping[int, str], known: Mapping[int, str]) -> Iterable[str]:
    """The names of dropped columns that other columns of the definition have today."""
    taken = {folded(present[id]) for id in known if id in present}
    return (name for id, name in known.items() if id not in present and folded(name) in taken)


def _misread(
    reader: LakeReader, at: int, table: DynamicTable, statement: CreateDynamicTable, names: Names
) -> Iterable[str]:
    """Why the restated query doesn't read the tables and columns of the definition, if so."""
    try:
        before = _columns_read(reader, at, bind_definition(table, reader, at, names=names))
        after = _columns_read(reader, at, bind_statement(statement, LakeSchemas(reader, at), sql_mode(table.session)))
    except HeadwaterError as error:
        yield f"The query can't be restated with present names: {error.message}."
        return
    if before.keys() != after.keys() or any(not before[id] <= after[id] for id in before):
        yield "The query can't be restated with present names, because a view reads a table under its former name."


def _columns_read(reader: LakeReader, at: int, bound: BoundQuery) -> dict[int, frozenset[int]]:
    return {
        source.table_id: frozenset(
            _present_columns(reader, at, source.table_id) if source.columns is None else source.columns
        )
        for source in bound.sources
    }


def _same_names(table: DynamicTable, sources: tuple[CurrentSource, ...]) -> bool:
    return all(known.name.same(now.name) for known, now in zip(table.sources, sources, strict=True))


def _written(name: ObjectName, reader: LakeReader, at: int) -> TableName:
    try:
        return resolve(name, reader, at)
    except HeadwaterError:
        return TableName(name.schema or "", name.name)
