"""One refresh of one table, from its lease to its row in the history.

lease → prepare → (nothing to do | stage → commit data, frontier and history in one transaction) → give the lease back
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed, Guard, check, commit
from headwater.core.clock import Clock, SystemClock
from headwater.core.crash import crash_point
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
from headwater.core.schema import Schema
from headwater.core.semantics import definition_session
from headwater.delta.maintain import Strategy
from headwater.delta.plan import RefreshAction, RefreshPlan
from headwater.lake import operations as op
from headwater.lake.reader import LakeReader
from headwater.lake.values import TableAt, given_columns
from headwater.refresh.carry import Carried, carry
from headwater.refresh.engine import Change, Engine, Staged
from headwater.refresh.first_value import first_value
from headwater.refresh.follow import Following
from headwater.refresh.layout import Layout, full_query, kept, key_order, layout_for, not_incremental
from headwater.refresh.ledger import Ledger
from headwater.refresh.outcome import LEASED, RefreshOutcome
from headwater.refresh.prepare import Held, Idle, Prepared, at_rest, prepare, sources_of
from headwater.refresh.progress import Progress, Watch, computing, written
from headwater.refresh.recover import take_over
from headwater.refresh.shape import comparable, named, reshape, shaped, split
from headwater.refresh.sources import read_before
from headwater.refresh.target import Target, target_of
from headwater.refresh.told import told
from headwater.refresh.vigil import Vigil, still_held
from headwater.registry import definitions, frontiers, history, leases
from headwater.registry import tables as t
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.registry.leases import Lease
from headwater.store.database import Database

# A refresh that another commit overtook is computed again, this many times.
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Refresher:
    """What a refresh needs: the lake's database and data, an engine (made when first needed), a clock, maybe a listener.

    One that takes more seconds than `limit` is ended.
    """

    database: Database
    data_path: str
    engine: Callable[[], Engine]
    clock: Clock = field(default_factory=SystemClock)
    watch: Watch | None = None
    limit: float | None = None
    # The pool of the engine that the tables of a warehouse share.
    pools: Mapping[str, str | None] = field(default_factory=dict)

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
        defined: DynamicTable | None = None,
    ) -> RefreshOutcome:
        """Bring the table to a data snapshot; errors are part of the outcome, and leave the old content.

        `failed` are upstream tables whose own refresh failed just now; `asked` are the requests that this refresh answers,
        by id. After a failure that may pass, it is tried again after each of the `pauses`. `defined` is the next version
        of its definition, which lands with the rows that it gives.
        """
        return _Run(self, table_id, snapshot, clock_at, trigger, failed, asked, defined).carry_out(pauses)


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
        defined: DynamicTable | None,
    ) -> None:
        self._tools = tools
        self._database = tools.database
        self._table_id = table_id
        self._snapshot = snapshot
        self._clock_at = clock_at
        self._upstreams_failed = failed
        # The definition that is to land, until it has.
        self._defined = defined
        self._ledger = Ledger(tools.database, tools.clock, trigger, asked)
        # How the rows became those of a definition that has changed, once they have.
        self._carried: str | None = None

    def carry_out(self, pauses: Sequence[float]) -> RefreshOutcome:
        table = self._table()
        if outcome := self._after_failed(table) or self._without_lease(table):
            return outcome
        lease = take_over(self._database, self._table_id, self._tools.clock.now())
        if lease is None:
            return self._ledger.outcome(table, history.SKIPPED, reason=LEASED)
        self._vigil = Vigil(self._database, lease, self._tools.clock, self._tools.limit)
        try:
            with self._vigil.kept():
                return self._patiently(lease, pauses)
        except LeaseLost as error:
            why = self._vigil.explain(error)
            return self._ledger.overtaken(table, why) if why is error else self._ledger.cancelled(table, why)
        except RefreshCancelled as error:
            return self._ledger.cancelled(table, error)
        except HeadwaterError as error:
            return self._ledger.failed(table, error)
        finally:
            # A lease that can't be given back expires.
            with suppress(StoreError):
                leases.give_back(self._database, lease)

    def _after_failed(self, table: DynamicTable) -> RefreshOutcome | None:
        """A table that comes after one whose refresh failed just now is left as it is."""
        failed = [each.name for each in table.after if each.id in self._upstreams_failed]
        if not failed:
            return None
        return self._ledger.held(table, history.UPSTREAM_FAILED, f"it comes after {failed[0]}, which was not refreshed")

    def _without_lease(self, table: DynamicTable) -> RefreshOutcome | None:
        """Where nothing happened one write suffices; errors are left to the refresh proper."""
        with suppress(HeadwaterError):
            with self._database.read() as connection:
                rest = at_rest(LakeReader(connection, self._tools.data_path), table, self._snapshot)
            if rest is not None:
                return self._idle(rest)
        return None

    def _prepare(self, table: DynamicTable) -> tuple[Prepared | Held | Idle, Target | None]:
        with self._database.read() as connection:
            reader = LakeReader(connection, self._tools.data_path)
            prepared = prepare(reader, table, self._snapshot, self._clock_at)
            return prepared, target_of(reader, table, prepared.base) if isinstance(prepared, Prepared) else None

    def _table(self) -> DynamicTable:
        with self._database.read() as connection:
            table = definitions.find(connection, self._table_id)
            if table is None:
                raise NotFound(f"no dynamic table of id {self._table_id}", hint="It may have been dropped.")
            at = LakeReader(connection, self._tools.data_path)
            found = at.table_by_id(table.id, at.latest().id)
        if self._defined is not None:
            if table.version != self._defined.version - 1:
                raise InvalidRequest(f"the definition of {table.name} was changed meanwhile", hint="Look at it again.")
            table = self._defined
        return definitions.with_name(table, found.name) if found else table

    def _patiently(self, lease: Lease, pauses: Sequence[float]) -> RefreshOutcome:
        for pause in pauses:
            try:
                return self._with_retries(lease)
            except LeaseLost:
                raise
            except (StoreError, EngineError, CommitError, LakeError) as error:
                self._vigil.check()
                self._vigil.rest(pause, error)
        return self._with_retries(lease)

    def _with_retries(self, lease: Lease) -> RefreshOutcome:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._once(lease)
            except (CommitConflict, CommitRejected) as error:
                if attempt == ATTEMPTS or isinstance(error, LeaseLost):
                    raise
        raise AssertionError("unreachable")

    def _once(self, lease: Lease) -> RefreshOutcome:
        table = self._table()
        if outcome := self._ledger.settled(table):
            return outcome
        began = time.perf_counter()
        prepared, target = self._prepare(table)
        self._ledger.profile = {"plan_seconds": round(time.perf_counter() - began, 3)}
        if isinstance(prepared, Held):
            return self._held(table, prepared)
        if isinstance(prepared, Idle):
            leases.give_back(self._database, lease)
            return self._idle(prepared)
        assert target is not None
        if self._carried is None and (found := carry(self._tools.engine, prepared, target)):
            self._carry_over(prepared, found, target.at, lease)
            return self._after_carrying(self._once(lease))
        self._announce(prepared)
        self._ledger.profile["source_files"] = _source_files(prepared)
        if prepared.following is not None and prepared.plan.action is RefreshAction.INCREMENTAL:
            try:
                return self._follow(prepared, prepared.following, target, lease)
            except (EngineLost, EngineOutOfMemory):
                raise
            except (StateBroken, EngineError) as broken:
                if table.statement.properties.refresh_mode == "INCREMENTAL":
                    raise
                prepared = self._begun_anew(prepared, broken)
            except (FileMissing, FileDamaged) as broken:
                if not _is_own(target.at, broken):
                    raise
                prepared = self._begun_anew(prepared, broken)
        return self._compute(prepared, target, lease)

    def _begun_anew(self, prepared: Prepared, broken: HeadwaterError) -> Prepared:
        """The same refresh as one that computes all, for the rows or the state that are there are of no use."""
        reason = f"{prepared.plan.reason}; {broken.message}"
        plan = replace(prepared.plan, action=RefreshAction.REINITIALIZE, reason=reason, strategy=None)
        prepared = replace(prepared, plan=plan, frontier=prepared.frontier and replace(prepared.frontier, layout=None))
        self._announce(prepared)
        return prepared

    def _announce(self, prepared: Prepared) -> None:
        self._ledger.announce(prepared.table, prepared.plan, prepared.snapshot, told(prepared.plan, prepared.bound))

    def _carry_over(self, prepared: Prepared, carried: Carried, at: TableAt, lease: Lease) -> None:
        """Let the rows that are there be those of the definition as it is now: columns, definition and frontier at once."""
        table, old = prepared.table, prepared.frontier
        assert old is not None
        plan = RefreshPlan(RefreshAction.NO_DATA, carried.reason)
        self._ledger.announce(table, plan, old.snapshot)
        operations = tuple(reshape(at, carried.columns))
        outcome = self._ledger.outcome(
            table, history.SUCCEED, action=plan.action, reason=plan.reason, data_snapshot=old.snapshot
        )

        def moved(lake_snapshot: int) -> Frontier:
            return replace(
                old,
                lake_snapshot=lake_snapshot,
                definition_version=self._version(prepared),
                identity=read_before(prepared.identity, old.identity),
                layout=carried.layout.text(),
            )

        def rows(lake_snapshot: int) -> Iterable[sa.Executable]:
            yield from self._bound(prepared)
            yield self._ledger.ended(table, replace(outcome, lake_snapshot=lake_snapshot))

        if operations:
            self._commit(prepared, lease, operations, moved, lambda committed: rows(committed.snapshot_id))
        else:
            self._register(lease, old, moved(old.lake_snapshot), rows(old.lake_snapshot))
        self._carried, self._defined = carried.reason, None
        self._ledger.begin()

    def _after_carrying(self, outcome: RefreshOutcome) -> RefreshOutcome:
        """What came after is told together with how the rows were kept."""
        if outcome.action == RefreshAction.NO_DATA:
            return replace(outcome, reason=self._carried)
        return replace(outcome, reason=f"{self._carried}; {outcome.reason}") if outcome.succeeded else outcome

    def _follow(self, prepared: Prepared, following: Following, target: Target, lease: Lease) -> RefreshOutcome:
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

    def _compute(self, prepared: Prepared, target: Target, lease: Lease) -> RefreshOutcome:
        """Compute the query, and write the rows that are other than those that the table has."""
        engine, table = self._tools.engine(), prepared.table
        at, order = target.at, target.order
        layout = layout_for(
            engine, prepared.bound, prepared.query, self._version(prepared), prepared.base, prepared.layout
        )
        if layout.blocked and table.statement.properties.refresh_mode == "INCREMENTAL":
            raise not_incremental(table.name, layout.blocked)
        query = full_query(prepared.bound, prepared.query, layout)
        columns = named(engine.columns(prepared.query), table.statement)
        found = kept(prepared.bound, prepared.sources, layout)
        if found is not None:
            given = zip(found.root.columns, columns, strict=False)
            columns = tuple(first_value(found.root, name, each, prepared.sources) or each for name, each in given)
        columns = shaped(columns, at.schema, target.free)
        if not order and found:
            order = key_order(found.key, found.root.columns, (*columns, *layout.state))
        partitioning = split(target.writing.partitioning, at, columns)
        writing = replace(target.writing, extra=layout.state, schema=Schema(columns), partitioning=partitioning)
        anew = not (at.files or at.inlined.rows) or not comparable(at.schema, columns)
        staged = Staged()
        if not anew:
            try:
                with self._computing(prepared):
                    staged = engine.difference(query, given_columns(at, Schema(columns)), writing, order)
            except (FileMissing, FileDamaged) as lost:
                if not _is_own(at, lost):
                    raise
                # What the table held can't be read any more, but all of it follows from its sources.
                prepared, anew = self._begun_anew(prepared, lost), True
        if anew:
            with self._computing(prepared):
                staged = engine.write(query, writing, order)
        operations = [*reshape(at, columns)]
        if partitioning and partitioning != target.writing.partitioning:
            operations.append(op.SetPartitioning(table.id, partitioning.fields))
        return self._land(prepared, lease, at, staged, operations, anew=anew, layout=layout)

    @contextmanager
    def _computing(self, prepared: Prepared) -> Iterator[None]:
        engine = self._tools.engine()
        progress = Progress(self._ledger.id, prepared.table.name, prepared.plan.action)
        with (
            self._vigil.over(progress.refresh_id, engine.cancel),
            computing(engine, self._tools.watch, progress, self._ledger.profile, self._pool(prepared.table)),
        ):
            yield

    def _pool(self, table: DynamicTable) -> str | None:
        return self._tools.pools.get(table.warehouse)

    # Ways to end

    def _held(self, table: DynamicTable, held: Held) -> RefreshOutcome:
        state = history.SKIPPED
        if held.upstream in self._upstreams_failed:
            state = history.UPSTREAM_FAILED
        elif held.suspended:
            state = history.UPSTREAM_SUSPENDED
        return self._ledger.held(table, state, held.reason)

    def _idle(self, idle: Idle) -> RefreshOutcome:
        """The content holds for a newer snapshot: one small transaction."""
        outcome = self._ledger.outcome(
            idle.table,
            history.SUCCEED,
            action=RefreshAction.NO_DATA,
            reason=idle.reason,
            data_snapshot=idle.snapshot,
            lake_snapshot=idle.frontier.lake_snapshot,
        )
        row = self._ledger.row(idle.table, outcome)

        def work(connection: sa.Connection) -> str:
            moved = replace(idle.frontier, snapshot=idle.snapshot, refreshed_at=self._tools.clock.now())
            if not idle.continuous:
                moved = replace(moved, valid_from=idle.snapshot)
                for older in frontiers.kept(idle.frontier, idle.snapshot):
                    connection.execute(older)
            advance = frontiers.advanced(idle.frontier, moved, t.now(self._database.kind))
            _still(connection, advance)
            refresh_id = self._ledger.idle(connection, row)
            for statement in self._ledger.well(idle.table, refresh_id):
                connection.execute(statement)
            return refresh_id

        refresh_id = self._database.transact(work)
        crash_point("idle-recorded")
        return replace(outcome, refresh_id=refresh_id, seconds=self._ledger.seconds)

    def _land(
        self,
        prepared: Prepared,
        lease: Lease,
        at: TableAt,
        staged: Staged,
        operations: Sequence[op.Operation] = (),
        *,
        anew: bool = False,
        layout: Layout,
    ) -> RefreshOutcome:
        """Commit what was staged, after operations on the table's columns; `anew` if all rows that it had go."""
        table, computed = prepared.table, time.perf_counter()
        replaced = anew and bool(at.files or at.inlined.rows)
        self._ledger.profile |= {"rows_unchanged": staged.unchanged, **written(staged)}
        if staged.affected_keys is not None:
            self._ledger.profile["affected_keys"] = staged.affected_keys
        change = op.StagedChange(table.id, staged.files, staged.deletes, staged.inlined_deletes, replace=replaced)
        outcome = self._ledger.outcome(
            table,
            history.SUCCEED,
            action=prepared.plan.action,
            strategy=Strategy.RECOMPUTE if staged.recomputed else prepared.plan.strategy,
            reason=prepared.plan.reason,
            rows_inserted=staged.rows_inserted,
            rows_deleted=at.rows if replaced else staged.rows_deleted,
            data_snapshot=prepared.snapshot,
        )
        if change.empty and not operations:
            return self._unchanged(prepared, lease, outcome, layout)

        def rows(committed: Committed) -> Iterable[sa.Executable]:
            landed = replace(outcome, lake_snapshot=committed.snapshot_id, seconds=self._ledger.seconds)
            if prepared.frontier is None:
                yield frontiers.first(self._moved(prepared, committed.snapshot_id, layout))
            else:
                yield from frontiers.kept(prepared.frontier, prepared.snapshot)
            yield from self._bound(prepared)
            yield from self._ledger.well(table)
            self._ledger.profile["commit_seconds"] = round(time.perf_counter() - computed, 3)
            yield self._ledger.ended(table, landed)

        changes = (*operations, *(() if change.empty else (change,)))
        committed = self._commit(prepared, lease, changes, lambda id: self._moved(prepared, id, layout), rows)
        return replace(outcome, lake_snapshot=committed.snapshot_id, seconds=self._ledger.seconds)

    def _commit(
        self,
        prepared: Prepared,
        lease: Lease,
        operations: tuple[op.Operation, ...],
        moved: Callable[[int], Frontier],
        rows: Callable[[Committed], Iterable[sa.Executable]],
    ) -> Committed:
        """Land operations with the frontier that they lead to, unless somebody else came between."""
        table, old = prepared.table, prepared.frontier
        guards = [still_held(lease, self._database.kind)]
        if old is not None:
            guards.append(Guard(lambda id: frontiers.moved(old, moved(id)), "another refresh came between"))
        wanted = Commit(
            prepared.base,
            operations,
            guards=tuple(guards),
            untouched=frozenset({table.id}),
            rows=rows,
            author="headwater",
            message=f"refresh {table.name} to snapshot {prepared.snapshot}",
            token=self._ledger.id,
        )
        return commit(self._database, self._tools.data_path, wanted, self._tools.clock)

    def _unchanged(self, prepared: Prepared, lease: Lease, outcome: RefreshOutcome, layout: Layout) -> RefreshOutcome:
        """The query gives the rows that are there: the frontier moves, and nobody downstream wakes.

        It is a version of its own all the same: at the snapshots in between, the query may have given other rows.
        """
        table, old = prepared.table, prepared.frontier
        known = old is not None and prepared.plan.action is not RefreshAction.REINITIALIZE
        lake_snapshot = old.lake_snapshot if old and known else prepared.base
        outcome = replace(outcome, lake_snapshot=lake_snapshot)
        new = self._moved(prepared, lake_snapshot, layout)

        rest = (
            *(frontiers.kept(old, new.valid_from) if old else ()),
            *self._bound(prepared),
            *self._ledger.well(table),
            self._ledger.ended(table, outcome),
        )
        self._register(lease, old, new, rest)
        return outcome

    def _register(self, lease: Lease, old: Frontier | None, new: Frontier, rest: Iterable[sa.Executable]) -> None:
        """Move the frontier where the lake stays as it is, and write what goes with that."""
        statements = tuple(rest)

        def work(connection: sa.Connection) -> None:
            check(connection, still_held(lease, self._database.kind), new.lake_snapshot)
            if old is None:
                connection.execute(frontiers.first(new))
            else:
                _still(connection, frontiers.moved(old, new))
            for statement in statements:
                connection.execute(statement)
            crash_point("frontier-written")

        self._database.transact(work)
        crash_point("frontier-moved")

    # What lands

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
        """What the definition reads now, and the definition itself where it is another, or its session."""
        table = replace(prepared.table, sources=sources_of(prepared.bound, prepared.table.sources))
        if self._defined is None and self._version(prepared) == table.version:
            return definitions.reads(table.id, table.sources)
        new = replace(table, version=self._version(prepared), session=definition_session())
        return definitions.defined(new, self._tools.clock.now())


def _is_own(at: TableAt, error: HeadwaterError) -> bool:
    """Whether an error is about a file of the table itself."""
    files = (file for each in at.files for file in (each.file, each.deletes) if file)
    return any(file.path in error.message for file in files)


def _source_files(prepared: Prepared) -> int:
    """How many data files its scans may open."""
    following = prepared.following if prepared.plan.action is RefreshAction.INCREMENTAL else None
    scans = (following.sources if following else prepared.sources).values()
    return len({each.file.id for scan in scans for each in scan.files})


def _still(connection: sa.Connection, moved: sa.Executable) -> None:
    """Move a frontier that must be where it was."""
    check(connection, Guard(lambda _id: moved, "another refresh came between"), 0)
