"""Versions of a dynamic table by data snapshot.

A version holds for the data snapshots valid_from to valid_to: its query gives the same rows at each of them. The newest is
the frontier's, and grows while nothing changes. Its number is the first snapshot of the lake that shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

import sqlalchemy as sa

from headwater.delta.state_layout import StateLayout
from headwater.registry import tables as t
from headwater.registry.source_identity import SourceIdentity

_ALL = sa.select(t.frontier)
_SOME = _ALL.where(t.frontier.c.table_id.in_(sa.bindparam("ids", expanding=True)))
_ONE = _ALL.where(t.frontier.c.table_id == t.TABLE_ID)


@dataclass(frozen=True, slots=True)
class Frontier:
    """The current version: content for data snapshots `valid_from` to `snapshot`, found in the lake at `lake_snapshot`."""

    table_id: int
    snapshot: int
    valid_from: int
    lake_snapshot: int
    definition_version: int
    identity: SourceIdentity
    refreshed_at: datetime
    clock_at: datetime | None = None
    epoch: int = 1
    # None if it is not known.
    layout: StateLayout | None = None
    # None in a new frontier: its lake_snapshot, and the time of its refresh.
    number: int | None = None
    created_at: datetime | None = None
    restored_from: int | None = None
    # The last snapshot of the lake up to which expiry found no write of another client; None if nothing was expired.
    own_rows_to: int | None = None

    @property
    def version_number(self) -> int:
        """The number of the version."""
        return self.lake_snapshot if self.number is None else self.number

    @property
    def own_rows_since(self) -> int:
        """The snapshot of the lake after which another client may have written to the table."""
        return max(self.lake_snapshot, self.own_rows_to or 0)


@dataclass(frozen=True, slots=True)
class TableVersion:
    """Content that holds for the data snapshots `valid_from` to `valid_to`."""

    valid_from: int
    valid_to: int
    lake_snapshot: int
    clock_at: datetime | None = None
    definition_version: int = 1
    identity: SourceIdentity = field(default_factory=SourceIdentity)


def load(connection: sa.Connection, table_ids: Sequence[int] | None = None) -> dict[int, Frontier]:
    """The frontiers of all tables that have been refreshed, or of those among these."""
    rows = connection.execute(_ALL) if table_ids is None else connection.execute(_SOME, {"ids": list(table_ids)})
    return {row.table_id: _frontier(row) for row in rows}


def find(connection: sa.Connection, table_id: int) -> Frontier | None:
    """The frontier of a table; None before its first refresh."""
    row = connection.execute(_ONE, {"of_table": table_id}).one_or_none()
    return _frontier(row) if row else None


def versions(connection: sa.Connection, table_id: int) -> tuple[TableVersion, ...]:
    """All versions of the current epoch, oldest first; the frontier's is the last."""
    current = find(connection, table_id)
    if current is None:
        return ()
    query = (
        sa.select(t.version)
        .where(t.version.c.table_id == table_id, t.version.c.epoch == current.epoch)
        .where(t.version.c.valid_from <= t.version.c.valid_to)
        .order_by(t.version.c.valid_from)
    )
    older = (
        TableVersion(
            row.valid_from,
            row.valid_to,
            row.lake_snapshot,
            row.clock_at,
            row.definition_version,
            _identity(row.identity),
        )
        for row in connection.execute(query)
    )
    newest = TableVersion(
        current.valid_from,
        current.snapshot,
        current.lake_snapshot,
        current.clock_at,
        current.definition_version,
        current.identity,
    )
    return (*older, newest)


def covering(versions: Iterable[TableVersion], snapshot: int) -> TableVersion | None:
    """The version that holds for a data snapshot."""
    return next((v for v in versions if v.valid_from <= snapshot <= v.valid_to), None)


def insert_stmt(frontier: Frontier) -> sa.Executable:
    """The statement for a table's first refresh."""
    return sa.insert(t.frontier).values(**_row(frontier))


def move_stmt(old: Frontier, new: Frontier) -> sa.Update:
    """The guarded write of a refresh: no row if another refresh has moved the frontier, or the definition has changed."""
    return _still(old).values(**_moved(old, new))


