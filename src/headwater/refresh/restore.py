"""RESTORE DYNAMIC TABLE: restore an earlier version, and suspend the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, Guard, commit
from headwater.core.errors import (
    CommitConflict,
    InvalidRequest,
    LeaseLost,
    NotInitialized,
    RefreshRunning,
    SnapshotMissing,
)
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger, SuspendedBy
from headwater.core.schema import Column, Schema, SortKey
from headwater.core.semantics import definition_session
from headwater.core.table_status import Suspension
from headwater.lake import operations as op
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.lake.values import InlinedRows, TableAt, WriteTarget
from headwater.refresh.compute import Compute
from headwater.refresh.engine import Query, Staged
from headwater.refresh.find import find_dynamic
from headwater.refresh.lease_watch import LeaseWatch, leased, still_held
from headwater.refresh.progress import measure_written
from headwater.refresh.recover import take_over
from headwater.refresh.refresh_log import RefreshLog
from headwater.refresh.target import key_order_of, target_order
from headwater.refresh.versions import ReadableVersion, VersionReader
from headwater.registry import definitions, frontiers, history
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.registry.leases import Lease
from headwater.registry.stored_versions import StoredVersion
from headwater.sql import dynamic_statements as ds

# The number of attempts after commit conflicts, such as with compaction.
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Restored:
    """A restored version, which became the new version `number`; `record` is its row in the history."""

    number: int
    restored_from: int
    record: RefreshRecord


def restore(site: Site, compute: Compute, statement: ds.RestoreDynamicTable) -> Restored:
    """Restore the rows of a version; the table is suspended until a user resumes it."""
    with site.reader() as reader:
        table = find_dynamic(reader, statement.name)
    lease = take_over(site.database, table.id, site.clock.now())
    if lease is None:
        raise RefreshRunning(f"{table.name} is being refreshed", hint="Wait until the refresh ends, then restore.")
    log = RefreshLog(site, RefreshTrigger.MANUAL)
    with leased(site, lease, cancellation=compute.cancellation) as lease_watch:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return _restore(site, compute, _find_version(site, table, statement), lease, lease_watch, log)
            except LeaseLost as error:
                raise lease_watch.lease_error(error) from error
            except CommitConflict:
                if attempt == ATTEMPTS:
                    raise
    raise AssertionError("unreachable")


@dataclass(frozen=True, slots=True)
class _Restoration:
    """A version to restore: the table's rows now and then, and how its files are written."""

    table: DynamicTable
    base: int
    frontier: Frontier
    version: StoredVersion
    now_at: TableAt
    then_at: TableAt
    target: WriteTarget
    order: tuple[SortKey, ...]
    # The first snapshot at which another client changed the current version, or may have.
    foreign_write: int | None

    def next_frontier(self, lake_snapshot: int, at: datetime) -> Frontier:
        """The frontier of the restored version, in a new epoch."""
        return replace(
            self.frontier,
            snapshot=self.version.data_snapshot,
            valid_from=self.version.valid_from,
            lake_snapshot=lake_snapshot,
            clock_at=self.version.clock_at,
            definition_version=self.version.definition_version,
            identity=self.version.identity,
            epoch=self.frontier.epoch + 1,
            refreshed_at=at,
            layout=self.version.layout,
            number=lake_snapshot,
            created_at=at,
            restored_from=self.version.number,
            own_rows_to=None,
        )


