"""The history of refreshes. A refresh's row and its data are committed in one transaction, so the row shows the outcome."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from headwater.core.names import TableName
from headwater.registry import tables as t

RUNNING, SUCCEED, FAILED, SKIPPED = "RUNNING", "SUCCEED", "FAILED", "SKIPPED"
UPSTREAM_FAILED, UPSTREAM_SUSPENDED = "UPSTREAM_FAILED", "UPSTREAM_SUSPENDED"
CANCELLED = "CANCELLED"
NO_DATA = "NO_DATA"

_ROW = t.refresh.c
_LAST = sa.case((_ROW.action == NO_DATA, sa.func.coalesce(_ROW.ended_at, _ROW.started_at)), else_=_ROW.started_at)
_STARTED = sa.select(_ROW.table_id, sa.func.max(_LAST).label("at")).group_by(_ROW.table_id)
_NEWEST = sa.select(_ROW.table_id, sa.func.max(_ROW.started_at).label("at")).group_by(_ROW.table_id)
_CANCELLED = sa.select(_ROW.table_id, _ROW.started_at, _ROW.ended_at).where(_ROW.state == CANCELLED)
_COMPUTED = (
    sa.select(_ROW.table_id, _ROW.started_at, _ROW.ended_at)
    .where(_ROW.state == SUCCEED, _ROW.action != NO_DATA, _ROW.ended_at.is_not(None))
    .order_by(_ROW.started_at.desc())
    .limit(sa.bindparam("most", type_=sa.Integer()))
)


@dataclass(frozen=True, slots=True)
class Refresh:
    """One refresh, or several in a row that found nothing to do (`runs`)."""

    id: str
    table_id: int
    name: TableName
    warehouse: str
    state: str
    trigger: str
    started_at: datetime
    ended_at: datetime | None = None
    action: str | None = None
    strategy: str | None = None
    reason: str | None = None
    error: str | None = None
    suspended_reason: str | None = None
    sources: tuple[TableName, ...] = ()
    rows_inserted: int | None = None
    rows_deleted: int | None = None
    data_snapshot: int | None = None
    lake_snapshot: int | None = None
    completion_target: datetime | None = None
    runs: int = 1
    # The seconds of its phases, the engine's jobs, and what they read and wrote.
    profile: Mapping[str, float] = field(default_factory=dict)
    # The SQL that it ran; see registry.plans.
    plan_id: str | None = None

    @property
    def took(self) -> timedelta | None:
        """The duration, if it has ended and the row is for a single refresh."""
        return self.ended_at - self.started_at if self.ended_at and self.runs == 1 else None


def insert_stmt(refresh: Refresh) -> sa.Insert:
    """The statement for a refresh that starts, or that ended at once."""
    return sa.insert(t.refresh).values(id=refresh.id, **_row(refresh))


def finish_stmt(refresh: Refresh) -> sa.Update:
    """The statement for a refresh that has ended."""
    return sa.update(t.refresh).where(t.refresh.c.id == refresh.id).values(**_row(refresh))


def finish_if_running_stmt(refresh: Refresh) -> sa.Update:
    """The statement for a failed refresh, unless its row is already closed."""
    return finish_stmt(refresh).where(t.refresh.c.state == RUNNING)


def interrupt_stmt(table_ids: Iterable[int], at: datetime) -> sa.Update:
    """Close refreshes of dead processes; the caller must hold the tables' leases or find them expired."""
    return (
        sa.update(t.refresh)
        .where(t.refresh.c.table_id.in_(list(table_ids)), t.refresh.c.state == RUNNING)
        .values(state=FAILED, ended_at=at, error="the process that ran this refresh has ended")
    )


def record_idle(connection: sa.Connection, refresh: Refresh) -> str:
    """Record that there was nothing to do: consecutive ones share a row. Returns the row's id."""
    newest = connection.execute(
        sa.select(t.refresh.c.id, t.refresh.c.action, t.refresh.c.state, t.refresh.c.trigger)
        .where(t.refresh.c.table_id == refresh.table_id)
        .order_by(t.refresh.c.started_at.desc())
        .limit(1)
    ).one_or_none()
    if newest and (newest.action, newest.state, newest.trigger) == (NO_DATA, SUCCEED, refresh.trigger):
        connection.execute(
            sa.update(t.refresh)
            .where(t.refresh.c.id == newest.id)
            .values(ended_at=refresh.ended_at, data_snapshot=refresh.data_snapshot, runs=t.refresh.c.runs + 1)
        )
        return str(newest.id)
    connection.execute(insert_stmt(refresh))
    return refresh.id


