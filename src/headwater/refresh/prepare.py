"""Plan one refresh: its data snapshot, what it does, and what the engine needs for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf

from headwater.core.errors import HeadwaterError, NotFound, RangeGone, SnapshotMissing, TableReplaced
from headwater.core.refresh_record import RefreshAction, RefreshMode, RefreshRecord
from headwater.core.semantics import session_of
from headwater.delta.refresh_plan import (
    THRESHOLD,
    NotIncremental,
    RefreshFacts,
    RefreshPlan,
    RefreshTimings,
    choose,
)
from headwater.delta.state_layout import StateLayout
from headwater.lake.reader import LakeReader
from headwater.lake.touches import load_touches
from headwater.lake.values import TableAt
from headwater.refresh.bind_definition import (
    Names,
    bind_definition,
    source_identity,
)
from headwater.refresh.definition_names import definition_names
from headwater.refresh.engine import Query
from headwater.refresh.foreign_write import foreign_write, last_own_snapshot
from headwater.refresh.incremental import (
    ExpectedRefresh,
    IncrementalRefresh,
    NoNetChange,
    plan_incremental_refresh,
)
from headwater.refresh.source_versions import (
    SourceVersions,
    UpstreamBehind,
    common_snapshot,
    histories_of,
    versions_then,
)
from headwater.registry import definitions, frontiers, history
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier, TableVersion
from headwater.registry.source_identity import SourceIdentity
from headwater.sql.bind import BoundQuery

# The number of refreshes whose durations are read from the history.
_REMEMBERED = 30


@dataclass(frozen=True, slots=True)
class NothingToDo:
    """A refresh without changes: the stored rows are also those of this data snapshot.

    `continuous` means that they are those of all snapshots since the last refresh; a source may have changed and changed back.
    """

    table: DynamicTable
    frontier: Frontier
    snapshot: int
    reason: str
    continuous: bool = True


@dataclass(frozen=True, slots=True)
class PreviousDefinition:
    """The definition by which the stored rows were computed, and its sources at that time."""

    bound: BoundQuery
    sources: Mapping[str, TableAt]
    # The field ids of all columns that the sources had, by table.
    fields: Mapping[int, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A refresh, ready to run. `base` is the snapshot of the lake that was read, `snapshot` the data snapshot."""

    table: DynamicTable
    base: int
    snapshot: int
    clock_at: datetime
    plan: RefreshPlan
    bound: BoundQuery
    sources: Mapping[str, TableAt]
    identity: SourceIdentity
    frontier: Frontier | None
    incremental: IncrementalRefresh | None = None
    # Set if only the meaning of the definition or of its sources has changed.
    previous: PreviousDefinition | None = None
    # The first snapshot at which another client changed the table, or may have: its commits have been expired.
    foreign_write: int | None = None

    @property
    def query(self) -> Query:
        return Query(self.bound.sql, self.sources, session_of(self.table.session), self.clock_at)

    @property
    def layout(self) -> StateLayout | None:
        """The state layout of the table's files."""
        return self.frontier.layout if self.frontier else None


