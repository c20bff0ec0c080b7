"""Inlined rows and deletes: those that the catalog stores, not files."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from ctypes import c_float
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from headwater.core.schema import Column, Schema
from headwater.core.types import INTEGERS, WITHOUT_SPARK_TYPE, decimal_parts
from headwater.lake import catalog as c
from headwater.lake.column_history import ColumnHistory
from headwater.lake.value_text import parse
from headwater.store.database import tables_like

_SMALL_INTEGERS = INTEGERS - {"uint64", "int128", "uint128"}
_POSTGRESQL: dict[str, sa.types.TypeEngine[Any]] = {
    "boolean": sa.Boolean(),
    "int8": sa.SmallInteger(),
    "int16": sa.SmallInteger(),
    "int32": sa.Integer(),
    "int64": sa.BigInteger(),
    "uint8": sa.Integer(),
    "uint16": sa.Integer(),
    "uint32": sa.BigInteger(),
    "float32": sa.REAL(),
    "float64": sa.Double(),
    "varchar": sa.LargeBinary(),
    "json": sa.LargeBinary(),
    "blob": sa.LargeBinary(),
    "uuid": sa.UUID(),
    "time": sa.Time(),
    "timetz": sa.Time(timezone=True),
    "interval": sa.Interval(),
}
# The first columns of each table of inlined rows.
SYSTEM = ("row_id", "begin_snapshot", "end_snapshot")
_NEVER_INLINED = frozenset({"variant", "geometry"})
# Each with the first snapshot of its schema version. Rows may have a schema version of the lake at which the table did not
# change; then the table's last version before it applies.
_TABLES = sa.select(
    c.inlined_data_tables,
    sa.select(sa.func.max(c.schema_versions.c.begin_snapshot))
    .where(
        c.schema_versions.c.table_id == c.inlined_data_tables.c.table_id,
        c.schema_versions.c.schema_version <= c.inlined_data_tables.c.schema_version,
    )
    .scalar_subquery()
    .label("since"),
).where(c.inlined_data_tables.c.table_id == c.TABLE_ID)
_DELETES = "ducklake_inlined_delete_"
_EPOCH_DAY = dt.date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class InlinedTable:
    """One catalog table of inlined rows, written in the schema version that began at snapshot `since`."""

    name: str
    schema_version: int
    since: int


@dataclass(frozen=True, slots=True)
class InlinedRow:
    """One inlined row with its begin and end snapshots."""

    row_id: int
    begin: int
    end: int | None
    values: tuple[Any, ...]

    def visible(self, at: int) -> bool:
        return self.begin <= at and (self.end is None or at < self.end)


def is_on(limit: str | None) -> bool:
    """Whether DuckDB inlines small changes: the option data_inlining_row_limit is not 0."""
    return limit != "0"


def inlined_tables(connection: sa.Connection, table_id: int) -> tuple[InlinedTable, ...]:
    """The catalog tables with inlined rows of a table."""
    rows = connection.execute(_TABLES, {"of_table": table_id})
    return tuple(InlinedTable(row.table_name, row.schema_version, row.since) for row in rows)


def read_rows(
    connection: sa.Connection, table_id: int, history: ColumnHistory, schema: Schema, first: int, last: int
) -> list[InlinedRow]:
    """All inlined rows that are visible at a snapshot in [first, last], converted to `schema`."""
    rows: list[InlinedRow] = []
    for table in inlined_tables(connection, table_id):
        held = history.schema_at(table.since)
        places = {column.field_id: i for i, column in enumerate(held)}
        for row in connection.execute(_rows_of(table.name, held.names), {"first": first, "last": last}):
            raw = row[3:]
            values = tuple(
                _value(column, held.columns[place], raw[place])
                if (place := places.get(column.field_id)) is not None
                else _initial(column)
                for column in schema
            )
            rows.append(InlinedRow(row[0], row[1], row[2], values))
    return rows


@lru_cache(maxsize=10_000)
def _rows_of(name: str, columns: tuple[str, ...]) -> sa.Select[Any]:
    """The statement that reads the rows of an inlined table that are visible at a snapshot from :first to :last."""
    clause = sa.table(name, *(sa.column(column) for column in (*SYSTEM, *columns)))
    begin, end = clause.c.begin_snapshot, clause.c.end_snapshot
    return sa.select(clause).where(begin <= sa.bindparam("last"), sa.or_(end.is_(None), end > sa.bindparam("first")))


def deletes_tables(connection: sa.Connection) -> frozenset[int]:
    """The ids of the tables that have a catalog table for inlined deletes."""
    ids = (name.removeprefix(_DELETES) for name in tables_like(connection, _DELETES))
    return frozenset(int(id) for id in ids if id.isdecimal())


def read_deletes(connection: sa.Connection, table_id: int, first: int, last: int) -> dict[int, list[tuple[int, int]]]:
    """The inlined deletes up to `last` of a table's files that are visible at a snapshot in [first, last].

    The table must be one of `deletes_tables`. The result maps data file ids to (position, begin snapshot). The catalog keeps
    the deletes of compacted files until their snapshots expire.
    """
    held, files = deletes_table(table_id), c.data_file
    query = (
        sa.select(held)
        .join(files, files.c.data_file_id == held.c.file_id)
        .where(held.c.begin_snapshot <= last, sa.or_(files.c.end_snapshot.is_(None), files.c.end_snapshot > first))
    )
    deletes: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in connection.execute(query):
        deletes[row.file_id].append((row.row_id, row.begin_snapshot))
    return deletes


def create_inlined_table(connection: sa.Connection, table_id: int, schema: Schema, schema_version: int) -> None:
    """Create the catalog table for rows that DuckDB inlines into a table with new columns.

    The extension inlines into the newest one, whose columns must be those of the table. If there is none, it creates one, but
    then the snapshot lacks other tables; therefore each table gets one when it is created.
    """
    if any(column.type in _NEVER_INLINED for column in schema.walk()) or not _fits(connection.dialect, schema):
        return
    name = f"ducklake_inlined_data_{table_id}_{schema_version}"
    define(connection.dialect.name, name, schema).create(connection)
    connection.execute(
        sa.insert(c.inlined_data_tables),
        {"table_id": table_id, "table_name": name, "schema_version": schema_version},
    )


def _fits(dialect: sa.Dialect, schema: Schema) -> bool:
    """Whether a catalog table can have these columns: PostgreSQL truncates names, and DuckDB can't read such columns."""
    return dialect.name != "postgresql" or all(
        len(name.encode()) <= dialect.max_identifier_length for name in schema.names
    )