def _restore(
    site: Site, compute: Compute, found: _Restoration, lease: Lease, lease_watch: LeaseWatch, log: RefreshLog
) -> Restored:
    table, frontier = found.table, found.frontier
    staged = _staged(site, compute, found, lease_watch, log)
    change = op.StagedChange(table.id, staged.files, staged.deletes, staged.inlined_deletes)
    log.measure(rows_unchanged=staged.unchanged)
    measure_written(log, staged)
    reason = f"restored to version {found.version.number}"
    record = log.record(
        table,
        RefreshState.SUCCEED,
        reason=reason,
        rows_inserted=staged.rows_inserted,
        rows_deleted=staged.rows_deleted,
        data_snapshot=found.version.data_snapshot,
    )

    def rows(committed: Committed) -> Iterable[sa.Executable]:
        replaced_at = found.foreign_write or committed.snapshot_id
        yield from frontiers.archive_version_stmts(frontier, frontier.snapshot + 1, replaced_at)
        yield definitions.resume_stmt(table.id)
        yield definitions.suspend_stmt(table.id, Suspension(SuspendedBy.RESTORED, reason, site.clock.now()))
        yield history.insert_stmt(log.ended(record, committed.snapshot_id))

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
        author="headwater",
        message=f"restore {table.name} to version {found.version.number}",
        token=log.id,
    )
    committed = commit(site, wanted)
    return Restored(committed.snapshot_id, found.version.number, log.ended(record, committed.snapshot_id))


def _staged(site: Site, compute: Compute, found: _Restoration, lease_watch: LeaseWatch, log: RefreshLog) -> Staged:
    """The difference between the rows of now and of then, with their state, so that the next refresh can be incremental."""
    query = Query("SELECT * FROM hw_source_1", {"hw_source_1": found.then_at}, definition_session(), site.clock.now())
    engine = compute.engine()
    with lease_watch.cancel_on_loss(log.id, engine.cancel), engine.track_jobs(log.id, None):
        return engine.difference(query, found.now_at, found.target, found.order)


def _find_version(site: Site, table: DynamicTable, statement: ds.RestoreDynamicTable) -> _Restoration:
    with site.reader() as reader:
        base = reader.latest().id
        frontier = frontiers.find(reader.connection, table.id)
        if frontier is None:
            raise NotInitialized(
                f"{table.name} has not been refreshed yet", hint="Refresh the table first; it has no earlier version."
            )
        versions = VersionReader(reader, table)
        found = versions.find(statement, site.clock.now())
        at = _restorable(table, found)
        now_table, then_table = (reader.table_by_id(table.id, snapshot) for snapshot in (base, at))
        assert now_table is not None
        assert then_table is not None
        now_at = reader.table_at(now_table, base)
        then_at = reader.table_at(then_table, at, read_as=base)
        state = found.stored.layout.state if found.stored.layout else ()
        return _Restoration(
            table,
            base,
            frontier,
            found.stored,
            now_at,
            _with_state(then_at, state),
            reader.write_target(now_table, base, extra=state),
            _order(reader, table, frontier, now_at, state),
            None if versions.last_own == base else versions.last_own + 1,
        )


def _restorable(table: DynamicTable, found: ReadableVersion) -> int:
    """The snapshot to read a version at, or an error."""
    number = found.stored.number
    hint = f"Run SHOW DYNAMIC TABLE VERSIONS FOR {table.name} to list the versions that can be restored."
    if found.snapshot is None:
        raise SnapshotMissing(
            f"version {number} of {table.name} can't be restored: {found.refused}",
            hint=hint,
        )
    if found.refused is not None:
        raise InvalidRequest(
            f"version {number} of {table.name} can't be restored: {found.refused}",
            detail="RESTORE changes rows, and not columns.",
            hint=f"Read it with AT (VERSION => {found.snapshot}) instead.",
        )
    return found.snapshot


def _order(
    reader: LakeReader, table: DynamicTable, frontier: Frontier, at: TableAt, state: tuple[Column, ...]
) -> tuple[SortKey, ...]:
    """The sort order of the files, by the columns that the restored rows have."""
    names = {column.name for column in (*at.schema, *state)}
    wanted = target_order(reader, at) or key_order_of(reader, table, frontier, at)
    return tuple(key for key in wanted if key.expression in names)


def _with_state(at: TableAt, state: tuple[Column, ...]) -> TableAt:
    """The table with its state columns, which are in its files but not in the catalog."""
    if not state:
        return at
    rows = tuple((id, (*values, *(None for _ in state))) for id, values in at.inlined.rows)
    return replace(at, schema=Schema((*at.schema, *state)), inlined=InlinedRows(rows))
