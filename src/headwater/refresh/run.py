"""One refresh of one table, from its lease to its row in the history.

lease → prepare → (nothing to do | stage → commit data, frontier and history in one transaction) → give the lease back
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, Guard, commit
from headwater.core.clock import Clock, SystemClock
from headwater.core.errors import (
    CommitConflict,
    CommitError,
    CommitRejected,
    EngineError,
    HeadwaterError,
    LakeError,
    NotFound,
    StateBroken,
    StoreError,
)
from headwater.core.schema import Column, Schema, SortKey
from headwater.core.semantics import definition_session
from headwater.delta.maintain import Strategy
from headwater.delta.plan import RefreshAction
from headwater.lake import operations as op
from headwater.lake.reader import LakeReader
from headwater.lake.values import TableAt, WriteTarget
from headwater.refresh.engine import Change, Engine, Staged
from headwater.refresh.follow import Following
from headwater.refresh.keepalive import kept_alive
from headwater.refresh.layout import Layout, full_query, kept, key_order, layout_for, not_incremental
from headwater.refresh.outcome import LEASED, RefreshOutcome
from headwater.refresh.prepare import Held, Idle, Prepared, at_rest, prepare, sources_of, target_order
from headwater.refresh.progress import Progress, Watch, computing
from headwater.refresh.shape import named, reshape, shaped
from headwater.registry import definitions, frontiers, history, leases, requests
from headwater.registry import tables as t
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.registry.history import Refresh
from headwater.registry.leases import Lease
from headwater.store.database import Database

# A refresh that another commit overtook is computed again, this many times.
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Refresher:
    """What a refresh needs: the lake's database and data, an engine (made when first needed), a clock, maybe a listener."""

    database: Database
    data_path: str
    engine: Callable[[], Engine]
    clock: Clock = field(default_factory=SystemClock)
    watch: Watch | None = None

    def refresh(
        self,
        table_id: int,
        snapshot: int,
        clock_at: datetime,
        trigger: str,
        *,
        failed: frozenset[int] = frozenset(),
        asked: frozenset[str] = frozenset(),
        pauses: Sequence[float] = (),
    ) -> RefreshOutcome:
        """Bring the table to a data snapshot; errors are part of the outcome, and leave the old content.

        `failed` are upstream tables whose own refresh failed just now; `asked` are the requests that this refresh answers,
        by id. After a failure that may pass, it is tried again after each of the `pauses`.
        """
        return _Run(self, table_id, snapshot, clock_at, trigger, failed, asked).carry_out(pauses)


