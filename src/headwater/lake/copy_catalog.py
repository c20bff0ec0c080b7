"""Copy the DuckLake tables of a SQLite catalog into an empty PostgreSQL database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from headwater.core.errors import CopyFailed
from headwater.core.schema import Column
from headwater.core.types import WITHOUT_SPARK_TYPE
from headwater.lake import catalog as c
from headwater.lake import inlined
from headwater.lake.column_history import ColumnHistory
from headwater.store.database import tables_like

BATCH_ROWS = 5_000
PREFIXES = ("ducklake_", "headwater_")


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """A table of the catalog and its number of rows."""

    name: str
    rows: int


def lake_tables(connection: sa.Connection) -> frozenset[str]:
    """The tables of DuckLake and Headwater in a database."""
    return frozenset[str]().union(*(tables_like(connection, prefix) for prefix in PREFIXES))


def copy_lake(source: sa.Connection, target: sa.Connection) -> Iterator[CopiedTable]:
    """Create the tables with the types that the DuckLake extension uses on PostgreSQL, and copy their rows."""
    known = {table.name for table in c.metadata.sorted_tables}
    known |= {name for name, _ in _inlined_tables(source)} | {table.name for table in _deletes_tables(source)}
    if unknown := sorted(tables_like(source, "ducklake_") - known):
        raise CopyFailed(
            f'the catalog has a table "{unknown[0]}", which Headwater does not know',
            hint="Use a release of Headwater that supports it.",
        )
    c.metadata.create_all(target, checkfirst=False)
    for table in c.metadata.sorted_tables:
        yield copy_rows(source, target, table)
    for name, columns in _inlined_tables(source):
        inlined.define(target.dialect.name, name, columns).create(target)
        yield _copy_inlined(source, target, name, columns)
    for table in _deletes_tables(source):
        table.create(target)
        yield copy_rows(source, target, table)


def is_copy(source: sa.Connection, target: sa.Connection) -> bool:
    """Whether the target has the lake of the source at the same snapshot, as an interrupted copy leaves it behind."""
    decisive = (c.snapshot, c.snapshot_changes, c.schema, c.table, c.data_file)
    return lake_tables(target) >= {table.name for table in decisive} and all(
        Counter(map(tuple, source.execute(sa.select(table)))) == Counter(map(tuple, target.execute(sa.select(table))))
        for table in decisive
    )


def copy_rows(source: sa.Connection, target: sa.Connection, table: sa.Table) -> CopiedTable:
    """Copy all rows of a table, and compare the copy with them."""
    rows = [tuple(row) for row in source.execute(sa.select(table))]
    names = [column.name for column in table.columns]
    for start in range(0, len(rows), BATCH_ROWS):
        part = [dict(zip(names, row, strict=True)) for row in rows[start : start + BATCH_ROWS]]
        target.execute(sa.insert(table), part)
    compare(table.name, rows, [tuple(row) for row in target.execute(sa.select(table))])
    return CopiedTable(table.name, len(rows))


def compare(name: str, rows: Sequence[tuple[Any, ...]], copied: Sequence[tuple[Any, ...]]) -> None:
    """Raise an error if the copy has other rows."""
    # By their texts, as NaN differs from itself.
    wanted, found = Counter(map(repr, rows)), Counter(map(repr, copied))
    if wanted != found:
        missing = (wanted - found).total()
        raise CopyFailed(
            f'the copy of "{name}" differs from the original',
            detail=f"{missing} of {len(rows)} rows are not in the copy; nothing was copied.",
            hint="Report this as a bug of Headwater, with the DuckLake version of the catalog.",
        )


def _inlined_tables(connection: sa.Connection) -> list[tuple[str, tuple[Column, ...]]]:
    """The catalog tables of inlined rows, with the columns of the lake's tables that they hold."""
    found = []
    for table_id in connection.execute(sa.select(c.inlined_data_tables.c.table_id).distinct()).scalars().all():
        history = ColumnHistory.load(connection, table_id)
        for each in inlined.inlined_tables(connection, table_id):
            found.append((each.name, history.schema_at(each.since).columns))
    return found


def _deletes_tables(connection: sa.Connection) -> list[sa.Table]:
    names = ("file_id", "row_id", "begin_snapshot")
    return [
        sa.Table(
            inlined.deletes_table(table_id).name, sa.MetaData(), *(sa.Column(name, sa.BigInteger) for name in names)
        )
        for table_id in sorted(inlined.deletes_tables(connection))
    ]


def _copy_inlined(source: sa.Connection, target: sa.Connection, name: str, columns: tuple[Column, ...]) -> CopiedTable:
    there = inlined.define(source.dialect.name, name, columns)
    here = inlined.define(target.dialect.name, name, columns)
    rows = [tuple(row) for row in source.execute(sa.select(there))]
    # As texts, because some values of PostgreSQL have no counterpart in Python, such as the time 24:00:00.
    binary = [isinstance(column.type, sa.LargeBinary) for column in here.columns]
    values = [
        sa.bindparam(f"p{place}", type_=column.type)
        if binary[place]
        else sa.cast(sa.bindparam(f"p{place}", type_=sa.Text()), column.type)
        for place, column in enumerate(here.columns)
    ]
    insert = sa.insert(here).values(dict(zip(here.columns.keys(), values, strict=True)))
    for start in range(0, len(rows), BATCH_ROWS):
        target.execute(insert, [_parameters(row, binary) for row in rows[start : start + BATCH_ROWS]])
    shown = [
        column if binary[place] else sa.cast(column, sa.Text()).label(column.name)
        for place, column in enumerate(here.columns)
    ]
    copied = [tuple(row) for row in target.execute(sa.select(*shown))]
    compare(name, [_comparable(row, columns) for row in rows], [_comparable(row, columns) for row in copied])
    return CopiedTable(name, len(rows))


def _parameters(row: tuple[Any, ...], binary: Sequence[bool]) -> dict[str, Any]:
    return {
        f"p{place}": value if value is None else _bytes(value) if binary[place] else str(value)
        for place, value in enumerate(row)
    }


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _comparable(row: tuple[Any, ...], columns: tuple[Column, ...]) -> tuple[Any, ...]:
    """The row in values that are equal on both databases; of types that Headwater can't read, whether it is NULL."""
    system = tuple(None if value is None else int(value) for value in row[: len(inlined.SYSTEM)])
    return (*system, *(_value(column, raw) for column, raw in zip(columns, row[len(system) :], strict=True)))


def _value(column: Column, raw: Any) -> Any:
    if any(part.type in WITHOUT_SPARK_TYPE for part in column.walk()):
        return raw is None
    return inlined.native(column, raw)