def define(database: str, name: str, columns: Iterable[Column]) -> sa.Table:
    """The catalog table for inlined rows of these columns, with the types that the extension uses on the database."""
    own = [sa.Column(system, sa.BigInteger) for system in SYSTEM]
    own += [sa.Column(column.name, _storage(database, column.type)) for column in columns]
    return sa.Table(name, sa.MetaData(), *own)


def _storage(database: str, type_name: str) -> sa.types.TypeEngine[Any]:
    """The column type in which the extension stores inlined values."""
    if database == "sqlite":
        if type_name in _SMALL_INTEGERS or type_name == "boolean":
            return sa.BigInteger()
        return sa.BLOB() if type_name == "blob" else sa.VARCHAR()
    if parts := decimal_parts(type_name):
        return sa.Numeric(*parts)
    return _POSTGRESQL.get(type_name, sa.VARCHAR())


def deletes_table(table_id: int) -> sa.TableClause:
    """The catalog table of inlined deletes; DuckDB creates it at the first inlined delete."""
    name = f"{_DELETES}{table_id}"
    return sa.table(name, sa.column("file_id"), sa.column("row_id"), sa.column("begin_snapshot"))


def _initial(column: Column) -> Any:
    return None if column.initial_default is None else parse(column, column.initial_default)


def _value(column: Column, held: Column, raw: Any) -> Any:
    """A raw catalog value of type `held`, converted to the column's type."""
    if any(part.type in WITHOUT_SPARK_TYPE for part in column.walk()):
        return raw
    return _read_as(column, held, native(held, raw))


def _read_as(column: Column, held: Column, value: Any) -> Any:
    """The value in another version of its column: of a wider type, or with renamed, added or dropped fields."""
    if value is None:
        return None
    match column.type:
        case "struct":
            old = {child.field_id: child for child in held.children}
            return {
                child.name: _read_as(child, old[child.field_id], value[old[child.field_id].name])
                if child.field_id in old
                else None
                for child in column.children
            }
        case "list":
            return [_read_as(column.children[0], held.children[0], element) for element in value]
        case "map":
            return [
                tuple(_read_as(*part) for part in zip(column.children, held.children, pair, strict=True))
                for pair in value
            ]
        case "uint64":
            return Decimal(value)
        case _:
            return value


def native(held: Column, raw: Any) -> Any:
    """The value of a raw catalog value, as Arrow accepts it."""
    if raw is None:
        return None
    if held.type == "blob":
        return bytes(raw) if not isinstance(raw, str) else parse(held, raw)
    if isinstance(raw, bytes | memoryview):
        raw = bytes(raw).decode()
    if isinstance(raw, str):
        return parse(held, raw)
    match held.type:
        case "boolean":
            return bool(raw)
        case "float32":
            return c_float(raw).value
        case "float64":
            return float(raw)
        case "uuid":
            return str(raw)
        case "varchar" | "json":
            return str(raw)
        case "date":
            return raw.toordinal() - _EPOCH_DAY
        case "time":
            return ((raw.hour * 60 + raw.minute) * 60 + raw.second) * 1_000_000 + raw.microsecond
        case _:
            return Decimal(str(raw)) if held.type.startswith("decimal") else raw
