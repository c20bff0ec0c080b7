"""Definitions of dynamic tables, their dependencies and suspensions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from headwater.core.errors import SqlError
from headwater.core.freshness import Freshness, OnDemand
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshMode, SuspendedBy
from headwater.core.table_status import Suspension
from headwater.core.warehouse import DEFAULT
from headwater.registry import tables as t
from headwater.sql.dynamic_statements import CreateDynamicTable
from headwater.sql.parse import parse
from headwater.sql.render_dynamic import render_dynamic


@dataclass(frozen=True, slots=True)
class Dependency:
    """A table that a definition reads: its id, and the name under which the definition found it."""

    id: int
    name: TableName


@dataclass(frozen=True, slots=True)
class AfterDependency:
    """A table of AFTER; `dropped` if the lake no longer has it."""

    id: int
    name: TableName
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class DynamicTable:
    """A dynamic table of the registry; its id is the lake's table id."""

    id: int
    name: TableName
    version: int
    statement: CreateDynamicTable
    session: Mapping[str, str]
    created_at: datetime
    sources: tuple[Dependency, ...] = ()
    after: tuple[AfterDependency, ...] = ()
    suspension: Suspension | None = None
    failures: int = 0
    retry_at: datetime | None = None

    @property
    def freshness(self) -> Freshness:
        return self.statement.properties.freshness or OnDemand()

    @property
    def warehouse(self) -> str:
        return (self.statement.properties.warehouse or DEFAULT).casefold()

    @property
    def refresh_mode(self) -> RefreshMode:
        return self.statement.properties.refresh_mode or RefreshMode.AUTO


_DEFINED = (
    sa.select(t.dynamic_table, t.definition.c.statement, t.definition.c.dialect, t.definition.c.session)
    .join(
        t.definition,
        sa.and_(
            t.definition.c.table_id == t.dynamic_table.c.table_id,
            t.definition.c.version == t.dynamic_table.c.definition_version,
        ),
    )
    .order_by(t.dynamic_table.c.table_id)
)
_CURRENT = _DEFINED.where(t.dynamic_table.c.dropped_at.is_(None))
_READ = sa.select(t.source).order_by(t.source.c.table_id, t.source.c.source_id)
_AWAITED = sa.select(t.after).order_by(t.after.c.table_id, t.after.c.place)
_ONE = _CURRENT.where(t.dynamic_table.c.table_id == t.TABLE_ID)
_ONE_DROPPED = _DEFINED.where(t.dynamic_table.c.table_id == t.TABLE_ID)
_DROPPED = (
    sa.select(t.dynamic_table.c.table_id, t.dynamic_table.c.schema_name, t.dynamic_table.c.table_name)
    .where(t.dynamic_table.c.dropped_at.is_not(None))
    .order_by(t.dynamic_table.c.dropped_snapshot.desc(), t.dynamic_table.c.table_id.desc())
)
_READ_BY_ONE = _READ.where(t.source.c.table_id == t.TABLE_ID)
_AWAITED_BY_ONE = _AWAITED.where(t.after.c.table_id == t.TABLE_ID)


def load(connection: sa.Connection) -> tuple[DynamicTable, ...]:
    """All dynamic tables that have not been dropped, by id, under their last stored names."""
    return _tables(*(connection.execute(query).all() for query in (_CURRENT, _READ, _AWAITED)))


def find(connection: sa.Connection, table_id: int) -> DynamicTable | None:
    """The dynamic table with this id, or None."""
    one = {"of_table": table_id}
    if not (rows := connection.execute(_ONE, one).all()):
        return None
    return _tables(rows, *(connection.execute(query, one).all() for query in (_READ_BY_ONE, _AWAITED_BY_ONE)))[0]


def _tables(
    rows: Sequence[sa.Row[Any]], read: Sequence[sa.Row[Any]], awaited: Sequence[sa.Row[Any]]
) -> tuple[DynamicTable, ...]:
    sources: defaultdict[int, list[Dependency]] = defaultdict(list)
    for row in read:
        sources[row.table_id].append(Dependency(row.source_id, TableName(row.schema_name, row.table_name)))
    after: defaultdict[int, list[AfterDependency]] = defaultdict(list)
    for row in awaited:
        after[row.table_id].append(AfterDependency(row.after_id, TableName(row.schema_name, row.table_name)))
    return tuple(_table(row, tuple(sources[row.table_id]), tuple(after[row.table_id])) for row in rows)


def find_version(connection: sa.Connection, table: DynamicTable, version: int) -> DynamicTable | None:
    """The dynamic table with an earlier version of its definition."""
    query = sa.select(t.definition).where(t.definition.c.table_id == table.id, t.definition.c.version == version)
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    statement = _statement(row.statement, row.dialect)
    return replace(table, version=version, statement=statement, session=json.loads(row.session))


def load_dropped_names(connection: sa.Connection) -> tuple[tuple[int, TableName], ...]:
    """The ids and last stored names of all dropped dynamic tables, the last dropped one first."""
    return tuple((row.table_id, TableName(row.schema_name, row.table_name)) for row in connection.execute(_DROPPED))


def find_dropped(connection: sa.Connection, table_id: int) -> DynamicTable:
    """A dropped dynamic table, as it was when it was dropped."""
    one = {"of_table": table_id}
    queries = (_ONE_DROPPED, _READ_BY_ONE, _AWAITED_BY_ONE)
    return _tables(*(connection.execute(query, one).all() for query in queries))[0]


_IDS = sa.select(t.dynamic_table.c.table_id).where(t.dynamic_table.c.dropped_at.is_(None))


def ids(connection: sa.Connection) -> frozenset[int]:
    """The ids of all dynamic tables."""
    return frozenset(connection.execute(_IDS).scalars())


