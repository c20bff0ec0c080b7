"""The catalog rows of DDL: schemas, tables, columns, partitioning, sorting, comments and views."""

from __future__ import annotations

import uuid
from dataclasses import replace

import sqlalchemy as sa

from headwater.core.errors import AlreadyExists, CommitConflict, InvalidRequest
from headwater.core.names import TableName, folded, quote
from headwater.core.schema import Column, number
from headwater.lake import catalog as c
from headwater.lake import operations as op
from headwater.lake.new_snapshot import NewSnapshot
from headwater.lake.paths import folder_for
from headwater.lake.snapshot_changes import Entry
from headwater.lake.uuid7 import uuid7
from headwater.store.folded_name import FoldedName


def create_schema(new: NewSnapshot, change: op.CreateSchemaOp) -> None:
    unique = str(uuid7())
    new.connection.execute(
        sa.insert(c.schema).values(
            schema_id=new.take_catalog_id(),
            schema_uuid=unique,
            begin_snapshot=new.id,
            schema_name=change.name,
            path=folder_for(change.name, unique),
            path_is_relative=True,
        )
    )
    new.note(Entry.named("created_schema", change.name))
    new.change_schema()


def drop_schema(new: NewSnapshot, change: op.DropSchemaOp) -> None:
    for held, kind in ((c.table, "table"), (c.view, "view")):
        query = sa.select(sa.func.count()).select_from(held).where(held.c.schema_id == change.schema_id, c.live(held))
        if new.connection.execute(query).scalar_one():
            raise CommitConflict(f"the schema still contains a {kind}", hint="Drop it with CASCADE, or empty it first.")
    _must_hit(new.end(c.schema, c.schema.c.schema_id == change.schema_id), "schema", change.schema_id)
    new.note(Entry("dropped_schema", change.schema_id))
    new.change_schema()


def create_table(new: NewSnapshot, change: op.CreateTableOp) -> int:
    """Create the table and return its id."""
    schema_id = _schema_id(new, change.name)
    _name_is_free(new, schema_id, change.name)
    table_id = new.take_catalog_id()
    new.connection.execute(
        sa.insert(c.table).values(
            table_id=table_id,
            table_uuid=change.uuid,
            begin_snapshot=new.id,
            schema_id=schema_id,
            table_name=change.name.name,
            path=folder_for(change.name.name, change.uuid),
            path_is_relative=True,
        )
    )
    _insert_columns(new, table_id, change.columns)
    new.note(Entry.created("created_table", change.name))
    new.change_schema(table_id)
    if change.partitioned_by:
        _insert_partitioning(new, op.SetPartitioningOp(table_id, change.partitioned_by))
    if change.sorted_by:
        _insert_sorting(new, op.SetSortingOp(table_id, change.sorted_by))
    return table_id


def drop_table(new: NewSnapshot, change: op.DropTableOp) -> None:
    _must_hit(new.end(c.table, c.table.c.table_id == change.table_id), "table", change.table_id)
    for versioned in (c.column, c.partition_info, c.sort_info, c.data_file, c.delete_file, c.column_tag):
        new.end(versioned, versioned.c.table_id == change.table_id)
    new.end(c.tag, c.tag.c.object_id == change.table_id)
    new.note(Entry("dropped_table", change.table_id))
    new.change_schema()


def rename_table(new: NewSnapshot, change: op.RenameTableOp) -> None:
    row = _live_row(new, c.table, c.table.c.table_id == change.table_id, "table", change.table_id)
    schema_id = _schema_id(new, change.name)
    new.end(c.table, c.table.c.table_id == change.table_id)
    _name_is_free(new, schema_id, change.name)
    renamed = dict(row._mapping) | {
        "begin_snapshot": new.id,
        "end_snapshot": None,
        "table_name": change.name.name,
        "schema_id": schema_id,
    }
    new.connection.execute(sa.insert(c.table).values(renamed))
    new.note(Entry.created("created_table", change.name))
    new.change_schema(change.table_id)


def add_column(new: NewSnapshot, change: op.AddColumnOp) -> None:
    highest = sa.select(sa.func.max(c.column.c.column_id)).where(c.column.c.table_id == change.table_id)
    first = new.connection.execute(highest).scalar_one() + 1
    _insert_columns(new, change.table_id, number((change.column,), first))
    _altered(new, change.table_id)


def drop_column(new: NewSnapshot, change: op.DropColumnOp) -> None:
    column = c.column
    ids = [change.field_id]
    for field_id in ids:
        below = sa.select(column.c.column_id).where(
            column.c.table_id == change.table_id, column.c.parent_column == field_id, c.live(column)
        )
        ids.extend(new.connection.execute(below).scalars())
    ended = new.end(column, column.c.table_id == change.table_id, column.c.column_id.in_(ids))
    _must_hit(ended, "column", change.field_id)
    _altered(new, change.table_id)