def prepare(
    reader: LakeReader,
    table: DynamicTable,
    wanted: int,
    clock_at: datetime,
    expected: Mapping[int, ExpectedRefresh] = {},
) -> Prepared | UpstreamBehind | NothingToDo:
    """Plan the refresh of a table to the snapshot `wanted`, or as near to it as its upstreams allow.

    `expected` are refreshes of its upstreams that come first and have not run; EXPLAIN plans as if they had.
    """
    expected = {source.id: expected[source.id] for source in table.sources if source.id in expected}
    if not expected and (rest := unchanged_by_catalog(reader, table, wanted)):
        return rest
    base = reader.latest().id
    frontier = frontiers.find(reader.connection, table.id)
    if frontier:
        # A concurrent refresh may have moved the frontier further; it never moves back.
        wanted = max(wanted, frontier.snapshot)
    names = definition_names(reader, table, frontier)
    bound = bind_definition(table, reader, wanted, names=names)
    histories = _after(histories_of(reader, bound), expected, wanted)
    snapshot = common_snapshot(histories, wanted)
    if isinstance(snapshot, UpstreamBehind):
        return _upstream_behind(reader, snapshot.upstream, base, "has no version for this snapshot")
    behind = min(histories, key=lambda id: histories[id][-1].valid_to, default=0)
    if frontier and snapshot < frontier.snapshot:
        return _upstream_behind(reader, behind, base, f"is at snapshot {histories[behind][-1].valid_to}")
    versions_at = SourceVersions(reader, histories, snapshot, names)
    if (expired := versions_at.expired()) is not None:
        why = f"no longer has its version for snapshot {snapshot}, which has been expired"
        return _upstream_behind(reader, expired, base, why)
    present = []
    for source in bound.sources:
        there = reader.table_by_id(source.table_id, versions_at.of(source.table_id))
        if there is None:
            return _upstream_behind(
                reader, next(iter(histories)), base, f"is at a snapshot before {source.name} was created"
            )
        present.append(there)
    if any(reader.schema(at, wanted) != reader.schema(at, versions_at.of(at.id)) for at in present):
        bound = bind_definition(table, reader, wanted, versions_at.of, names)
    found = source_identity(bound, reader, versions_at.of, names, histories)
    known = _refresh_facts(reader, table, bound, histories, frontier, snapshot, base, found)
    coming = {s.relation: e for s in bound.sources if (e := expected.get(s.table_id)) and e.changes}
    known = _with_coming(known, bound, coming)
    sources = {source.relation: versions_at.table_at(source.table_id, source.name) for source in bound.sources}
    way = _incremental_refresh(
        reader, table, bound, known, frontier, versions_at, sources, names, clock_at, base, coming
    )
    # The changes cancel out: the rows are the same now, but were not at every snapshot in between.
    still = isinstance(way, NoNetChange)
    if isinstance(way, NoNetChange):
        known, way = replace(known, touched={}, uses_clock=False), None
    incremental = way if isinstance(way, IncrementalRefresh) else None
    plan = _choose(reader, table, known, bound.at(clock_at), way)
    if plan.action is RefreshAction.NO_DATA and frontier:
        if snapshot == frontier.snapshot < wanted:
            return _upstream_behind(reader, behind, base, f"is at snapshot {histories[behind][-1].valid_to}")
        same = all(_same_version(versions, frontier.snapshot, snapshot) for versions in histories.values())
        reason = "the changes of its sources cancel out" if still else plan.reason
        return NothingToDo(table, frontier, snapshot, reason, continuous=same and not still)
    previous = _previous_definition(reader, table, frontier) if frontier and known.only_meaning_changed else None
    return Prepared(
        table,
        base,
        snapshot,
        clock_at,
        plan,
        bound,
        sources,
        found,
        frontier,
        incremental,
        previous,
        _first_foreign(reader, table, known, frontier, base),
    )


def _after(
    histories: Mapping[int, tuple[TableVersion, ...]], expected: Mapping[int, ExpectedRefresh], wanted: int
) -> dict[int, tuple[TableVersion, ...]]:
    """The versions of the sources if the expected refreshes reach the snapshot."""
    return {
        id: (*versions[:-1], replace(versions[-1], valid_to=max(wanted, versions[-1].valid_to)))
        if id in expected and versions
        else versions
        for id, versions in histories.items()
    }


def _with_coming(known: RefreshFacts, bound: BoundQuery, coming: Mapping[str, ExpectedRefresh]) -> RefreshFacts:
    """The facts if the expected refreshes change their tables."""
    if not coming or not known.initialized:
        return known
    changed = {source.table_id: str(source.name) for source in bound.sources if source.relation in coming}
    return replace(known, touched={**known.touched, **changed})


def _choose(
    reader: LakeReader,
    table: DynamicTable,
    known: RefreshFacts,
    sql: str,
    way: IncrementalRefresh | NotIncremental | None,
) -> RefreshPlan:
    """What the refresh does, by the share of changed rows and the durations of the last refreshes."""
    forced = table.refresh_mode is RefreshMode.INCREMENTAL
    threshold = inf if forced else table.statement.properties.cardinality_threshold
    if isinstance(way, IncrementalRefresh):
        return choose(known, sql, way.option, _share(threshold), _timings(reader, table))
    return choose(known, sql, way, _share(threshold))


