"""What the names in a definition mean in the lake."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from headwater.core.errors import HeadwaterError, InvalidRequest, NotFound
from headwater.core.names import TableName
from headwater.core.schema import Schema
from headwater.lake.names import resolve
from headwater.lake.reader import LakeReader
from headwater.registry.definitions import DynamicTable
from headwater.sql.bind import BoundQuery, SourceTable, SourceView, bind
from headwater.sql.split import split
from headwater.sql.statements import ObjectName
from headwater.sql.tokens import Kind


class LakeSchemas:
    """Tables and views by their names at a snapshot; `read_at` gives the snapshot that a table is read at, if another.

    A definition keeps to the tables that it was `bound` to, whatever they are called.
    """

    def __init__(
        self,
        reader: LakeReader,
        at: int,
        bound: Mapping[TableName, int] = {},
        read_at: Callable[[int], int] | None = None,
    ) -> None:
        self._reader = reader
        self._at = at
        self._bound = {_folded(name): table_id for name, table_id in bound.items()}
        self._read_at = read_at or (lambda _table_id: at)

    def find(self, name: ObjectName) -> SourceTable | SourceView | None:
        """The table or view of this name."""
        try:
            wanted = resolve(name, self._reader, self._at)
        except (NotFound, InvalidRequest):
            return None
        known = self._bound.get(_folded(wanted))
        table = self._reader.table_by_id(known, self._at) if known is not None else None
        if table is None:
            if view := self._reader.find_view(wanted, self._at):
                return SourceView(view.name, view.sql, view.dialect, _aliases(view.aliases))
            try:
                table = self._reader.find_table(wanted, self._at)
            except NotFound:
                return None
        return SourceTable(table.id, table.name, self._reader.schema(table, self._read_at(table.id)))


def bind_definition(
    table: DynamicTable, reader: LakeReader, at: int, read_at: Callable[[int], int] | None = None
) -> BoundQuery:
    """The definition's query with its names resolved as of a snapshot, over tables as they are where they are read."""
    schemas = LakeSchemas(reader, at, {source.name: source.id for source in table.sources}, read_at)
    return bind_statement(table, schemas)


def bind_statement(table: DynamicTable, schemas: LakeSchemas) -> BoundQuery:
    """The query of a definition, bound."""
    statement = table.statement
    return bind(
        statement.query,
        schemas,
        dialect=statement.properties.dialect or "spark",
        origin=statement.query_position,
        allow_random=statement.properties.refresh_mode == "FULL",
    )


def identity(bound: BoundQuery, reader: LakeReader, read_at: Callable[[int], int]) -> str:
    """What the query's meaning hangs on: ids, types and first defaults of the columns that it reads, texts of its views."""
    tables = {}
    for source in bound.sources:
        at = read_at(source.table_id)
        table = reader.table_by_id(source.table_id, at)
        schema = reader.schema(table, at) if table else Schema(())
        wanted = None if source.columns is None else frozenset(source.columns)
        columns = [
            [column.field_id, column.type_text(), column.initial_default]
            for column in schema
            if wanted is None or column.field_id in wanted
        ]
        tables[str(source.table_id)] = columns
    views = {str(view.name): view.query for view in bound.views}
    return json.dumps({"tables": tables, "views": views}, sort_keys=True)


def identity_change(old: str, new: str, names: Mapping[int, TableName]) -> str | None:
    """What is different between two identities, in words."""
    if old == new:
        return None
    before, after = json.loads(old), json.loads(new)
    if before["tables"].keys() != after["tables"].keys():
        come = [names[int(i)] for i in after["tables"].keys() - before["tables"].keys() if int(i) in names]
        return f"{', '.join(map(str, come)) or 'a source'} replaced another table"
    for table_id, columns in after["tables"].items():
        if columns != before["tables"][table_id]:
            return f"columns of {names.get(int(table_id), table_id)} that the query reads changed"
    return "a view that the query reads changed"


def _folded(name: TableName) -> TableName:
    return TableName(name.schema.casefold(), name.name.casefold())


def _aliases(text: str | None) -> tuple[str, ...]:
    if not text:
        return ()
    try:
        pieces = split(text.strip("()"))
    except HeadwaterError:
        return ()
    return tuple(token.text for piece in pieces for token in piece.tokens if token.kind in (Kind.QUOTED, Kind.WORD))
