"""Commit a refresh: rows, frontier and history in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, Guard, check, commit
from headwater.core.crash import crash_point
from headwater.core.refresh_record import RefreshAction, RefreshRecord, RefreshState, Strategy
from headwater.core.semantics import session_of
from headwater.delta.refresh_plan import RefreshPlan
from headwater.delta.state_layout import StateLayout
from headwater.lake import operations as op
from headwater.lake.site import Site
from headwater.lake.values import TableAt
from headwater.refresh.engine import Staged
from headwater.refresh.keep_rows import KeptRows
from headwater.refresh.lease_watch import still_held
from headwater.refresh.prepare import NothingToDo, Prepared
from headwater.refresh.progress import measure_written
from headwater.refresh.refresh_log import RefreshLog
from headwater.refresh.source_versions import sources_of
from headwater.refresh.target_columns import reshape
from headwater.registry import definitions, frontiers, history
from headwater.registry import tables as t
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.registry.leases import Lease


class RefreshCommit:
    """Commits one successful refresh; `defined` is the definition to commit with it, until it is committed."""

    def __init__(self, site: Site, log: RefreshLog, defined: DynamicTable | None) -> None:
        self._site = site
        self._database = site.database
        self._clock = site.clock
        self._log = log
        self.defined = defined

    def extend_version(self, idle: NothingToDo) -> RefreshRecord:
        """Record that the rows are also valid for a newer snapshot: one small transaction."""
        record = self._log.record(
            idle.table,
            RefreshState.SUCCEED,
            action=RefreshAction.NO_DATA,
            reason=idle.reason,
            data_snapshot=idle.snapshot,
            lake_snapshot=idle.frontier.lake_snapshot,
        )

        def work(connection: sa.Connection) -> str:
            moved = replace(idle.frontier, snapshot=idle.snapshot, refreshed_at=self._clock.now())
            if not idle.continuous:
                moved = replace(moved, valid_from=idle.snapshot)
                for older in frontiers.archive_version_stmts(idle.frontier, idle.snapshot):
                    connection.execute(older)
            advance = frontiers.advance_stmt(idle.frontier, moved, t.now(self._database.kind))
            _require_row(connection, advance)
            refresh_id = self._log.record_no_data(connection, record)
            for statement in self._log.success_stmts(idle.table, refresh_id):
                connection.execute(statement)
            return refresh_id

        refresh_id = self._database.transact(work)
        crash_point("idle-recorded")
        return replace(record, id=refresh_id)

    def commit(
        self,
        prepared: Prepared,
        lease: Lease,
        at: TableAt,
        staged: Staged,
        operations: Sequence[op.Operation] = (),
        *,
        rewrite_all: bool = False,
        layout: StateLayout,
    ) -> RefreshRecord:
        """Commit staged files, after operations on the table's columns; `rewrite_all` replaces all rows."""
        table, computed = prepared.table, time.perf_counter()
        replaced = rewrite_all and bool(at.files or at.inlined.rows)
        self._log.measure(rows_unchanged=staged.unchanged, affected_keys=staged.affected_keys)
        measure_written(self._log, staged)
        change = op.StagedChange(table.id, staged.files, staged.deletes, staged.inlined_deletes, replace=replaced)
        record = self._log.record(
            table,
            RefreshState.SUCCEED,
            action=prepared.plan.action,
            strategy=Strategy.RECOMPUTE if staged.recomputed else prepared.plan.strategy,
            reason=prepared.plan.reason,
            rows_inserted=staged.rows_inserted,
            rows_deleted=at.rows if replaced else staged.rows_deleted,
            data_snapshot=prepared.snapshot,
        )
        if change.empty and not operations:
            return self._unchanged(prepared, lease, record, layout)

        def rows(committed: Committed) -> Iterable[sa.Executable]:
            if prepared.frontier is None:
                yield frontiers.insert_stmt(self._next_frontier(prepared, committed.snapshot_id, layout))
            else:
                replaced_at = prepared.foreign_write or committed.snapshot_id
                yield from frontiers.archive_version_stmts(prepared.frontier, prepared.snapshot, replaced_at)
            yield from self._bound(prepared)
            yield from self._log.success_stmts(table)
            self._log.measure(commit_seconds=round(time.perf_counter() - computed, 3))
            yield history.finish_stmt(self._log.ended(record, committed.snapshot_id))

        changes = (*operations, *(() if change.empty else (change,)))
        committed = self._commit(prepared, lease, changes, lambda id: self._next_frontier(prepared, id, layout), rows)
        return self._log.ended(record, committed.snapshot_id)

    def commit_kept_rows(self, prepared: Prepared, kept: KeptRows, at: TableAt, lease: Lease) -> None:
        """Commit a new definition that keeps the rows: columns, definition and frontier at once."""
        table, old = prepared.table, prepared.frontier
        assert old is not None
        plan = RefreshPlan(RefreshAction.NO_DATA, kept.reason)
        self._log.announce(table, plan, old.snapshot)
        operations = tuple(reshape(at, kept.columns))
        record = self._log.record(
            table, RefreshState.SUCCEED, action=plan.action, reason=plan.reason, data_snapshot=old.snapshot
        )

        def moved(lake_snapshot: int) -> Frontier:
            return replace(
                old,
                lake_snapshot=lake_snapshot,
                definition_version=self.version(prepared),
                identity=replace(prepared.identity, read=old.identity.read),
                layout=kept.layout,
            )

        def rows(lake_snapshot: int) -> Iterable[sa.Executable]:
            yield from self._bound(prepared)
            yield history.finish_stmt(self._log.ended(record, lake_snapshot))

        if operations:
            self._commit(prepared, lease, operations, moved, lambda committed: rows(committed.snapshot_id))
        else:
            self._register(lease, old, moved(old.lake_snapshot), rows(old.lake_snapshot))
        self.defined = None
        self._log.begin()

    def _commit(
        self,
        prepared: Prepared,
        lease: Lease,
        operations: tuple[op.Operation, ...],
        moved: Callable[[int], Frontier],
        rows: Callable[[Committed], Iterable[sa.Executable]],
    ) -> Committed:
        """Commit operations with their frontier, unless a concurrent refresh committed first."""
        table, old = prepared.table, prepared.frontier
        guards = [still_held(lease, self._database.kind)]
        if old is not None:
            guards.append(Guard(lambda id: frontiers.move_stmt(old, moved(id)), "a concurrent refresh committed first"))
        wanted = Commit(
            prepared.base,
            operations,
            guards=tuple(guards),
            unchanged_tables=frozenset({table.id}),
            rows=rows,
            author="headwater",
            message=f"refresh {table.name} to snapshot {prepared.snapshot}",
            token=self._log.id,
        )
        return commit(self._site, wanted)

    def _unchanged(self, prepared: Prepared, lease: Lease, record: RefreshRecord, layout: StateLayout) -> RefreshRecord:
        """The query returns the stored rows: the frontier moves, and downstream tables are not refreshed.

        It is nevertheless a new version, because the query may have returned other rows at the snapshots in between.
        """
        table, old = prepared.table, prepared.frontier
        known = old is not None and prepared.plan.action is not RefreshAction.REINITIALIZE
        lake_snapshot = old.lake_snapshot if old and known else prepared.base
        record = self._log.ended(record, lake_snapshot)
        new = self._next_frontier(prepared, lake_snapshot, layout)
        if old and (known or lake_snapshot == old.version_number):
            new = replace(
                new,
                number=old.number,
                created_at=old.created_at,
                restored_from=old.restored_from,
            )
        replaced_at = prepared.foreign_write or lake_snapshot
        archived = (
            frontiers.archive_version_stmts(old, new.valid_from, None if new.number else replaced_at) if old else ()
        )
        rest = (
            *archived,
            *self._bound(prepared),
            *self._log.success_stmts(table),
            history.finish_stmt(record),
        )
        self._register(lease, old, new, rest)
        return record

    def _register(self, lease: Lease, old: Frontier | None, new: Frontier, rest: Iterable[sa.Executable]) -> None:
        """Move the frontier without a lake snapshot, with the history row."""
        statements = tuple(rest)

        def work(connection: sa.Connection) -> None:
            check(connection, still_held(lease, self._database.kind), new.lake_snapshot)
            if old is None:
                connection.execute(frontiers.insert_stmt(new))
            else:
                _require_row(connection, frontiers.move_stmt(old, new))
            for statement in statements:
                connection.execute(statement)
            crash_point("frontier-written")

        self._database.transact(work)
        crash_point("frontier-moved")

    # Committed values

    def _next_frontier(self, prepared: Prepared, lake_snapshot: int, layout: StateLayout) -> Frontier:
        old = prepared.frontier
        return Frontier(
            table_id=prepared.table.id,
            snapshot=prepared.snapshot,
            valid_from=prepared.snapshot,
            lake_snapshot=lake_snapshot,
            definition_version=self.version(prepared),
            identity=prepared.identity,
            refreshed_at=self._clock.now(),
            clock_at=prepared.clock_at if prepared.bound.uses_clock else None,
            epoch=old.epoch if old else 1,
            layout=layout,
        )

    def version(self, prepared: Prepared) -> int:
        """The definition's version, incremented if the session settings change."""
        table = prepared.table
        return table.version + (dict(table.session) != session_of(table.session))

    def _bound(self, prepared: Prepared) -> Iterable[sa.Executable]:
        """The statements that store the sources, and the definition if it or its session settings changed."""
        table = replace(prepared.table, sources=sources_of(prepared.bound, prepared.table.sources))
        if self.defined is None and self.version(prepared) == table.version:
            return definitions.sources_stmts(table.id, table.sources)
        new = replace(table, version=self.version(prepared), session=session_of(table.session))
        return definitions.new_version_stmts(new, self._clock.now())


def _require_row(connection: sa.Connection, moved: sa.Executable) -> None:
    """Move the frontier; refuses if another refresh has moved it."""
    check(connection, Guard(lambda _id: moved, "a concurrent refresh committed first"), 0)