def unchanged_by_catalog(reader: LakeReader, table: DynamicTable, wanted: int) -> NothingToDo | None:
    """Whether the catalog's list of commits shows that nothing changed; None if it does not."""
    frontier = frontiers.find(reader.connection, table.id)
    if frontier is None:
        return None
    wanted = max(wanted, frontier.snapshot)
    if not _nothing_happened(reader, table, frontier, wanted, reader.latest().id):
        return None
    return NothingToDo(table, frontier, wanted, "no source changed")


def _incremental_refresh(
    reader: LakeReader,
    table: DynamicTable,
    bound: BoundQuery,
    known: RefreshFacts,
    frontier: Frontier | None,
    versions_at: SourceVersions,
    now: Mapping[str, TableAt],
    names: Names,
    clock_at: datetime,
    base: int,
    coming: Mapping[str, ExpectedRefresh],
) -> IncrementalRefresh | NoNetChange | NotIncremental | None:
    """The incremental refresh for the changes of the sources, or why there is none; None if the table needs a new start."""
    if frontier is None or known.invalid or not (known.touched or known.uses_clock):
        return None
    if table.refresh_mode is RefreshMode.FULL:
        return NotIncremental("REFRESH_MODE is FULL")
    layout = frontier.layout
    if layout is None or layout.blocked is not None:
        return plan_incremental_refresh(bound, layout, {}, {}, {}, clock=False)
    then = versions_then(reader, frontier, names)
    touched = [source for source in bound.sources if source.table_id in known.touched]
    try:
        deltas = {s.relation: versions_at.changes(s.table_id, then.of(s.table_id)) for s in touched}
        # A column that was added since then has its first default there.
        before = {s.relation: then.table_at(s.table_id, s.name, versions_at.of(s.table_id)) for s in touched}
    except (NotFound, RangeGone, SnapshotMissing, TableReplaced) as error:
        return NotIncremental(error.message)
    moved = bound.uses_clock and frontier.clock_at != clock_at
    own = reader.table_by_id(table.id, base)
    stored = reader.table_at(own, base) if own else None
    return plan_incremental_refresh(bound, layout, now, before, deltas, stored, clock=moved, coming=coming)


def _previous_definition(reader: LakeReader, table: DynamicTable, frontier: Frontier) -> PreviousDefinition | None:
    """The last definition, bound to its sources at that time; None if they have been expired."""
    old = definitions.find_version(reader.connection, table, frontier.definition_version)
    if old is None or dict(old.session) != session_of(table.session):
        return None
    names = frontier.identity.names
    then = versions_then(reader, frontier, names)
    try:
        bound = bind_definition(old, reader, frontier.snapshot, then.of, names)
        found = source_identity(bound, reader, then.of, names, frontier.identity.read)
        if frontier.identity.change(found, {}) is not None:
            return None
        sources = {s.relation: then.table_at(s.table_id, s.name) for s in bound.sources}
        held = {at.table.id: reader.schema(at.table, then.of(at.table.id)) for at in sources.values()}
        fields = {table_id: frozenset(column.field_id for column in schema) for table_id, schema in held.items()}
        return PreviousDefinition(bound, sources, fields)
    except HeadwaterError:
        return None


def _timings(reader: LakeReader, table: DynamicTable) -> RefreshTimings:
    """The durations of this table's last refreshes.

    Incremental ones do not count if they include compilation, or shared the machine with it. Full ones always count, because
    without compilation they would only be faster.
    """
    loaded = history.load(reader.connection, [table.id], _REMEMBERED)
    rows = [row for row in loaded if row.succeeded and row.action and row.stats.compute_seconds is not None]
    following = [row for row in rows if row.action is RefreshAction.INCREMENTAL and not row.stats.first_time]
    found = _timings_of(rows, following)
    if found.against_following is None:
        return found
    others = history.computed_first_since(reader.connection, min(row.started_at for row in following))
    return _timings_of(rows, [row for row in following if not any(map(row.overlaps, others))])