class _Run:
    def __init__(
        self,
        tools: Refresher,
        table_id: int,
        snapshot: int,
        clock_at: datetime,
        trigger: str,
        failed: frozenset[int],
        asked: frozenset[str],
    ) -> None:
        self._tools = tools
        self._database = tools.database
        self._table_id = table_id
        self._snapshot = snapshot
        self._clock_at = clock_at
        self._trigger = trigger
        self._upstreams_failed = failed
        self._asked = asked
        self._id = str(uuid.uuid4())
        self._started_at = tools.clock.now()
        self._began = time.perf_counter()
        self._announced = False
        self._profile: dict[str, float] = {}

    def carry_out(self, pauses: Sequence[float]) -> RefreshOutcome:
        table = self._table()
        if outcome := self._without_lease(table):
            return outcome
        lease = leases.take(self._database, self._table_id)
        if lease is None:
            return self._outcome(table, history.SKIPPED, reason=LEASED)
        try:
            with kept_alive(self._database, lease):
                return self._patiently(lease, pauses)
        except HeadwaterError as error:
            return self._failed(table, error)
        finally:
            # A lease that can't be given back expires.
            with suppress(StoreError):
                leases.give_back(self._database, lease)

    def _without_lease(self, table: DynamicTable) -> RefreshOutcome | None:
        """Where nothing happened one write suffices; errors are left to the refresh proper."""
        with suppress(HeadwaterError):
            with self._database.read() as connection:
                rest = at_rest(LakeReader(connection, self._tools.data_path), table, self._snapshot)
            if rest is not None:
                return self._idle(rest)
        return None

    def _prepare(self, table: DynamicTable) -> tuple[Prepared | Held | Idle, _Target | None]:
        with self._database.read() as connection:
            reader = LakeReader(connection, self._tools.data_path)
            prepared = prepare(reader, table, self._snapshot, self._clock_at)
            return prepared, _target(reader, prepared) if isinstance(prepared, Prepared) else None

    def _table(self) -> DynamicTable:
        with self._database.read() as connection:
            table = definitions.find(connection, self._table_id)
            if table is None:
                raise NotFound(f"no dynamic table of id {self._table_id}", hint="It may have been dropped.")
            at = LakeReader(connection, self._tools.data_path)
            found = at.table_by_id(table.id, at.latest().id)
            return definitions.with_name(table, found.name) if found else table

    def _patiently(self, lease: Lease, pauses: Sequence[float]) -> RefreshOutcome:
        for pause in pauses:
            try:
                return self._with_retries(lease)
            except (StoreError, EngineError, CommitError, LakeError):
                self._tools.clock.sleep(pause)
        return self._with_retries(lease)

    def _with_retries(self, lease: Lease) -> RefreshOutcome:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._once(lease)
            except (CommitConflict, CommitRejected):
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError("unreachable")

    def _once(self, lease: Lease) -> RefreshOutcome:
        table = self._table()
        began = time.perf_counter()
        prepared, target = self._prepare(table)
        self._profile = {"plan_seconds": round(time.perf_counter() - began, 3)}
        if isinstance(prepared, Held):
            return self._held(table, prepared)
        if isinstance(prepared, Idle):
            leases.give_back(self._database, lease)
            return self._idle(prepared)
        assert target is not None
        self._announce(prepared)
        if prepared.following is not None and prepared.plan.action is RefreshAction.INCREMENTAL:
            try:
                return self._follow(prepared, prepared.following, target, lease)
            except (StateBroken, EngineError) as broken:
                if table.statement.properties.refresh_mode == "INCREMENTAL":
                    raise
                reason = f"{prepared.plan.reason}; {broken.message}"
                plan = replace(prepared.plan, action=RefreshAction.REINITIALIZE, reason=reason, strategy=None)
                prepared = replace(
                    prepared, plan=plan, frontier=prepared.frontier and replace(prepared.frontier, layout=None)
                )
        return self._compute(prepared, target, lease)

    def _follow(self, prepared: Prepared, following: Following, target: _Target, lease: Lease) -> RefreshOutcome:
        """Change what the sources' changes change."""
        layout = prepared.layout
        assert layout is not None
        change = Change(
            following.way.changes,
            following.names,
            layout.mark,
            following.sources,
            dict(prepared.table.session),
            prepared.clock_at,
            prepared.frontier.clock_at if prepared.frontier else None,
            following.reach,
        )
        writing = replace(target.writing, extra=layout.state)
        order = target.order or key_order(following.key, following.names, (*target.at.schema, *layout.state))
        with self._computing(prepared):
            staged = self._tools.engine().change(change, target.at, writing, order)
        return self._land(prepared, lease, target.at, staged, layout=layout)

    def _compute(self, prepared: Prepared, target: _Target, lease: Lease) -> RefreshOutcome:
        """Compute the query, and write the rows that are other than those that the table has."""
        engine, table = self._tools.engine(), prepared.table
        at, order = target.at, target.order
        columns = shaped(named(engine.columns(prepared.query), table.statement), at.schema, target.free)
        reshaped = columns != at.schema.columns
        layout = layout_for(
            engine, prepared.bound, prepared.query, self._version(prepared), prepared.base, prepared.layout
        )
        if layout.blocked and table.statement.properties.refresh_mode == "INCREMENTAL":
            raise not_incremental(table.name, layout.blocked)
        query = full_query(prepared.bound, prepared.query, layout)
        if not order and (found := kept(prepared.bound, prepared.sources, layout)):
            order = key_order(found.key, found.root.columns, (*columns, *layout.state))
        writing = replace(target.writing, extra=layout.state, schema=Schema(columns))
        with self._computing(prepared):
            if reshaped or not (at.files or at.inlined.rows):
                staged = engine.write(query, writing, order)
            else:
                staged = engine.difference(query, at, writing, order)
        return self._land(prepared, lease, at, staged, columns if reshaped else None, layout=layout)

    def _computing(self, prepared: Prepared) -> AbstractContextManager[None]:
        progress = Progress(self._id, prepared.table.name, prepared.plan.action)
        return computing(self._tools.engine(), self._tools.watch, progress, self._profile)

    # Ways to end

    def _held(self, table: DynamicTable, held: Held) -> RefreshOutcome:
        state = history.SKIPPED
        if held.upstream in self._upstreams_failed:
            state = history.UPSTREAM_FAILED
        elif held.suspended:
            state = history.UPSTREAM_SUSPENDED
        outcome = self._outcome(table, state, reason=held.reason)
        self._write([history.begun(self._row(table, outcome)), *self._answered(self._id)])
        return outcome

    def _idle(self, idle: Idle) -> RefreshOutcome:
        """The content holds for a newer snapshot: one small transaction."""
        outcome = self._outcome(
            idle.table,
            history.SUCCEED,
            action=RefreshAction.NO_DATA,
            reason=idle.reason,
            data_snapshot=idle.snapshot,
            lake_snapshot=idle.frontier.lake_snapshot,
        )
        row = self._row(idle.table, outcome)

        def work(connection: sa.Connection) -> str:
            moved = replace(idle.frontier, snapshot=idle.snapshot, refreshed_at=self._tools.clock.now())
            if not idle.continuous:
                moved = replace(moved, valid_from=idle.snapshot)
                for older in frontiers.kept(idle.frontier, idle.snapshot):
                    connection.execute(older)
            advance = frontiers.advanced(idle.frontier, moved, t.now(self._database.kind))
            _guarded(connection, advance, "another refresh came between")
            refresh_id = history.record_idle(connection, row)
            for statement in self._well(idle.table, refresh_id):
                connection.execute(statement)
            return refresh_id

        return replace(outcome, refresh_id=self._database.transact(work), seconds=self._seconds())

    def _land(
        self,
        prepared: Prepared,
        lease: Lease,
        at: TableAt,
        staged: Staged,
        columns: tuple[Column, ...] | None = None,
        *,
        layout: Layout,
    ) -> RefreshOutcome:
        table, kind = prepared.table, self._database.kind
        replaced = columns is not None
        self._profile["rows_unchanged"] = staged.unchanged
        change = op.StagedChange(table.id, staged.files, staged.deletes, staged.inlined_deletes, replace=replaced)
        outcome = self._outcome(
            table,
            history.SUCCEED,
            action=prepared.plan.action,
            strategy=Strategy.RECOMPUTE if staged.recomputed else prepared.plan.strategy,
            reason=prepared.plan.reason,
            rows_inserted=staged.rows_inserted,
            rows_deleted=at.rows if replaced else staged.rows_deleted,
            data_snapshot=prepared.snapshot,
        )
        if change.empty:
            return self._unchanged(prepared, lease, outcome, layout)
        operations: list[op.Operation] = [*reshape(at, columns)] if columns is not None else []
        guards = [Guard(lambda _id: leases.held(lease, kind), "the lease of this refresh is another's now")]
        if prepared.frontier is not None:
            old = prepared.frontier
            guards.append(
                Guard(
                    lambda id: frontiers.moved(old, self._moved(prepared, id, layout)), "another refresh came between"
                )
            )

        def rows(committed: Committed) -> Iterable[sa.Executable]:
            landed = replace(outcome, lake_snapshot=committed.snapshot_id, seconds=self._seconds())
            if prepared.frontier is None:
                yield frontiers.first(self._moved(prepared, committed.snapshot_id, layout))
            else:
                yield from frontiers.kept(prepared.frontier, prepared.snapshot)
            yield from self._bound(prepared)
            yield from self._well(table)
            yield history.ended(self._row(table, landed))

        committed = commit(
            self._database,
            self._tools.data_path,
            Commit(
                prepared.base,
                (*operations, change),
                guards=tuple(guards),
                untouched=frozenset({table.id}),
                rows=rows,
                author="headwater",
                message=f"refresh {table.name} to snapshot {prepared.snapshot}",
                token=self._id,
            ),
            self._tools.clock,
        )
        return replace(outcome, lake_snapshot=committed.snapshot_id, seconds=self._seconds())

    def _unchanged(self, prepared: Prepared, lease: Lease, outcome: RefreshOutcome, layout: Layout) -> RefreshOutcome:
        """The query gives the rows that are there: the frontier moves, and nobody downstream wakes.

        It is a version of its own all the same: at the snapshots in between, the query may have given other rows.
        """
        table, old = prepared.table, prepared.frontier
        known = old is not None and prepared.plan.action is not RefreshAction.REINITIALIZE
        lake_snapshot = old.lake_snapshot if old and known else prepared.base
        outcome = replace(outcome, lake_snapshot=lake_snapshot)
        new = self._moved(prepared, lake_snapshot, layout)

        def work(connection: sa.Connection) -> None:
            _guarded(connection, leases.held(lease, self._database.kind), "the lease of this refresh is another's now")
            if old is None:
                connection.execute(frontiers.first(new))
            else:
                _guarded(connection, frontiers.moved(old, new), "another refresh came between")
            for statement in (
                *(frontiers.kept(old, new.valid_from) if old else ()),
                *self._bound(prepared),
                *self._well(table),
                history.ended(self._row(table, outcome)),
            ):
                connection.execute(statement)

        self._database.transact(work)
        return outcome

    def _failed(self, table: DynamicTable, error: HeadwaterError) -> RefreshOutcome:
        """Say so in the history, unless the commit landed after all: then its row, in the same transaction, says that."""
        outcome = self._outcome(table, history.FAILED, error=error)
        row = self._row(table, outcome)
        ended = history.gave_up(row) if self._announced else history.begun(row)
        with suppress(StoreError):
            self._write([ended, *self._answered(self._id)])
            with self._database.read() as connection:
                found = history.find(connection, self._id)
            if found and found.state == history.SUCCEED:
                return replace(
                    outcome,
                    state=found.state,
                    action=found.action,
                    reason=found.reason,
                    rows_inserted=found.rows_inserted or 0,
                    rows_deleted=found.rows_deleted or 0,
                    data_snapshot=found.data_snapshot,
                    lake_snapshot=found.lake_snapshot,
                    error=None,
                )
        return outcome

    # Rows

    def _announce(self, prepared: Prepared) -> None:
        """Show that the refresh runs; what a dead worker left running is closed, for the lease is ours."""
        running = self._outcome(
            prepared.table, history.RUNNING, action=prepared.plan.action, reason=prepared.plan.reason
        )
        row = replace(self._row(prepared.table, running), ended_at=None)
        if not self._announced:
            self._write([history.interrupted(self._table_id, self._tools.clock.now()), history.begun(row)])
        self._announced = True

    def _moved(self, prepared: Prepared, lake_snapshot: int, layout: Layout) -> Frontier:
        old = prepared.frontier
        return Frontier(
            table_id=prepared.table.id,
            snapshot=prepared.snapshot,
            valid_from=prepared.snapshot,
            lake_snapshot=lake_snapshot,
            definition_version=self._version(prepared),
            identity=prepared.identity,
            refreshed_at=self._tools.clock.now(),
            clock_at=prepared.clock_at if prepared.bound.uses_clock else None,
            epoch=old.epoch if old else 1,
            layout=layout.text(),
        )

    def _version(self, prepared: Prepared) -> int:
        """The definition's version, one more if it gets a new session."""
        table = prepared.table
        return table.version + (dict(table.session) != definition_session())

    def _bound(self, prepared: Prepared) -> Iterable[sa.Executable]:
        """What the definition reads now, and the session that it ran in where that is another."""
        table = replace(prepared.table, sources=sources_of(prepared.bound, prepared.table.sources))
        if self._version(prepared) == table.version:
            return definitions.reads(table.id, table.sources)
        new = replace(table, version=self._version(prepared), session=definition_session())
        return definitions.defined(new, self._tools.clock.now())

    def _well(self, table: DynamicTable, refresh_id: str | None = None) -> Iterable[sa.Executable]:
        """What goes with every refresh that succeeded."""
        if table.failures or table.retry_at:
            yield definitions.failed(table.id, 0, None)
        yield from self._answered(refresh_id or self._id)

    def _answered(self, refresh_id: str) -> Iterable[sa.Executable]:
        """Close the requests for the sake of which it ran, if any."""
        if self._asked:
            yield requests.served(self._asked, self._tools.clock.now(), refresh_id)

    def _row(self, table: DynamicTable, outcome: RefreshOutcome) -> Refresh:
        return Refresh(
            id=self._id,
            table_id=table.id,
            name=table.name,
            warehouse=table.warehouse,
            state=outcome.state,
            trigger=self._trigger,
            started_at=self._started_at,
            ended_at=self._tools.clock.now(),
            action=outcome.action,
            strategy=outcome.strategy,
            reason=outcome.reason,
            error=str(outcome.error) if outcome.error else None,
            suspended_reason=table.suspension.reason if table.suspension else None,
            sources=tuple(source.name for source in table.sources),
            rows_inserted=outcome.rows_inserted,
            rows_deleted=outcome.rows_deleted,
            data_snapshot=outcome.data_snapshot,
            lake_snapshot=outcome.lake_snapshot,
            profile=self._profile,
        )

    def _outcome(self, table: DynamicTable, state: str, **rest: object) -> RefreshOutcome:
        return RefreshOutcome(
            table.id,
            table.name,
            state,
            refresh_id=self._id,
            seconds=self._seconds(),
            **rest,  # type: ignore[arg-type]
        )

    def _seconds(self) -> float:
        return time.perf_counter() - self._began

    def _write(self, statements: Iterable[sa.Executable]) -> None:
        def work(connection: sa.Connection) -> None:
            for statement in statements:
                connection.execute(statement)

        self._database.transact(work)


@dataclass(frozen=True, slots=True)
class _Target:
    """The table that a refresh writes: its rows now, how its files are written, and the next free field id."""

    at: TableAt
    writing: WriteTarget
    order: tuple[SortKey, ...]
    free: int


def _target(reader: LakeReader, prepared: Prepared) -> _Target:
    table = reader.table_by_id(prepared.table.id, prepared.base)
    if table is None:
        raise NotFound(f"the table of {prepared.table.name} is gone", hint="Drop the dynamic table, or restore it.")
    at = reader.table_at(table, prepared.base)
    writing = reader.write_target(table, prepared.base)
    return _Target(at, writing, target_order(reader, at), reader.next_field_id(table))


def _guarded(connection: sa.Connection, statement: sa.Executable, broken: str) -> None:
    if connection.execute(statement).rowcount != 1:
        raise CommitRejected(broken, hint="Look at the newest state and try again.")
