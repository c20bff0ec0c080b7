"""One refresh of one table, from its lease to its row in the history.

lease → prepare → (nothing to do | stage → commit data, frontier and history in one transaction) → release the lease
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime

from headwater.core.errors import (
    CommitConflict,
    CommitError,
    CommitRejected,
    EngineError,
    EngineLost,
    EngineOutOfMemory,
    FileDamaged,
    FileMissing,
    HeadwaterError,
    InvalidRequest,
    LakeError,
    LeaseLost,
    NotFound,
    RefreshCancelled,
    StateBroken,
    StoreError,
)
from headwater.core.refresh_record import (
    RefreshAction,
    RefreshMode,
    RefreshRecord,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
)
from headwater.core.schema import Schema
from headwater.core.skip_reason import SkipReason
from headwater.delta.display_sql import display_sql
from headwater.lake import operations as op
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.lake.values import TableAt, with_columns
from headwater.refresh.backfill_default import backfill_default
from headwater.refresh.commit_refresh import RefreshCommit
from headwater.refresh.compute import Compute
from headwater.refresh.definition_errors import locate, quote_definition
from headwater.refresh.engine import Change, Engine, Staged
from headwater.refresh.incremental import IncrementalRefresh
from headwater.refresh.keep_rows import keep_rows
from headwater.refresh.layout import full_query, key_order, layout_for, not_incremental, stored_plan
from headwater.refresh.lease_watch import leased
from headwater.refresh.prepare import NothingToDo, Prepared, prepare, unchanged_by_catalog
from headwater.refresh.progress import Progress, Watch, computing
from headwater.refresh.recover import take_over
from headwater.refresh.refresh_log import RefreshLog
from headwater.refresh.source_versions import UpstreamBehind
from headwater.refresh.target import Target, target_of
from headwater.refresh.target_columns import comparable, named, reshape, shaped, split
from headwater.registry import definitions, leases
from headwater.registry.definitions import DynamicTable
from headwater.registry.leases import Lease

# The number of attempts after commit conflicts.
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Refresher:
    """Refreshes tables of a lake."""

    site: Site
    compute: Compute

    def watched_by(self, watch: Watch) -> Refresher:
        """The same with one more subscriber."""
        return replace(self, compute=self.compute.watched_by(watch))

    def refresh(
        self,
        table_id: int,
        snapshot: int,
        clock_at: datetime,
        trigger: RefreshTrigger,
        *,
        failed: frozenset[int] = frozenset(),
        asked: frozenset[str] = frozenset(),
        pauses: Sequence[float] = (),
        defined: DynamicTable | None = None,
        completion_target: datetime | None = None,
    ) -> RefreshRecord:
        """Refresh the table to a data snapshot; an error is part of the record, and the table keeps its contents.

        `failed` are the upstream tables whose refresh just failed, `asked` the ids of the requests that this refresh answers.
        Transient failures are retried after each of the `pauses`. `defined` is the next version of the definition, which is
        committed with its rows. The history shows `completion_target`, the time by which the lag asks for the end.
        """
        log = RefreshLog(self.site, trigger, asked, completion_target=completion_target)
        return _RefreshRun(self, table_id, snapshot, clock_at, log, failed, defined).run(pauses)


class _RefreshRun:
    def __init__(
        self,
        tools: Refresher,
        table_id: int,
        snapshot: int,
        clock_at: datetime,
        log: RefreshLog,
        failed: frozenset[int],
        defined: DynamicTable | None,
    ) -> None:
        self._site = tools.site
        self._compute = tools.compute
        self._database = tools.site.database
        self._table_id = table_id
        self._snapshot = snapshot
        self._clock_at = clock_at
        self._upstreams_failed = failed
        self._log = log
        self._commit = RefreshCommit(tools.site, self._log, defined)
        # How the rows were kept under a changed definition.
        self._kept: str | None = None

    def run(self, pauses: Sequence[float]) -> RefreshRecord:
        table, rest = self._look()
        if outcome := self._after_failed(table) or (rest and self._without_lease(rest)):
            return outcome
        lease = take_over(self._database, self._table_id, self._site.clock.now())
        if lease is None:
            return self._log.record(table, RefreshState.SKIPPED, reason=SkipReason.LEASED)
        cancellation = self._compute.cancellation
        try:
            with (
                leased(self._site, lease, self._compute.timeout, cancellation) as self._lease_watch,
                cancellation.calling(lambda: self._log.interrupted(table)),
            ):
                return self._under_lease(table, lease, pauses)
        except RefreshCancelled as error:
            return self._log.cancelled(table, error)

    def _under_lease(self, table: DynamicTable, lease: Lease, pauses: Sequence[float]) -> RefreshRecord:
        try:
            return self._with_backoff(lease, pauses)
        except LeaseLost as error:
            why = self._lease_watch.lease_error(error)
            return self._log.lease_lost(table, why) if why is error else self._log.cancelled(table, why)
        except RefreshCancelled:
            raise
        except HeadwaterError as error:
            return self._log.failed(table, self._located(table, error))

    def _located(self, table: DynamicTable, error: HeadwaterError) -> HeadwaterError:
        """The error with its line of the definition; a new definition is in the user's text."""
        located = locate(self._site, self._commit.defined or table, error)
        if self._commit.defined is None:
            quote_definition(located, table)
        return located

    def _after_failed(self, table: DynamicTable) -> RefreshRecord | None:
        """Skip a table whose upstream refresh just failed."""
        failed = [each.name for each in table.after if each.id in self._upstreams_failed]
        if not failed:
            return None
        return self._log.skipped(
            table, RefreshState.UPSTREAM_FAILED, f"it is refreshed after {failed[0]}, whose refresh failed"
        )

    def _look(self) -> tuple[DynamicTable, NothingToDo | None]:
        """The table, and whether the catalog shows that nothing changed; the normal refresh handles errors."""
        with self._site.reader() as reader:
            table = self._table(reader)
            with suppress(HeadwaterError):
                return table, unchanged_by_catalog(reader, table, self._snapshot)
        return table, None

    def _without_lease(self, rest: NothingToDo) -> RefreshRecord | None:
        """Record that nothing changed with one write."""
        with suppress(HeadwaterError):
            return self._commit.extend_version(rest)
        return None

    def _table(self, reader: LakeReader) -> DynamicTable:
        table = definitions.find(reader.connection, self._table_id)
        if table is None:
            raise NotFound(f"dynamic table with id {self._table_id} does not exist", hint="It may have been dropped.")
        found = reader.table_by_id(table.id, reader.latest().id)
        if self._commit.defined is not None:
            if table.version != self._commit.defined.version - 1:
                raise InvalidRequest(
                    f"the definition of {table.name} was changed concurrently",
                    hint="Check the new definition and repeat the statement.",
                )
            table = self._commit.defined
        return definitions.with_name(table, found.name) if found else table

    def _with_backoff(self, lease: Lease, pauses: Sequence[float]) -> RefreshRecord:
        for pause in pauses:
            try:
                return self._with_retries(lease)
            except LeaseLost:
                raise
            except (StoreError, EngineError, CommitError, LakeError) as error:
                self._lease_watch.check()
                self._lease_watch.pause(pause, error)
        return self._with_retries(lease)

    def _with_retries(self, lease: Lease) -> RefreshRecord:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._attempt(lease)
            except (CommitConflict, CommitRejected) as error:
                if attempt == ATTEMPTS or isinstance(error, LeaseLost):
                    raise
        raise AssertionError("unreachable")

    def _attempt(self, lease: Lease) -> RefreshRecord:
        began = time.perf_counter()
        with self._site.reader() as reader:
            table = self._table(reader)
            if outcome := self._log.find_committed(reader.connection, table):
                return outcome
            prepared = prepare(reader, table, self._snapshot, self._clock_at)
            target = target_of(reader, table, prepared.base) if isinstance(prepared, Prepared) else None
        self._log.stats = RefreshStats(plan_seconds=round(time.perf_counter() - began, 3))
        if isinstance(prepared, UpstreamBehind):
            return self._held(table, prepared)
        if isinstance(prepared, NothingToDo):
            leases.give_back(self._database, lease)
            return self._commit.extend_version(prepared)
        assert target is not None
        self._announce(prepared)
        if self._kept is None and (found := keep_rows(self._engine, prepared, target)):
            self._commit.commit_kept_rows(prepared, found, target.at, lease)
            self._kept = found.reason
            return self._with_kept_reason(self._attempt(lease))
        self._log.measure(source_files=_source_files(prepared))
        if prepared.incremental is not None and prepared.plan.action is RefreshAction.INCREMENTAL:
            try:
                return self._apply_changes(prepared, prepared.incremental, target, lease)
            except (EngineLost, EngineOutOfMemory):
                raise
            except (StateBroken, EngineError) as broken:
                if table.refresh_mode is RefreshMode.INCREMENTAL:
                    raise
                prepared = self._as_reinitialize(prepared, broken)
            except (FileMissing, FileDamaged) as broken:
                if not _is_own(target.at, broken):
                    raise
                prepared = self._as_reinitialize(prepared, broken)
        return self._recompute(prepared, target, lease)

    def _as_reinitialize(self, prepared: Prepared, broken: HeadwaterError) -> Prepared:
        """The same refresh as a full one, because the stored rows or their state can't be used."""
        reason = f"{prepared.plan.reason}; {broken.message}"
        plan = replace(prepared.plan, action=RefreshAction.REINITIALIZE, reason=reason, strategy=None)
        prepared = replace(prepared, plan=plan, frontier=prepared.frontier and replace(prepared.frontier, layout=None))
        self._announce(prepared)
        return prepared

    def _announce(self, prepared: Prepared) -> None:
        self._log.announce(prepared.table, prepared.plan, prepared.snapshot, display_sql(prepared.plan, prepared.bound))

    def _with_kept_reason(self, outcome: RefreshRecord) -> RefreshRecord:
        """The record whose reason begins with how the rows were kept."""
        if outcome.action is RefreshAction.NO_DATA:
            return replace(outcome, reason=self._kept)
        return replace(outcome, reason=f"{self._kept}; {outcome.reason}") if outcome.succeeded else outcome

    def _apply_changes(
        self, prepared: Prepared, incremental: IncrementalRefresh, target: Target, lease: Lease
    ) -> RefreshRecord:
        """Apply the sources' changes."""
        layout = prepared.layout
        assert layout is not None
        change = Change(
            incremental.option.changes,
            incremental.names,
            layout.mark,
            incremental.sources,
            dict(prepared.table.session),
            prepared.clock_at,
            prepared.frontier.clock_at if prepared.frontier else None,
            incremental.reach,
        )
        writing = replace(target.writing, extra=layout.state)
        order = target.order or key_order(incremental.key, incremental.names, (*target.at.schema, *layout.state))
        with self._computing(prepared):
            staged = self._engine().change(change, target.at, writing, order)
        return self._commit.commit(prepared, lease, target.at, staged, layout=layout)

    def _recompute(self, prepared: Prepared, target: Target, lease: Lease) -> RefreshRecord:
        """Run the query, and write the rows that differ from the table's."""
        engine, table = self._engine(), prepared.table
        at, order = target.at, target.order
        layout = layout_for(
            engine, prepared.bound, prepared.query, self._commit.version(prepared), prepared.base, prepared.layout
        )
        if layout.blocked and table.refresh_mode is RefreshMode.INCREMENTAL:
            raise not_incremental(table.name, layout.blocked)
        query = full_query(prepared.bound, prepared.query, layout)
        columns = named(engine.columns(prepared.query), table.statement)
        found = stored_plan(prepared.bound, prepared.sources, layout)
        if found is not None:
            given = zip(found.root.columns, columns, strict=False)
            columns = tuple(backfill_default(found.root, name, each, prepared.sources) or each for name, each in given)
        columns = shaped(columns, at.schema, target.free)
        if not order and found:
            order = key_order(found.key, found.root.columns, (*columns, *layout.state))
        partitioning = split(target.writing.partitioning, at, columns)
        writing = replace(target.writing, extra=layout.state, schema=Schema(columns), partitioning=partitioning)
        rewrite_all = not (at.files or at.inlined.rows) or not comparable(at.schema, columns)
        staged = Staged()
        if not rewrite_all:
            try:
                with self._computing(prepared):
                    staged = engine.difference(query, with_columns(at, Schema(columns)), writing, order)
            except (FileMissing, FileDamaged) as lost:
                if not _is_own(at, lost):
                    raise
                # The stored rows can't be read, but can be recomputed from the sources.
                prepared, rewrite_all = self._as_reinitialize(prepared, lost), True
        if rewrite_all:
            with self._computing(prepared):
                staged = engine.write(query, writing, order)
        operations = [*reshape(at, columns)]
        if partitioning and partitioning != target.writing.partitioning:
            operations.append(op.SetPartitioningOp(table.id, partitioning.fields))
        return self._commit.commit(prepared, lease, at, staged, operations, rewrite_all=rewrite_all, layout=layout)

    @contextmanager
    def _computing(self, prepared: Prepared) -> Iterator[None]:
        engine = self._engine()
        progress = Progress(self._log.id, prepared.table.name, prepared.plan.action)
        with (
            self._lease_watch.cancel_on_loss(progress.refresh_id, engine.cancel),
            computing(engine, self._compute.watch, progress, self._log, self._pool(prepared.table)),
        ):
            yield

    def _engine(self) -> Engine:
        if not self._compute.is_started():
            self._log.enter(RefreshState.RESUMING_CLUSTER)
        return self._compute.engine()

    def _pool(self, table: DynamicTable) -> str:
        """The pool of the table's warehouse, by default one for the table."""
        return self._compute.pool(table.warehouse) or f"table-{table.id}"

    def _held(self, table: DynamicTable, held: UpstreamBehind) -> RefreshRecord:
        state = RefreshState.SKIPPED
        if held.upstream in self._upstreams_failed:
            state = RefreshState.UPSTREAM_FAILED
        elif held.suspended:
            state = RefreshState.UPSTREAM_SUSPENDED
        return self._log.skipped(table, state, held.reason)


def _is_own(at: TableAt, error: FileMissing | FileDamaged) -> bool:
    """Whether an error is about a file of the table itself."""
    return any(file.path == error.path for each in at.files for file in (each.file, each.deletes) if file)


def _source_files(prepared: Prepared) -> int:
    """The number of data files that the scans may open."""
    incremental = prepared.incremental if prepared.plan.action is RefreshAction.INCREMENTAL else None
    scans = (incremental.sources if incremental else prepared.sources).values()
    return len({each.file.id for scan in scans for each in scan.files})