def _timings_of(rows: Sequence[RefreshRecord], following: Iterable[RefreshRecord]) -> RefreshTimings:
    whole = [row for row in rows if row.action is not RefreshAction.INCREMENTAL]
    since = next((place for place, row in enumerate(rows) if row.action is RefreshAction.INCREMENTAL), len(rows))
    incremental, full = (tuple(row.stats.compute_seconds or 0.0 for row in each) for each in (following, whole))
    return RefreshTimings(incremental, full, since)


def _share(threshold: float | None) -> float:
    return THRESHOLD if threshold is None else threshold


def _nothing_happened(reader: LakeReader, table: DynamicTable, frontier: Frontier, wanted: int, base: int) -> bool:
    """Whether no commit touched the table or its sources, by the catalog's list of changes."""
    if frontier.clock_at is not None or frontier.definition_version != table.version:
        return False
    if dict(table.session) != session_of(table.session):
        return False
    touches = load_touches(reader, min(frontier.snapshot, frontier.lake_snapshot), base)
    if touches.views or not touches.complete_since(frontier.snapshot):
        return False
    if touches.first(table.id, frontier.lake_snapshot) is not None:
        return False
    held = frontiers.load(reader.connection, [source.id for source in table.sources])
    if {id: source.lake_snapshot for id, source in held.items()} != frontier.identity.read:
        return False
    for source in table.sources:
        if touches.first(source.id, frontier.snapshot) is not None:
            return False
        if (
            source.id in held
            and not held[source.id].valid_from <= frontier.snapshot <= wanted <= held[source.id].snapshot
        ):
            return False
    return True


def _same_version(versions: tuple[TableVersion, ...], start: int, end: int) -> bool:
    first = frontiers.covering(versions, start)
    return first is not None and first.valid_to >= end


def _refresh_facts(
    reader: LakeReader,
    table: DynamicTable,
    bound: BoundQuery,
    histories: Mapping[int, tuple[TableVersion, ...]],
    frontier: Frontier | None,
    snapshot: int,
    base: int,
    found: SourceIdentity,
) -> RefreshFacts:
    if frontier is None:
        return RefreshFacts(initialized=False)
    touches = load_touches(reader, min(frontier.snapshot, frontier.lake_snapshot), base)
    expired = not touches.complete_since(frontier.snapshot)
    read = frontier.identity.read
    touched: dict[int, str] = {}
    for source in bound.sources:
        if source.table_id in histories:
            new = frontiers.covering(histories[source.table_id], snapshot)
            if new is None or read.get(source.table_id) != new.lake_snapshot:
                touched[source.table_id] = str(source.name)
        else:
            first = touches.first(source.table_id, frontier.snapshot)
            if first is not None and first <= snapshot:
                touched[source.table_id] = str(source.name)
    names = {source.table_id: source.name for source in bound.sources}
    return RefreshFacts(
        initialized=True,
        definition_changed=frontier.definition_version != table.version,
        session_changed=dict(table.session) != session_of(table.session),
        identity_changed=frontier.identity.change(found, names),
        foreign_write=foreign_write(reader, table.id, frontier, touches),
        frontier_expired=expired,
        uses_clock=bound.uses_clock,
        touched=touched,
    )


def _first_foreign(
    reader: LakeReader, table: DynamicTable, known: RefreshFacts, frontier: Frontier | None, base: int
) -> int | None:
    """The first snapshot at which another client changed the table, or may have."""
    if frontier is None or not (known.frontier_expired or known.foreign_write):
        return None
    last = last_own_snapshot(reader, table.id, frontier, load_touches(reader, frontier.own_rows_since, base))
    return last + 1 if last < base else None


def _upstream_behind(reader: LakeReader, table_id: int, at: int, why: str) -> UpstreamBehind:
    table, dynamic = reader.table_by_id(table_id, at), definitions.find(reader.connection, table_id)
    name = table.name if table else f"table {table_id}"
    suspended = bool(dynamic and dynamic.suspension)
    return UpstreamBehind(f"upstream {name} {'is suspended and ' if suspended else ''}{why}", table_id, suspended)
