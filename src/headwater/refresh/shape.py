"""The columns of a dynamic table, as its query and its definition give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headwater.core.errors import DefinitionRefused
from headwater.core.schema import Column, Schema, number
from headwater.lake import operations as op
from headwater.lake.values import TableAt
from headwater.sql.dynamic_statements import CreateDynamicTable


def named(found: tuple[Column, ...], statement: CreateDynamicTable) -> tuple[Column, ...]:
    """The query's columns under the names of the definition, which must be all different."""
    given = statement.columns
    if given and len(given) != len(found):
        raise DefinitionRefused(
            f"the definition names {len(given)} columns, its query gives {len(found)}",
            hint="Name all of them, or none.",
            position=statement.query_position,
        )
    columns = tuple(replace(c, name=given[i].name) for i, c in enumerate(found)) if given else found
    seen: set[str] = set()
    for column in columns:
        if column.name.casefold() in seen:
            raise DefinitionRefused(
                f'two columns of the query are named "{column.name}"',
                hint="Give one of them another name with AS.",
                position=statement.query_position,
            )
        seen.add(column.name.casefold())
    return columns


def shaped(columns: tuple[Column, ...], schema: Schema, free: int) -> tuple[Column, ...]:
    """The columns with field ids: those up to the first that differs keep the table's, others get new ones from `free` on.

    >>> table = Schema((Column("a", "int32", 1), Column("b", "int32", 2)))
    >>> [c.field_id for c in shaped((Column("a", "int32"), Column("b", "int64")), table, 7)]
    [1, 7]
    """
    kept: list[Column] = []
    for old, new in zip(schema, columns, strict=False):
        if old.name != new.name or old.type_text() != new.type_text():
            break
        kept.append(old)
    if len(kept) == len(columns) and len(schema) > len(kept):
        return tuple(kept)
    return (*kept, *number(columns[len(kept) :], free))


def reshape(at: TableAt, columns: tuple[Column, ...]) -> Iterator[op.Operation]:
    """The operations that give a table these columns."""
    wanted, held = ({column.field_id for column in some} for some in (columns, at.schema))
    yield from (op.AddColumn(at.table.id, column) for column in columns if column.field_id not in held)
    yield from (op.DropColumn(at.table.id, column.field_id) for column in at.schema if column.field_id not in wanted)
