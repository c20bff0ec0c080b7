"""The history of refreshes. A refresh's row and its data are committed in one transaction, so the row shows the outcome."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

import sqlalchemy as sa

from headwater.core.errors import HeadwaterError, RefreshFailed, error_from_text
from headwater.core.names import TableName
from headwater.core.refresh_record import (
    UNFINISHED,
    RefreshAction,
    RefreshRecord,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
    Strategy,
)
from headwater.registry import tables as t

E = TypeVar("E", bound=StrEnum)

_ROW = t.refresh.c
_UNFINISHED = _ROW.state.in_(sorted(UNFINISHED))
_LAST = sa.case(
    (_ROW.action == RefreshAction.NO_DATA, sa.func.coalesce(_ROW.ended_at, _ROW.started_at)), else_=_ROW.started_at
)
_STARTED = sa.select(_ROW.table_id, sa.func.max(_LAST).label("at")).group_by(_ROW.table_id)
_NEWEST = sa.select(_ROW.table_id, sa.func.max(_ROW.started_at).label("at")).group_by(_ROW.table_id)
_CANCELLED = sa.select(_ROW.table_id, _ROW.started_at, _ROW.ended_at).where(_ROW.state == RefreshState.CANCELLED)
_COMPUTED = (
    sa.select(_ROW.table_id, _ROW.started_at, _ROW.ended_at)
    .where(_ROW.state == RefreshState.SUCCEED, _ROW.action != RefreshAction.NO_DATA, _ROW.ended_at.is_not(None))
    .order_by(_ROW.started_at.desc())
    .limit(sa.bindparam("most", type_=sa.Integer()))
)


def insert_stmt(refresh: RefreshRecord) -> sa.Insert:
    """The statement for a refresh that starts, or that ended at once."""
    return sa.insert(t.refresh).values(id=refresh.id, **_row(refresh))


def finish_stmt(refresh: RefreshRecord) -> sa.Update:
    """The statement for a refresh that has ended."""
    return sa.update(t.refresh).where(t.refresh.c.id == refresh.id).values(**_row(refresh))


def finish_if_unfinished_stmt(refresh: RefreshRecord) -> sa.Update:
    """The statement for a refresh that has ended, unless its row is already closed."""
    return finish_stmt(refresh).where(_UNFINISHED)


def enter_stmt(refresh_id: str, state: RefreshState) -> sa.Update:
    """The statement for a refresh that enters an unfinished state, unless its row is already closed."""
    return sa.update(t.refresh).where(t.refresh.c.id == refresh_id, _UNFINISHED).values(state=state)


def interrupt_stmt(table_ids: Iterable[int], at: datetime) -> sa.Update:
    """Close refreshes of dead processes; the caller must hold the tables' leases or find them expired."""
    return (
        sa.update(t.refresh)
        .where(t.refresh.c.table_id.in_(list(table_ids)), _UNFINISHED)
        .values(state=RefreshState.FAILED, ended_at=at, error="the process that ran this refresh has ended")
    )


def record_idle(connection: sa.Connection, refresh: RefreshRecord) -> str:
    """Record that there was nothing to do: consecutive ones share a row. Returns the row's id."""
    newest = connection.execute(
        sa.select(t.refresh.c.id, t.refresh.c.action, t.refresh.c.state, t.refresh.c.trigger)
        .where(t.refresh.c.table_id == refresh.table_id)
        .order_by(t.refresh.c.started_at.desc())
        .limit(1)
    ).one_or_none()
    if newest and (newest.action, newest.state, newest.trigger) == (
        RefreshAction.NO_DATA,
        RefreshState.SUCCEED,
        refresh.trigger,
    ):
        connection.execute(
            sa.update(t.refresh)
            .where(t.refresh.c.id == newest.id)
            .values(ended_at=refresh.ended_at, data_snapshot=refresh.data_snapshot, runs=t.refresh.c.runs + 1)
        )
        return str(newest.id)
    connection.execute(insert_stmt(refresh))
    return refresh.id


def find(connection: sa.Connection, refresh_id: str) -> RefreshRecord | None:
    """The refresh with this id."""
    row = connection.execute(sa.select(t.refresh).where(t.refresh.c.id == refresh_id)).one_or_none()
    return _refresh(row) if row else None


def unfinished(connection: sa.Connection) -> tuple[RefreshRecord, ...]:
    """Refreshes without an end; the lease of the table shows whether they still run."""
    return tuple(_refresh(row) for row in connection.execute(sa.select(t.refresh).where(_UNFINISHED)))


def load(
    connection: sa.Connection, table_ids: Sequence[int] | None = None, limit: int | None = None
) -> tuple[RefreshRecord, ...]:
    """Refreshes, newest first."""
    query = sa.select(t.refresh).order_by(t.refresh.c.started_at.desc(), t.refresh.c.id)
    if table_ids is not None:
        query = query.where(t.refresh.c.table_id.in_(list(table_ids)))
    return tuple(_refresh(row) for row in connection.execute(query.limit(limit)))


def oldest_unfinished(connection: sa.Connection, table_ids: Iterable[int]) -> datetime | None:
    """The start of the oldest unfinished refresh of these tables."""
    query = sa.select(sa.func.min(t.refresh.c.started_at)).where(_UNFINISHED, t.refresh.c.table_id.in_(list(table_ids)))
    return connection.execute(query).scalar_one_or_none()