def change_column(new: NewSnapshot, change: op.ChangeColumn) -> None:
    column = c.column
    where = (column.c.table_id == change.table_id, column.c.column_id == change.column.field_id)
    row = _live_row(new, column, sa.and_(*where), "column", change.column.field_id)
    new.end(column, *where)
    values = _column_row(new, change.table_id, change.column, row.parent_column)
    kept = {"column_order": row.column_order, "initial_default": row.initial_default}
    new.connection.execute(sa.insert(column).values(values | kept))
    if change.column.type != row.column_type:
        # DuckDB stores statistics in the column's type, and caches them by the next file id.
        new.take_file_id()
    stored = (change.column.name, change.column.type)
    _altered(new, change.table_id, reshaped=stored != (row.column_name, row.column_type))


def order_columns(new: NewSnapshot, change: op.OrderColumns) -> None:
    column = c.column
    top = (column.c.table_id == change.table_id, column.c.parent_column.is_(None))
    rows = {row.column_id: row for row in new.connection.execute(sa.select(column).where(*top, c.live(column)))}
    if rows.keys() != set(change.field_ids):
        raise _gone("a column of table", change.table_id)
    for place, field_id in enumerate(change.field_ids, 1):
        row = rows[field_id]
        if row.column_order == place:
            continue
        where = (*top, column.c.column_id == field_id)
        if row.begin_snapshot == new.id:
            new.connection.execute(sa.update(column).where(*where, c.live(column)).values(column_order=place))
            continue
        new.end(column, *where)
        moved = dict(row._mapping) | {"begin_snapshot": new.id, "end_snapshot": None, "column_order": place}
        new.connection.execute(sa.insert(column).values(moved))
    _altered(new, change.table_id)


def set_partitioning(new: NewSnapshot, change: op.SetPartitioningOp) -> None:
    new.end(c.partition_info, c.partition_info.c.table_id == change.table_id)
    _insert_partitioning(new, change)
    _altered(new, change.table_id)


def set_sorting(new: NewSnapshot, change: op.SetSortingOp) -> None:
    new.end(c.sort_info, c.sort_info.c.table_id == change.table_id)
    if change.keys:
        _insert_sorting(new, change)
    new.note(Entry("altered_table", change.table_id))
    new.change_schema()


def set_comment(new: NewSnapshot, change: op.SetComment) -> None:
    comment = {"begin_snapshot": new.id, "key": "comment", "value": change.text}
    if change.field_id is None:
        new.end(c.tag, c.tag.c.object_id == change.object_id, c.tag.c.key == "comment")
        new.connection.execute(sa.insert(c.tag).values(object_id=change.object_id, **comment))
    else:
        tag = c.column_tag
        new.end(tag, tag.c.table_id == change.object_id, tag.c.column_id == change.field_id, tag.c.key == "comment")
        new.connection.execute(sa.insert(tag).values(table_id=change.object_id, column_id=change.field_id, **comment))
    new.note(Entry("altered_view" if change.is_view else "altered_table", change.object_id))
    new.change_schema()


def create_view(new: NewSnapshot, change: op.CreateViewOp) -> None:
    schema_id = _schema_id(new, change.name)
    _name_is_free(new, schema_id, change.name)
    new.connection.execute(
        sa.insert(c.view).values(
            view_id=new.take_catalog_id(),
            view_uuid=str(uuid.uuid4()),
            begin_snapshot=new.id,
            schema_id=schema_id,
            view_name=change.name.name,
            dialect=change.dialect,
            sql=change.sql,
            column_aliases=_aliases(change.aliases),
        )
    )
    new.note(Entry.created("created_view", change.name))
    new.change_schema()


def drop_view(new: NewSnapshot, change: op.DropViewOp) -> None:
    _must_hit(new.end(c.view, c.view.c.view_id == change.view_id), "view", change.view_id)
    new.end(c.tag, c.tag.c.object_id == change.view_id)
    new.note(Entry("dropped_view", change.view_id))
    new.change_schema()


def rename_view(new: NewSnapshot, change: op.RenameViewOp) -> None:
    row = _live_row(new, c.view, c.view.c.view_id == change.view_id, "view", change.view_id)
    schema_id = _schema_id(new, change.name)
    new.end(c.view, c.view.c.view_id == change.view_id)
    _name_is_free(new, schema_id, change.name)
    renamed = {
        "begin_snapshot": new.id,
        "end_snapshot": None,
        "view_name": change.name.name,
        "schema_id": schema_id,
    }
    new.connection.execute(sa.insert(c.view).values(dict(row._mapping) | renamed))
    new.note(Entry.created("created_view", change.name))
    new.change_schema()