def insert_stmts(table: DynamicTable) -> tuple[sa.Executable, ...]:
    """The rows of a new dynamic table."""
    return (
        sa.insert(t.dynamic_table).values(
            table_id=table.id,
            schema_name=table.name.schema,
            table_name=table.name.name,
            definition_version=table.version,
            created_at=table.created_at,
            failures=0,
        ),
        sa.insert(t.lease).values(table_id=table.id, expires_at=0.0),
        *new_version_stmts(table, table.created_at),
    )


def new_version_stmts(table: DynamicTable, at: datetime) -> tuple[sa.Executable, ...]:
    """The rows of a new version of a definition."""
    text, dialect = written(table.statement)
    return (
        sa.insert(t.definition).values(
            table_id=table.id,
            version=table.version,
            statement=text,
            dialect=dialect,
            session=json.dumps(dict(table.session), sort_keys=True),
            created_at=at,
        ),
        sa.update(t.dynamic_table)
        .where(t.dynamic_table.c.table_id == table.id)
        .values(definition_version=table.version),
        *sources_stmts(table.id, table.sources),
        *after_stmts(table.id, table.after),
    )


def sources_stmts(table_id: int, sources: Iterable[Dependency]) -> tuple[sa.Executable, ...]:
    """Replace the stored sources of a definition."""
    rows = [
        {"table_id": table_id, "source_id": s.id, "schema_name": s.name.schema, "table_name": s.name.name}
        for s in sources
    ]
    gone = sa.delete(t.source).where(t.source.c.table_id == table_id)
    return (gone, sa.insert(t.source).values(rows)) if rows else (gone,)


def after_stmts(table_id: int, after: Iterable[AfterDependency]) -> tuple[sa.Executable, ...]:
    """Replace the stored AFTER tables of a definition."""
    rows = [
        {
            "table_id": table_id,
            "after_id": each.id,
            "place": place,
            "schema_name": each.name.schema,
            "table_name": each.name.name,
        }
        for place, each in enumerate(after)
    ]
    gone = sa.delete(t.after).where(t.after.c.table_id == table_id)
    return (gone, sa.insert(t.after).values(rows)) if rows else (gone,)


def rename_stmt(table_id: int, name: TableName) -> sa.Executable:
    """The statement that stores a new name."""
    return _update(table_id).values(schema_name=name.schema, table_name=name.name)


def drop_stmts(table_id: int, at: datetime, snapshot: int) -> tuple[sa.Executable, ...]:
    """The statements for a dropped table; its definition stays for UNDROP."""
    return (
        _update(table_id).values(dropped_at=at, dropped_snapshot=snapshot),
        sa.delete(t.lease).where(t.lease.c.table_id == table_id),
        sa.delete(t.request).where(t.request.c.table_id == table_id),
    )


def repoint_stmts(old: int, new: int) -> tuple[sa.Executable, ...]:
    """The statements that move the readers of a table, and those with it in AFTER, to its replacement."""
    return (
        sa.update(t.source).where(t.source.c.source_id == old).values(source_id=new),
        repoint_after_stmt(old, new),
    )


def repoint_after_stmt(old: int, new: int) -> sa.Executable:
    """The statement that replaces a table in AFTER of all others."""
    return sa.update(t.after).where(t.after.c.after_id == old).values(after_id=new)


def suspend_stmt(table_id: int, suspension: Suspension) -> sa.Executable:
    """The statement that suspends a table that is not suspended."""
    return (
        _update(table_id)
        .where(t.dynamic_table.c.suspended_by.is_(None))
        .values(suspended_by=suspension.by, suspended_reason=suspension.reason, suspended_at=suspension.at)
    )


def resume_stmt(table_id: int) -> sa.Executable:
    """The statement that resumes a table."""
    return _update(table_id).values(
        suspended_by=None, suspended_reason=None, suspended_at=None, failures=0, retry_at=None
    )


def count_failure_stmt(table_id: int, failures: int, retry_at: datetime | None) -> sa.Executable:
    """The statement that stores the number of consecutive failures."""
    return _update(table_id).values(failures=failures, retry_at=retry_at)


def _update(table_id: int) -> sa.Update:
    return sa.update(t.dynamic_table).where(t.dynamic_table.c.table_id == table_id)


def _table(
    row: sa.Row[tuple[object, ...]], sources: tuple[Dependency, ...], after: tuple[AfterDependency, ...]
) -> DynamicTable:
    suspension = None
    if row.suspended_by is not None:
        suspension = Suspension(SuspendedBy(row.suspended_by), row.suspended_reason, row.suspended_at)
    return DynamicTable(
        id=row.table_id,
        name=TableName(row.schema_name, row.table_name),
        version=row.definition_version,
        statement=_statement(row.statement, row.dialect),
        session=json.loads(row.session),
        created_at=row.created_at,
        sources=sources,
        after=after,
        suspension=suspension,
        failures=row.failures,
        retry_at=row.retry_at,
    )


@lru_cache(maxsize=20_000)
def _statement(text: str, dialect: str) -> CreateDynamicTable:
    (statement,) = parse(text, dialect)
    assert isinstance(statement, CreateDynamicTable)
    return statement


def written(statement: CreateDynamicTable) -> tuple[str, str]:
    """The statement's text and its dialect: DuckDB's, unless the query needs Spark's quotes."""
    for dialect in ("duckdb", "spark"):
        text = render_dynamic(statement, dialect)
        with suppress(SqlError):
            if parse(text, dialect) == (statement,):
                return text, dialect
    raise AssertionError(f"{statement} changes when it is rendered and parsed again")


def with_name(table: DynamicTable, name: TableName) -> DynamicTable:
    """The table under its current name in the lake."""
    return table if table.name == name else replace(table, name=name)