def durations(connection: sa.Connection, limit: int) -> tuple[tuple[int, float], ...]:
    """The durations of refreshes that computed something, newest first, each with its table."""
    rows = connection.execute(_COMPUTED, {"most": limit})
    return tuple((row.table_id, (row.ended_at - row.started_at).total_seconds()) for row in rows)


def computed_first_since(connection: sa.Connection, since: datetime) -> tuple[RefreshRecord, ...]:
    """Refreshes that ended after a time, and whose duration includes compilation."""
    computed = sa.select(t.refresh).where(_ROW.ended_at > since, _ROW.action != RefreshAction.NO_DATA)
    return tuple(row for row in map(_refresh, connection.execute(computed)) if row.stats.first_time)


def last_started(connection: sa.Connection) -> dict[int, datetime]:
    """The start of the newest refresh of each table; of a row that refreshes without changes share, its end."""
    return {row.table_id: row.at for row in connection.execute(_STARTED)}


def cancelled(connection: sa.Connection, started: Mapping[int, datetime]) -> dict[int, datetime]:
    """The end of the newest refresh of each table where it was cancelled; `started` has its start."""
    rows = connection.execute(_CANCELLED)
    return {row.table_id: row.ended_at for row in rows if started.get(row.table_id) == row.started_at}


def last(connection: sa.Connection) -> dict[int, RefreshRecord]:
    """The newest refresh of each table."""
    latest = _NEWEST.subquery()
    query = sa.select(t.refresh).join(
        latest, sa.and_(latest.c.table_id == t.refresh.c.table_id, latest.c.at == t.refresh.c.started_at)
    )
    return {row.table_id: _refresh(row) for row in connection.execute(query)}


def delete_old_stmt(before: datetime) -> sa.Delete:
    """The statement that deletes refreshes which ended before then, except those that are still needed."""
    return sa.delete(t.refresh).where(_forgettable(before))


def count_forgotten(connection: sa.Connection, before: datetime) -> int:
    """The number of rows that the statement would delete."""
    query = sa.select(sa.func.count()).select_from(t.refresh).where(_forgettable(before))
    return int(connection.execute(query).scalar_one())


def _forgettable(before: datetime) -> sa.ColumnElement[bool]:
    """Refreshes that ended before then and are not needed.

    Needed are, of each table: the newest row, from which the schedule continues, the newest one that succeeded, the newest one
    that computed something, whose duration is the expected one, and the one that wrote the current content.
    """
    row = t.refresh.c
    computed = sa.and_(row.state == RefreshState.SUCCEED, row.action != RefreshAction.NO_DATA)
    current = sa.select(row.id).join(
        t.frontier,
        sa.and_(t.frontier.c.table_id == row.table_id, t.frontier.c.lake_snapshot == row.lake_snapshot, computed),
    )
    needed = sa.union(_newest(sa.true()), _newest(row.state == RefreshState.SUCCEED), _newest(computed), current)
    return sa.and_(row.ended_at < before, sa.not_(_UNFINISHED), row.id.not_in(needed))


def _newest(condition: sa.ColumnElement[bool]) -> sa.Select[tuple[str]]:
    """The id of each table's newest refresh that fulfils a condition."""
    row = t.refresh.c
    newest = sa.select(row.table_id, sa.func.max(row.started_at).label("at")).where(condition).group_by(row.table_id)
    latest = newest.subquery()
    same = sa.and_(latest.c.table_id == row.table_id, latest.c.at == row.started_at, condition)
    return sa.select(row.id).join(latest, same)


_STORED_OTHERWISE = frozenset({"id", "name", "sources", "error", "stats"})
_PLAIN = tuple(each.name for each in fields(RefreshRecord) if each.name not in _STORED_OTHERWISE)
_STATS = frozenset(each.name for each in fields(RefreshStats))


def _row(refresh: RefreshRecord) -> dict[str, Any]:
    return {
        **{name: getattr(refresh, name) for name in _PLAIN},
        "schema_name": refresh.name.schema,
        "table_name": refresh.name.name,
        "sources": json.dumps([[source.schema, source.name] for source in refresh.sources]),
        "error": str(refresh.error) if refresh.error else None,
        "profile": json.dumps(refresh.stats.measured()),
    }


def _refresh(row: sa.Row[tuple[object, ...]]) -> RefreshRecord:
    values = dict(row._mapping)
    name = TableName(values.pop("schema_name"), values.pop("table_name"))
    sources = tuple(TableName(*source) for source in json.loads(values.pop("sources")))
    measured = json.loads(values.pop("profile") or "{}")
    stats = RefreshStats(**{key: value for key, value in measured.items() if key in _STATS})
    typed: dict[str, Any] = {
        "state": RefreshState(values.pop("state")),
        "trigger": RefreshTrigger(values.pop("trigger")),
        "action": _typed(RefreshAction, values.pop("action")),
        "strategy": _typed(Strategy, values.pop("strategy")),
        "error": _error(values.pop("error")),
        "rows_inserted": values.pop("rows_inserted") or 0,
        "rows_deleted": values.pop("rows_deleted") or 0,
    }
    return RefreshRecord(name=name, sources=sources, stats=stats, **typed, **values)


def _typed(kind: type[E], value: str | None) -> E | None:
    return None if value is None else kind(value)


def _error(text: str | None) -> HeadwaterError | None:
    """The stored error; a refresh whose process ended has a sentence only."""
    return None if text is None else error_from_text(text) or RefreshFailed(text)
