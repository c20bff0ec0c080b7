"""RESTORE DYNAMIC TABLE: restore an earlier version, and suspend the table."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, Guard, commit
from headwater.core.errors import InvalidRequest, LeaseLost, NotInitialized, RefreshRunning, SnapshotMissing
from headwater.core.refresh_record import SuspendedBy
from headwater.core.schema import SortKey
from headwater.core.semantics import definition_session
from headwater.core.table_status import Suspension
from headwater.lake import operations as op
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.compute import Compute
from headwater.refresh.engine import Query
from headwater.refresh.find import find_dynamic
from headwater.refresh.lease_watch import LeaseWatch, leased, still_held
from headwater.refresh.target import target_order
from headwater.registry import definitions, frontiers, leases
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier, TableVersion
from headwater.sql import dynamic_statements as ds


def restore(site: Site, compute: Compute, statement: ds.RestoreDynamicTable) -> str:
    """Restore the rows that the table had at a snapshot or time; it is suspended until a user resumes it."""
    with site.reader() as reader:
        table = find_dynamic(reader, statement.name)
    lease = leases.take(site.database, table.id)
    if lease is None:
        raise RefreshRunning(f"{table.name} is being refreshed", hint="Wait until the refresh ends, then restore.")
    with leased(site, lease, cancellation=compute.cancellation) as lease_watch:
        try:
            _restore(site, compute, _find_version(site, table, statement), lease, lease_watch)
        except LeaseLost as error:
            raise lease_watch.lease_error(error) from error
    return "restored"


@dataclass(frozen=True, slots=True)
class _Restoration:
    """A version to restore: the table's rows now and then, and how its files are written."""

    table: DynamicTable
    base: int
    frontier: Frontier
    version: TableVersion
    now_at: TableAt
    then_at: TableAt
    target: WriteTarget
    order: tuple[SortKey, ...]

    def next_frontier(self, lake_snapshot: int, at: datetime) -> Frontier:
        """The frontier of the restored version, in a new epoch."""
        return replace(
            self.frontier,
            snapshot=self.version.valid_to,
            valid_from=self.version.valid_from,
            lake_snapshot=lake_snapshot,
            clock_at=self.version.clock_at,
            definition_version=self.version.definition_version,
            identity=self.version.identity,
            epoch=self.frontier.epoch + 1,
            refreshed_at=at,
            layout=None,
        )


def _restore(site: Site, compute: Compute, found: _Restoration, lease: leases.Lease, lease_watch: LeaseWatch) -> None:
    table, frontier = found.table, found.frontier
    query = Query("SELECT * FROM hw_source_1", {"hw_source_1": found.then_at}, definition_session(), site.clock.now())
    engine, tag = compute.engine(), str(uuid.uuid4())
    with lease_watch.cancel_on_loss(tag, engine.cancel), engine.track_jobs(tag, None):
        staged = engine.difference(query, found.now_at, found.target, found.order)
    change = op.StagedChange(table.id, staged.files, staged.deletes, staged.inlined_deletes)

    def rows(_committed: Committed) -> Iterable[sa.Executable]:
        yield from frontiers.archive_version_stmts(frontier, frontier.snapshot + 1)
        reason = f"restored to snapshot {found.version.lake_snapshot}"
        yield definitions.resume_stmt(table.id)
        yield definitions.suspend_stmt(table.id, Suspension(SuspendedBy.RESTORED, reason, site.clock.now()))

    def move_stmt(lake_snapshot: int) -> sa.Update:
        return frontiers.move_stmt(frontier, found.next_frontier(lake_snapshot, site.clock.now()))

    wanted = Commit(
        found.base,
        () if change.empty else (change,),
        guards=(
            still_held(lease, site.database.kind),
            Guard(move_stmt, "a concurrent refresh committed first"),
        ),
        unchanged_tables=frozenset({table.id}),
        rows=rows,
        message=f"restore {table.name} to snapshot {found.version.lake_snapshot}",
    )
    commit(site, wanted)


def _find_version(site: Site, table: DynamicTable, statement: ds.RestoreDynamicTable) -> _Restoration:
    with site.reader() as reader:
        base = reader.latest().id
        frontier = frontiers.find(reader.connection, table.id)
        if frontier is None:
            raise NotInitialized(
                f"{table.name} has not been refreshed yet", hint="Refresh the table first; it has no earlier version."
            )
        version = _version(reader, table, _snapshot(reader, statement, site.clock.now()))
        reader.snapshot(version.lake_snapshot)
        now_at, then_at = (_at(reader, table, at) for at in (base, version.lake_snapshot))
        if now_at.schema != then_at.schema:
            raise InvalidRequest(
                f"{table.name} had different columns at that version",
                hint="Read that version with AT (VERSION => n) instead.",
            )
        target, order = reader.write_target(now_at.table, base), target_order(reader, now_at)
    return _Restoration(table, base, frontier, version, now_at, then_at, target, order)


def _snapshot(reader: LakeReader, statement: ds.RestoreDynamicTable, now: datetime) -> int:
    if statement.version is not None:
        if statement.version > (newest := reader.latest().id):
            raise SnapshotMissing(
                f"snapshot {statement.version} does not exist",
                detail=f"The newest snapshot is {newest}.",
                hint="Choose an older snapshot.",
            )
        return statement.version
    assert statement.timestamp is not None
    moment = datetime.fromisoformat(statement.timestamp)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment > now:
        raise SnapshotMissing(f"{moment} is in the future", hint="Choose an earlier time.")
    found = [snapshot.id for snapshot in reader.snapshots() if snapshot.time <= moment]
    if not found:
        raise SnapshotMissing(f"the lake has no snapshot as old as {moment}", hint="Choose a later time.")
    return found[-1]


def _version(reader: LakeReader, table: DynamicTable, snapshot: int) -> TableVersion:
    """The version that readers saw at a snapshot of the lake."""
    seen = [v for v in frontiers.versions(reader.connection, table.id) if v.lake_snapshot <= snapshot]
    if not seen:
        reader.snapshot(snapshot)
        raise SnapshotMissing(
            f"{table.name} had no version at snapshot {snapshot}",
            hint="Run SHOW DYNAMIC TABLE REFRESH HISTORY to list its refreshes.",
        )
    return seen[-1]


def _at(reader: LakeReader, table: DynamicTable, snapshot: int) -> TableAt:
    found = reader.table_by_id(table.id, snapshot)
    assert found is not None
    return reader.table_at(found, snapshot)
