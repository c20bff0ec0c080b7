"""Bind the names in a definition to tables and columns of the lake."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from headwater.core.errors import HeadwaterError, InvalidRequest, NotFound
from headwater.core.names import TableName, folded
from headwater.core.refresh_record import RefreshMode
from headwater.core.schema import Schema
from headwater.core.semantics import SqlMode, sql_mode
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.registry.definitions import DynamicTable
from headwater.registry.source_identity import SourceColumn, SourceIdentity
from headwater.sql.bind import BoundQuery, SourceTable, SourceView, bind
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.split import split
from headwater.sql.statements import ObjectName
from headwater.sql.tokens import TokenKind

Names = Mapping[int, Mapping[int, str]]
NO_NAMES: Names = MappingProxyType({})


class LakeSchemas:
    """Tables and views by name at a snapshot; `read_at` gives the snapshot of a table that is read at another one.

    A definition stays bound to its tables and columns when they are renamed: `bound` and `names` map the names in the
    definition to their ids.
    """

    def __init__(
        self,
        reader: LakeReader,
        at: int,
        bound: Mapping[TableName, int] = {},
        read_at: Callable[[int], int] | None = None,
        names: Names = NO_NAMES,
    ) -> None:
        self._reader = reader
        self._at = at
        self._bound = {name.folded: table_id for name, table_id in bound.items()}
        self._read_at = read_at or (lambda _table_id: at)
        self._names = names

    def find(self, name: ObjectName) -> SourceTable | SourceView | None:
        """The table or view of this name."""
        try:
            wanted = resolve(name, self._reader, self._at)
        except (NotFound, InvalidRequest):
            return None
        known = self._bound.get(wanted.folded)
        table = self._reader.table_by_id(known, self._at) if known is not None else None
        if table is None:
            if view := self._reader.find_view(wanted, self._at):
                return SourceView(view.name, view.sql, view.dialect, _aliases(view.aliases))
            try:
                table = self._reader.find_table(wanted, self._at)
            except NotFound:
                return None
        schema = self._reader.schema(table, self._read_at(table.id))
        return SourceTable(table.id, table.name, rename_columns(schema, self._names.get(table.id, {})))


def rename_columns(schema: Schema, names: Mapping[int, str]) -> Schema:
    """The columns under the names that a definition uses; a column that has taken such a name since then is left out."""
    if all(names.get(column.field_id, column.name) == column.name for column in schema):
        return schema
    taken = {folded(name) for name in names.values()}
    return Schema(
        tuple(
            replace(column, name=names.get(column.field_id, column.name))
            for column in schema
            if column.field_id in names or folded(column.name) not in taken
        )
    )


def bind_definition(
    table: DynamicTable,
    reader: LakeReader,
    at: int,
    read_at: Callable[[int], int] | None = None,
    names: Names = NO_NAMES,
) -> BoundQuery:
    """The definition's query, bound at a snapshot; each table has the columns that it has where it is read."""
    bound = {source.name: source.id for source in table.sources}
    return bind_statement(table.statement, LakeSchemas(reader, at, bound, read_at, names), sql_mode(table.session))


def bind_statement(statement: CreateDynamicTable, schemas: LakeSchemas, mode: SqlMode) -> BoundQuery:
    """The query of a definition, bound; `mode` is that of its session."""
    return bind(
        statement.query,
        schemas,
        dialect=statement.properties.dialect or "spark",
        origin=statement.query_position,
        allow_random=statement.properties.refresh_mode is RefreshMode.FULL,
        mode=mode,
    )


def source_identity(
    bound: BoundQuery,
    reader: LakeReader,
    read_at: Callable[[int], int],
    names: Names = NO_NAMES,
    dynamic: Collection[int] = (),
) -> SourceIdentity:
    """The identity of the sources of a query; `dynamic` are those that are dynamic tables."""
    tables = {}
    for source in bound.sources:
        at = read_at(source.table_id)
        table = reader.table_by_id(source.table_id, at)
        schema = rename_columns(reader.schema(table, at) if table else Schema(()), names.get(source.table_id, {}))
        wanted = None if source.columns is None else frozenset(source.columns)
        tables[source.table_id] = tuple(
            SourceColumn(column.field_id, column.type_text(), column.initial_default, column.name)
            for column in schema
            if wanted is None or column.field_id in wanted
        )
    views = {str(view.name): view.query for view in bound.views}
    return SourceIdentity(
        tables, views, {s.table_id: read_at(s.table_id) for s in bound.sources if s.table_id in dynamic}
    )


def _aliases(text: str | None) -> tuple[str, ...]:
    if not text:
        return ()
    try:
        pieces = split(text.strip("()"))
    except HeadwaterError:
        return ()
    return tuple(
        token.text for piece in pieces for token in piece.tokens if token.kind in (TokenKind.QUOTED, TokenKind.WORD)
    )