def _altered(new: NewSnapshot, table_id: int, *, reshaped: bool = True) -> None:
    new.note(Entry("altered_table", table_id))
    new.change_schema(table_id, reshaped=reshaped)


def _insert_columns(new: NewSnapshot, table_id: int, columns: tuple[Column, ...]) -> None:
    rows: list[dict[str, object]] = []

    def visit(column: Column, parent: int | None) -> None:
        rows.append(_column_row(new, table_id, column, parent))
        for child in column.children:
            visit(child, column.field_id)

    for column in columns:
        # Existing rows have no value for a default that is an expression.
        given = column.initial_default if column.default is None else column.default
        initial = None if column.default_is_expression else given
        visit(replace(column, initial_default=initial), None)
    new.connection.execute(sa.insert(c.column), rows)


def _column_row(new: NewSnapshot, table_id: int, column: Column, parent: int | None) -> dict[str, object]:
    kind = "" if column.nested else "expression" if column.default_is_expression else "literal"
    return {
        "column_id": column.field_id,
        "begin_snapshot": new.id,
        "end_snapshot": None,
        "table_id": table_id,
        "column_order": column.field_id,
        "column_name": column.name,
        "column_type": column.type,
        "initial_default": column.initial_default,
        "default_value": "NULL" if column.default is None else column.default,
        "nulls_allowed": column.nullable,
        "parent_column": parent,
        "default_value_type": kind,
        "default_value_dialect": "duckdb",
    }


def _insert_partitioning(new: NewSnapshot, change: op.SetPartitioningOp) -> None:
    partition_id = new.take_catalog_id()
    new.connection.execute(
        sa.insert(c.partition_info).values(partition_id=partition_id, table_id=change.table_id, begin_snapshot=new.id)
    )
    for index, key in enumerate(change.fields):
        new.connection.execute(
            sa.insert(c.partition_column).values(
                partition_id=partition_id,
                table_id=change.table_id,
                partition_key_index=index,
                column_id=key.field_id,
                transform=key.transform,
            )
        )


def _insert_sorting(new: NewSnapshot, change: op.SetSortingOp) -> None:
    sort_id = new.take_catalog_id()
    new.connection.execute(
        sa.insert(c.sort_info).values(sort_id=sort_id, table_id=change.table_id, begin_snapshot=new.id)
    )
    for index, key in enumerate(change.keys):
        new.connection.execute(
            sa.insert(c.sort_expression).values(
                sort_id=sort_id,
                table_id=change.table_id,
                sort_key_index=index,
                expression=key.expression,
                dialect="duckdb",
                sort_direction="DESC" if key.descending else "ASC",
                null_order="NULLS_FIRST" if key.nulls_first else "NULLS_LAST",
            )
        )


def _schema_id(new: NewSnapshot, name: TableName) -> int:
    schema = c.schema
    query = sa.select(schema.c.schema_id).where(FoldedName(schema.c.schema_name) == folded(name.schema), c.live(schema))
    found = new.connection.execute(query).scalar_one_or_none()
    if found is None:
        raise InvalidRequest(f'schema "{name.schema}" does not exist', hint=f'Run CREATE SCHEMA "{name.schema}" first.')
    return int(found)


def _name_is_free(new: NewSnapshot, schema_id: int, name: TableName) -> None:
    for kind, held, column in (("table", c.table, c.table.c.table_name), ("view", c.view, c.view.c.view_name)):
        query = (
            sa.select(sa.func.count())
            .select_from(held)
            .where(held.c.schema_id == schema_id, FoldedName(column) == folded(name.name), c.live(held))
        )
        if new.connection.execute(query).scalar_one():
            raise AlreadyExists(f"{kind} {name} already exists", hint="Choose another name, or drop it first.")


def _live_row(
    new: NewSnapshot, versioned: sa.Table, where: sa.ColumnElement[bool], kind: str, id: int
) -> sa.Row[tuple[object, ...]]:
    row = new.connection.execute(sa.select(versioned).where(where, c.live(versioned))).one_or_none()
    if row is None:
        raise _gone(kind, id)
    return row


def _must_hit(count: int, kind: str, id: int) -> None:
    if not count:
        raise _gone(kind, id)


def _gone(kind: str, id: int) -> CommitConflict:
    return CommitConflict(f"{kind} {id} no longer exists", hint="Repeat the change on the newest snapshot.")


def _aliases(aliases: tuple[str, ...]) -> str:
    return ",".join(quote(alias) for alias in aliases)
