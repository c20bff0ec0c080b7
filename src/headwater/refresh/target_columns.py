"""The columns of a dynamic table, from its query and its definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.core.errors import DefinitionRefused
from headwater.core.names import folded
from headwater.core.schema import Column, Schema, number
from headwater.lake import operations as op
from headwater.lake.values import NEW_PARTITIONING, Partitioning, TableAt
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.letter_case import SAME_TO_SPARK, same_to_spark


def named(found: tuple[Column, ...], statement: CreateDynamicTable) -> tuple[Column, ...]:
    """The query's columns under the names of the definition, which must be unique."""
    given = statement.columns
    if given and len(given) != len(found):
        raise DefinitionRefused(
            f"the definition names {len(given)} columns, but its query returns {len(found)}",
            hint="Name all of them, or none.",
            position=statement.query_position,
        )
    columns = tuple(replace(c, name=given[i].name) for i, c in enumerate(found)) if given else found
    seen: set[str] = set()
    for column in columns:
        if folded(column.name) in seen:
            raise DefinitionRefused(
                f'two columns of the query have the name "{column.name}"',
                hint="Give one of them another name with AS.",
                position=statement.query_position,
            )
        seen.add(folded(column.name))
    for one, other in same_to_spark([column.name for column in columns]):
        raise DefinitionRefused(
            f'the names "{one}" and "{other}" differ only in letter case',
            detail=SAME_TO_SPARK,
            hint="Give one of the columns another name with AS.",
            position=statement.query_position,
        )
    return columns


def shaped(columns: tuple[Column, ...], schema: Schema, free: int) -> tuple[Column, ...]:
    """The columns with field ids: columns of the table keep theirs, by name and type; others get new ones from `free` on.

    >>> table = Schema((Column("a", "int32", 1), Column("b", "int32", 2)))
    >>> [c.field_id for c in shaped((Column("b", "int32"), Column("a", "int64")), table, 7)]
    [2, 7]
    """
    held = {(column.name, column.type_text()): column for column in schema}
    kept = [held.get((column.name, column.type_text())) for column in columns]
    new = iter(number(tuple(column for column, old in zip(columns, kept, strict=True) if old is None), free))
    return tuple(old or next(new) for old in kept)


def comparable(schema: Schema, columns: tuple[Column, ...]) -> bool:
    """Whether old and new rows can be compared: they share columns, and no column has only changed its type."""
    held, wanted = ({column.field_id for column in some} for some in (schema, columns))
    lost = {column.name for column in schema if column.field_id not in wanted}
    return bool(held & wanted) and not any(c.name in lost for c in columns if c.field_id not in held)


def split(partitioning: Partitioning | None, at: TableAt, columns: tuple[Column, ...]) -> Partitioning | None:
    """The partitioning of the new columns, by the names of the old partition columns."""
    if partitioning is None:
        return None
    names, ids = {c.field_id: c.name for c in at.schema}, {c.name: c.field_id for c in columns}
    keys = [(names.get(key.field_id, ""), key) for key in partitioning.fields]
    if gone := [name for name, _ in keys if name not in ids]:
        raise DefinitionRefused(
            f'{at.table.name} is partitioned by column "{gone[0]}", which the new query does not have',
            hint="Use CREATE OR REPLACE DYNAMIC TABLE with another PARTITIONED BY.",
        )
    fields = tuple(replace(key, field_id=ids[name]) for name, key in keys)
    return partitioning if fields == partitioning.fields else Partitioning(NEW_PARTITIONING, fields)


def reshape(at: TableAt, columns: tuple[Column, ...]) -> Iterator[op.Operation]:
    """The operations that change a table's columns to these, in this order."""
    held, wanted = at.schema.columns, {column.field_id for column in columns}
    names = {column.field_id: column.name for column in held}
    added = [column for column in columns if column.field_id not in names]
    left = [column.field_id for column in held if column.field_id in wanted] + [column.field_id for column in added]
    yield from (op.AddColumnOp(at.table.id, column) for column in added)
    yield from (op.DropColumnOp(at.table.id, column.field_id) for column in held if column.field_id not in wanted)
    for column in columns:
        if names.get(column.field_id, column.name) != column.name:
            yield op.ChangeColumn(at.table.id, column)
    if left != (order := [column.field_id for column in columns]):
        yield op.OrderColumns(at.table.id, tuple(order))


def reshaping(at: TableAt, columns: tuple[Column, ...]) -> str:
    """A description of `reshape`, for the reason of a refresh."""
    names = {column.field_id: column.name for column in at.schema}
    wanted = {column.field_id for column in columns}
    done = [
        ("added", [column.name for column in columns if column.field_id not in names]),
        ("dropped", [name for field_id, name in names.items() if field_id not in wanted]),
        ("renamed", [f"{old} to {c.name}" for c in columns if (old := names.get(c.field_id, c.name)) != c.name]),
    ]
    told = ", ".join(f"{what} {', '.join(which)}" for what, which in done if which)
    return told or ("columns reordered" if tuple(names) != tuple(c.field_id for c in columns) else "")