def find(connection: sa.Connection, refresh_id: str) -> Refresh | None:
    """The refresh with this id."""
    row = connection.execute(sa.select(t.refresh).where(t.refresh.c.id == refresh_id)).one_or_none()
    return _refresh(row) if row else None


_RUNNING = sa.select(t.refresh).where(t.refresh.c.state == RUNNING)


def running(connection: sa.Connection) -> tuple[Refresh, ...]:
    """Refreshes without an end; the lease of the table shows whether they still run."""
    return tuple(_refresh(row) for row in connection.execute(_RUNNING))


def load(
    connection: sa.Connection, table_ids: Sequence[int] | None = None, limit: int | None = None
) -> tuple[Refresh, ...]:
    """Refreshes, newest first."""
    query = sa.select(t.refresh).order_by(t.refresh.c.started_at.desc(), t.refresh.c.id)
    if table_ids is not None:
        query = query.where(t.refresh.c.table_id.in_(list(table_ids)))
    return tuple(_refresh(row) for row in connection.execute(query.limit(limit)))


def oldest_running(connection: sa.Connection, table_ids: Iterable[int]) -> datetime | None:
    """The start of the oldest running refresh of these tables."""
    query = sa.select(sa.func.min(t.refresh.c.started_at)).where(
        t.refresh.c.state == RUNNING, t.refresh.c.table_id.in_(list(table_ids))
    )
    return connection.execute(query).scalar_one_or_none()


def durations(connection: sa.Connection, limit: int) -> tuple[tuple[int, float], ...]:
    """Tables and the seconds that their last refreshes took which computed something, newest first."""
    rows = connection.execute(_COMPUTED, {"most": limit})
    return tuple((row.table_id, (row.ended_at - row.started_at).total_seconds()) for row in rows)


def last_started(connection: sa.Connection) -> dict[int, datetime]:
    """When the newest refresh of each table began; those that had nothing to do share a row, which tells of the last."""
    return {row.table_id: row.at for row in connection.execute(_STARTED)}


def cancelled(connection: sa.Connection, started: Mapping[int, datetime]) -> dict[int, datetime]:
    """When the newest refresh of a table ended, of those tables where that was by a cancel; `started` is when it began."""
    rows = connection.execute(_CANCELLED)
    return {row.table_id: row.ended_at for row in rows if started.get(row.table_id) == row.started_at}


def last(connection: sa.Connection) -> dict[int, Refresh]:
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
    """What ended before then and is not asked for any more.

    Of each table what is: the newest row (the schedule goes on from it), the newest one that succeeded, the newest one that
    computed something (from it the next one's duration is expected), and the one that made the current content.
    """
    row = t.refresh.c
    computed = sa.and_(row.state == SUCCEED, row.action != NO_DATA)
    current = sa.select(row.id).join(
        t.frontier,
        sa.and_(t.frontier.c.table_id == row.table_id, t.frontier.c.lake_snapshot == row.lake_snapshot, computed),
    )
    kept = sa.union(_newest(sa.true()), _newest(row.state == SUCCEED), _newest(computed), current)
    return sa.and_(row.ended_at < before, row.state != RUNNING, row.id.not_in(kept))


def _newest(condition: sa.ColumnElement[bool]) -> sa.Select[tuple[str]]:
    """The id of each table's newest refresh of those that a condition holds for."""
    row = t.refresh.c
    newest = sa.select(row.table_id, sa.func.max(row.started_at).label("at")).where(condition).group_by(row.table_id)
    latest = newest.subquery()
    same = sa.and_(latest.c.table_id == row.table_id, latest.c.at == row.started_at, condition)
    return sa.select(row.id).join(latest, same)


def _row(refresh: Refresh) -> dict[str, Any]:
    kept = {
        name: getattr(refresh, name) for name in Refresh.__slots__ if name not in ("id", "name", "sources", "profile")
    }
    sources = json.dumps([[source.schema, source.name] for source in refresh.sources])
    named = {"schema_name": refresh.name.schema, "table_name": refresh.name.name}
    return kept | named | {"sources": sources, "profile": json.dumps(dict(refresh.profile))}


def _refresh(row: sa.Row[tuple[object, ...]]) -> Refresh:
    values = dict(row._mapping)
    name = TableName(values.pop("schema_name"), values.pop("table_name"))
    sources = tuple(TableName(*source) for source in json.loads(values.pop("sources")))
    profile = json.loads(values.pop("profile") or "{}")
    return Refresh(name=name, sources=sources, profile=profile, **values)
