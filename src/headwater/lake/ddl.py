"""DDL statements as operations of a commit."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from headwater.core.errors import AlreadyExists, InvalidRequest, NotFound
from headwater.core.format import these_are
from headwater.core.names import DEFAULT_SCHEMA, TableName, folded
from headwater.core.schema import Column, Schema, number
from headwater.core.types import TIMESTAMPS, promotes
from headwater.lake import operations as op
from headwater.lake.defaults import check_default
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve, resolve_schema
from headwater.lake.uuid7 import uuid7
from headwater.lake.values import PartitionField, Table
from headwater.sql import statements as st


def plan_ddl(statement: st.Statement, reader: LakeReader, at: int) -> tuple[op.Operation, ...]:
    """The operations of the statement on the lake at snapshot `at`; none if IF [NOT] EXISTS applies."""
    return _Planner(reader, at).plan(statement)


class _Planner:
    def __init__(self, reader: LakeReader, at: int) -> None:
        self._reader = reader
        self._at = at

    def plan(self, statement: st.Statement) -> tuple[op.Operation, ...]:
        match statement:
            case st.CreateSchema():
                return self._create_schema(statement)
            case st.DropSchema():
                return self._drop_schema(statement)
            case st.CreateTable():
                return self._create_table(statement)
            case st.DropTable():
                table = self._table(statement.name, missing_ok=statement.if_exists)
                return (op.DropTableOp(table.id),) if table else ()
            case st.CreateView():
                return self._create_view(statement)
            case st.DropView():
                view = self._reader.find_view(self._name(statement.name), self._at)
                if view is None and not statement.if_exists:
                    raise NotFound(
                        f"view {self._name(statement.name)} does not exist", hint="Check the name and the schema."
                    )
                return (op.DropViewOp(view.id),) if view else ()
            case st.RenameView():
                name = self._name(statement.name)
                view = self._reader.find_view(name, self._at)
                if view is None:
                    raise NotFound(f"view {name} does not exist", hint="Check the name and the schema.")
                return (op.RenameViewOp(view.id, TableName(name.schema, statement.new_name)),)
            case st.RenameTable():
                table = self._known(statement.name)
                return (op.RenameTableOp(table.id, TableName(table.name.schema, statement.new_name)),)
            case st.CommentOnTable():
                view = self._reader.find_view(self._name(statement.table), self._at)
                if view is not None:
                    return (op.SetComment(view.id, statement.comment, is_view=True),)
                return (op.SetComment(self._known(statement.table).id, statement.comment),)
            case _:
                return self._alter(statement)

    def _alter(self, statement: _Alter) -> tuple[op.Operation, ...]:
        table = self._known(statement.table)
        schema = self._reader.schema(table, self._at)
        match statement:
            case st.AddColumn():
                return self._add_column(table, schema, statement)
            case st.DropColumn():
                return self._drop_column(table, schema, statement)
            case st.RenameColumn():
                column = _column(table, schema, statement.column)
                _check_reserved(statement.new_name)
                taken = schema.find(statement.new_name)
                if taken is not None and taken.field_id != column.field_id:
                    raise AlreadyExists(
                        f'table {table.name} already has a column "{statement.new_name}"', hint="Choose another name."
                    )
                return (op.ChangeColumn(table.id, replace(column, name=statement.new_name)),)
            case st.ChangeColumnType():
                return self._change_type(table, schema, statement)
            case st.SetDefault():
                column = _column(table, schema, statement.column)
                changed = replace(
                    column, default=statement.default, default_is_expression=statement.default_is_expression
                )
                check_default(changed)
                return (op.ChangeColumn(table.id, changed),)
            case st.DropDefault():
                column = _column(table, schema, statement.column)
                return (op.ChangeColumn(table.id, replace(column, default=None, default_is_expression=False)),)
            case st.SetNotNull():
                return self._set_not_null(table, schema, statement)
            case st.DropNotNull():
                return (op.ChangeColumn(table.id, replace(_column(table, schema, statement.column), nullable=True)),)
            case st.SetPartitioning():
                return (op.SetPartitioningOp(table.id, partition_fields(table.name, schema, statement.keys)),)
            case st.SetSorting():
                return (op.SetSortingOp(table.id, statement.keys),)
            case st.CommentOnColumn():
                column = _column(table, schema, statement.column)
                return (op.SetComment(table.id, statement.comment, field_id=column.field_id),)
            case _:
                assert_never(statement)

    def _create_schema(self, statement: st.CreateSchema) -> tuple[op.Operation, ...]:
        name = resolve_schema(statement.name)
        if folded(name) in {folded(known) for known in self._reader.schemas(self._at)}:
            if statement.if_not_exists:
                return ()
            raise AlreadyExists(f'schema "{name}" already exists', hint="Add IF NOT EXISTS, or choose another name.")
        return (op.CreateSchemaOp(name),)

    def _drop_schema(self, statement: st.DropSchema) -> tuple[op.Operation, ...]:
        name = resolve_schema(statement.name)
        ids = {folded(known): schema_id for known, schema_id in self._reader.schemas(self._at).items()}
        if folded(name) not in ids:
            if statement.if_exists:
                return ()
            raise NotFound(f'schema "{name}" does not exist', hint="Check the name.")
        if folded(name) == DEFAULT_SCHEMA:
            raise InvalidRequest(
                f'schema "{name}" can\'t be dropped', hint="Drop its tables instead; every lake has this schema."
            )
        tables = [t for t in self._reader.tables(self._at) if folded(t.name.schema) == folded(name)]
        views = [v for v in self._reader.views(self._at) if folded(v.name.schema) == folded(name)]
        if (tables or views) and not statement.cascade:
            held = ", ".join([str(table.name) for table in tables] + [str(view.name) for view in views])
            raise InvalidRequest(f'schema "{name}" is not empty', detail=f"It contains {held}.", hint="Add CASCADE.")
        return (
            *(op.DropTableOp(table.id) for table in tables),
            *(op.DropViewOp(view.id) for view in views),
            op.DropSchemaOp(ids[folded(name)]),
        )

    def _create_table(self, statement: st.CreateTable) -> tuple[op.Operation, ...]:
        name = self._name(statement.name)
        removed, done = self._make_room(name, "table", statement.or_replace, statement.if_not_exists)
        if done:
            return ()
        columns = number(statement.columns)
        _check_names(name, columns)
        schema = Schema(columns)
        created = op.CreateTableOp(
            name=name,
            columns=columns,
            uuid=str(uuid7()),
            partitioned_by=partition_fields(name, schema, statement.partitioned_by),
            sorted_by=statement.sorted_by,
        )
        return (*removed, created)

    def _create_view(self, statement: st.CreateView) -> tuple[op.Operation, ...]:
        name = self._name(statement.name)
        removed, done = self._make_room(name, "view", statement.or_replace, statement.if_not_exists)
        if done:
            return ()
        return (*removed, op.CreateViewOp(name, statement.query, statement.dialect, statement.aliases))

    def _make_room(
        self, name: TableName, kind: str, or_replace: bool, if_not_exists: bool
    ) -> tuple[tuple[op.Operation, ...], bool]:
        """The operations that drop what has the name, and whether the statement has nothing to do."""
        table = next((t for t in self._reader.tables(self._at) if t.name.same(name)), None)
        view = self._reader.find_view(name, self._at)
        found = "table" if table else "view" if view else None
        if found is None:
            return (), False
        if found == kind and if_not_exists:
            return (), True
        if found != kind or not or_replace:
            hint = (
                "Choose another name." if found != kind else "Add OR REPLACE or IF NOT EXISTS, or choose another name."
            )
            raise AlreadyExists(f"{found} {name} already exists", hint=hint)
        return ((op.DropTableOp(table.id),) if table else (op.DropViewOp(view.id),) if view else ()), False

    def _add_column(self, table: Table, schema: Schema, statement: st.AddColumn) -> tuple[op.Operation, ...]:
        if schema.find(statement.column.name) is not None:
            if statement.if_not_exists:
                return ()
            raise AlreadyExists(
                f'table {table.name} already has a column "{statement.column.name}"',
                hint="Add IF NOT EXISTS, or choose another name.",
            )
        _check_reserved(statement.column.name)
        check_default(statement.column)
        if not statement.column.nullable:
            raise InvalidRequest(
                f'column "{statement.column.name}" can\'t be added as NOT NULL',
                hint="Add the column, fill it, then use ALTER COLUMN … SET NOT NULL.",
            )
        if statement.column.default_is_expression:
            raise InvalidRequest(
                f'column "{statement.column.name}" can\'t be added with a default that is an expression',
                detail="Existing rows need a constant value.",
                hint="Add the column with a constant default or none, then use ALTER COLUMN … SET DEFAULT.",
            )
        return (op.AddColumnOp(table.id, statement.column),)

    def _drop_column(self, table: Table, schema: Schema, statement: st.DropColumn) -> tuple[op.Operation, ...]:
        column = schema.find(statement.column)
        if column is None and statement.if_exists:
            return ()
        column = _column(table, schema, statement.column)
        if len(schema) == 1:
            raise InvalidRequest(
                f'column "{column.name}" is the only column of table {table.name}', hint="Drop the table instead."
            )
        partitioning = self._reader.partitioning(table, self._at)
        if partitioning and any(key.field_id == column.field_id for key in partitioning.fields):
            raise InvalidRequest(
                f'table {table.name} is partitioned by column "{column.name}"', hint="RESET PARTITIONED BY first."
            )
        if any(
            folded(key.expression.strip('"')) == folded(column.name) for key in self._reader.sorting(table, self._at)
        ):
            raise InvalidRequest(
                f'table {table.name} is sorted by column "{column.name}"', hint="RESET SORTED BY first."
            )
        return (op.DropColumnOp(table.id, column.field_id),)

    def _change_type(self, table: Table, schema: Schema, statement: st.ChangeColumnType) -> tuple[op.Operation, ...]:
        column = _column(table, schema, statement.column)
        if not promotes(column.type, statement.type.type):
            raise InvalidRequest(
                f'column "{column.name}" can\'t change from {column.type_text()} to {statement.type.type_text()}',
                detail="Existing files keep their types, so a column can only change to a wider type of the same kind.",
                hint="Add a column of the new type and fill it.",
            )
        return (op.ChangeColumn(table.id, replace(column, type=statement.type.type)),)

    def _set_not_null(self, table: Table, schema: Schema, statement: st.SetNotNull) -> tuple[op.Operation, ...]:
        column = _column(table, schema, statement.column)
        if self._reader.may_hold_null(table, column):
            raise InvalidRequest(
                f'column "{column.name}" of table {table.name} may contain NULL',
                detail="The catalog's statistics do not exclude it; they include deleted rows.",
                hint="Replace the NULLs and rewrite the table, then try again.",
            )
        return (op.ChangeColumn(table.id, replace(column, nullable=False)),)

    def _name(self, name: st.ObjectName) -> TableName:
        return resolve(name, self._reader, self._at)

    def _table(self, name: st.ObjectName, *, missing_ok: bool) -> Table | None:
        try:
            return self._known(name)
        except NotFound:
            if missing_ok and self._reader.find_view(self._name(name), self._at) is None:
                return None
            raise

    def _known(self, name: st.ObjectName) -> Table:
        return self._reader.find_table(self._name(name), self._at)


_RESERVED_STARTS = ("_ducklake_internal_", "_hw_", "__hw_")
_CALENDAR = frozenset({"year", "month", "day", "hour"})
_RESERVED = frozenset({"row_id", "begin_snapshot", "end_snapshot"})
_Alter = (
    st.AddColumn
    | st.DropColumn
    | st.RenameColumn
    | st.ChangeColumnType
    | st.SetDefault
    | st.DropDefault
    | st.SetNotNull
    | st.DropNotNull
    | st.SetPartitioning
    | st.SetSorting
    | st.CommentOnColumn
)


def _column(table: Table, schema: Schema, name: str) -> Column:
    column = schema.find(name)
    if column is None:
        raise NotFound(
            f'table {table.name} has no column "{name}"',
            detail=these_are("column", schema.names),
            hint="Check the name.",
        )
    return column


def _check_names(name: TableName, columns: tuple[Column, ...]) -> None:
    seen: set[str] = set()
    for column in columns:
        _check_reserved(column.name)
        check_default(column)
        if folded(column.name) in seen:
            raise InvalidRequest(
                f'column "{column.name}" of table {name} is specified more than once',
                hint="Give each column its own name.",
            )
        seen.add(folded(column.name))


def _check_reserved(name: str) -> None:
    """Refuse column names that DuckLake uses in files and in the catalog."""
    if folded(name) in _RESERVED or folded(name).startswith(_RESERVED_STARTS):
        raise InvalidRequest(
            f'column name "{name}" is reserved', detail="DuckLake uses it internally.", hint="Choose another name."
        )


def partition_fields(name: TableName, schema: Schema, keys: tuple[st.PartitionKey, ...]) -> tuple[PartitionField, ...]:
    fields = []
    for key in keys:
        column = schema.find(key.column)
        if column is None or column.nested:
            raise InvalidRequest(
                f'table {name} has no scalar column "{key.column}" to partition by', hint="Check the name."
            )
        if key.transform in _CALENDAR and column.type not in TIMESTAMPS | {"date"}:
            raise InvalidRequest(
                f'{key.transform}() of column "{column.name}" is not possible',
                detail=f"Its type is {column.type}.",
                hint="Partition by a date or timestamp, or by the column itself.",
            )
        fields.append(PartitionField(column.field_id, key.transform))
    return tuple(fields)