def archive_version_stmts(old: Frontier, valid_from: int, replaced_at: int | None = None) -> tuple[sa.Insert, ...]:
    """The statement that archives the current version; its validity ends before `valid_from`, where the new one begins.

    The lake snapshot `replaced_at` is the first that shows other rows; with None, the rows stay.
    """
    valid_to = min(old.snapshot, valid_from - 1)
    if valid_to < old.valid_from and replaced_at is None:
        return ()
    row = sa.insert(t.version).values(
        table_id=old.table_id,
        number=old.version_number,
        valid_from=old.valid_from,
        valid_to=valid_to,
        epoch=old.epoch,
        lake_snapshot=old.lake_snapshot,
        visible_to=None if replaced_at is None else replaced_at - 1,
        created_at=old.created_at or old.refreshed_at,
        clock_at=old.clock_at,
        definition_version=old.definition_version,
        restored_from=old.restored_from,
        identity=old.identity.text(),
        layout=old.layout and old.layout.text(),
    )
    return (row,)


def own_rows_stmt(table_id: int, lake_snapshot: int, last: int) -> sa.Update:
    """The statement that records up to which snapshot no other client wrote to the version."""
    f = t.frontier.c
    return (
        sa.update(t.frontier).where(f.table_id == table_id, f.lake_snapshot == lake_snapshot).values(own_rows_to=last)
    )


def delete_unreachable_stmt(oldest: int) -> sa.Delete:
    """The statement that deletes versions that were replaced before the oldest snapshot.

    The last one before it stays: that snapshot shows it.
    """
    newer = t.version.alias()
    replaced = sa.or_(
        sa.exists().where(
            newer.c.table_id == t.version.c.table_id,
            newer.c.lake_snapshot > t.version.c.lake_snapshot,
            newer.c.lake_snapshot <= oldest,
        ),
        sa.exists().where(t.frontier.c.table_id == t.version.c.table_id, t.frontier.c.lake_snapshot <= oldest),
    )
    return sa.delete(t.version).where(replaced, t.version.c.lake_snapshot < oldest)


def advance_stmt(old: Frontier, new: Frontier, now: sa.ColumnElement[float]) -> sa.Update:
    """The guarded write of a refresh without changes; needs no lease, and has no effect while another process holds it."""
    free = t.frontier.c.table_id.not_in(_running(now))
    return _still(old).where(free).values(**_moved(old, new))


def advance_idle_stmt(table_ids: Iterable[int], snapshot: int, at: datetime, now: sa.ColumnElement[float]) -> sa.Update:
    """The statement that moves the frontiers of tables whose sources did not change, except of those being refreshed."""
    return (
        sa.update(t.frontier)
        .where(
            t.frontier.c.table_id.in_(list(table_ids)),
            t.frontier.c.snapshot < snapshot,
            t.frontier.c.table_id.not_in(_running(now)),
        )
        .values(snapshot=snapshot, refreshed_at=at)
    )


def _running(now: sa.ColumnElement[float]) -> sa.Select[tuple[int]]:
    return sa.select(t.lease.c.table_id).where(t.lease.c.token.is_not(None), t.lease.c.expires_at > now)


def _still(old: Frontier) -> sa.Update:
    f = t.frontier.c
    return sa.update(t.frontier).where(
        f.table_id == old.table_id,
        f.snapshot == old.snapshot,
        f.lake_snapshot == old.lake_snapshot,
        f.definition_version == old.definition_version,
        f.epoch == old.epoch,
    )


def _moved(old: Frontier, new: Frontier) -> dict[str, object]:
    """The values of a moved frontier; of the same version, expiry may have recorded a newer `own_rows_to` meanwhile."""
    values = _row(new)
    if new.lake_snapshot == old.lake_snapshot:
        del values["own_rows_to"]
    return values


def _row(frontier: Frontier) -> dict[str, object]:
    row = {name: getattr(frontier, name) for name in Frontier.__slots__}
    return row | {
        "identity": frontier.identity.text(),
        "layout": frontier.layout and frontier.layout.text(),
        "number": frontier.version_number,
        "created_at": frontier.created_at or frontier.refreshed_at,
    }


def _frontier(row: sa.Row[tuple[object, ...]]) -> Frontier:
    values = dict(row._mapping)
    identity, layout = values.pop("identity"), values.pop("layout")
    return Frontier(identity=_identity(identity), layout=None if layout is None else _layout(layout), **values)


# Cached: a worker reads the frontiers of all tables every few seconds, and most have not changed.
_identity = lru_cache(8_192)(SourceIdentity.from_text)
_layout = lru_cache(8_192)(StateLayout.from_text)
