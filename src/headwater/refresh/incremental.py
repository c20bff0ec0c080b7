"""Plan an incremental refresh from the changes of the sources since the last refresh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from headwater.core.schema import Schema
from headwater.delta.incremental_plan import changes
from headwater.delta.refresh_plan import IncrementalOption, NotIncremental
from headwater.delta.state_layout import StateLayout
from headwater.delta.target_changes import TARGET, Changes, nodes_of
from headwater.lake.find_changes import FEW_CHANGES, rows_at_most, rows_listed
from headwater.lake.values import TableAt, TableChanges, with_schema
from headwater.plan.nodes import Scan, ScanVersion, walk
from headwater.plan.render import relation_name
from headwater.refresh.layout import stored_plan
from headwater.sql.bind import BoundQuery


@dataclass(frozen=True, slots=True)
class IncrementalRefresh:
    """An incremental refresh: the option, the plan's names of the table's columns and of its key, and its scans."""

    option: IncrementalOption
    names: tuple[str, ...]
    key: tuple[str, ...]
    # The estimated number of rows of the largest source that join the changes.
    reach: int
    sources: Mapping[str, TableAt | TableChanges]


@dataclass(frozen=True, slots=True)
class ExpectedRefresh:
    """A refresh of a source that comes first: whether it changes rows, and whether it only inserts some."""

    changes: bool
    only_inserts: bool = False


@dataclass(frozen=True, slots=True)
class NoNetChange:
    """Commits touched the sources, but their changes cancel out."""


def plan_incremental_refresh(
    bound: BoundQuery,
    layout: StateLayout | None,
    now: Mapping[str, TableAt],
    before: Mapping[str, TableAt],
    deltas: Mapping[str, TableChanges],
    stored: TableAt | None = None,
    *,
    clock: bool,
    coming: Mapping[str, ExpectedRefresh] = {},
) -> IncrementalRefresh | NoNetChange | NotIncremental:
    """Plan the incremental refresh for these deltas, and for the clock if it moved.

    The mappings are by relation; `before` and `deltas` have the changed sources only. `stored` is the refreshed table.
    `coming` are refreshes whose changes are not in `deltas` yet.
    """
    if layout is None:
        return NotIncremental("its files have no state columns yet")
    if layout.blocked is not None:
        return NotIncremental(layout.blocked)
    plan = stored_plan(bound, now, layout)
    if plan is None:
        return NotIncremental("this release plans the query differently")
    deltas = {relation: delta for relation, delta in deltas.items() if relation in coming or not delta.empty}
    inserts_only = all(map(_only_inserts, deltas.values())) and all(each.only_inserts for each in coming.values())
    found = changes(plan, frozenset(deltas), inserts_only=inserts_only, clock=clock)
    if found is None:
        return NoNetChange()
    strategy, change = found
    rows, changed = sum(at.rows for at in now.values()), sum(map(rows_at_most, deltas.values()))
    share = changed / rows if rows else 1.0
    held = _scanned(change, {ScanVersion.NEW: now, ScanVersion.OLD: before, ScanVersion.DELTA: deltas})
    most = max((at.rows for at in now.values()), default=0)
    shares = (rows_at_most(delta) / max(1, now[relation].rows) for relation, delta in deltas.items())
    reach = round(most * max(shares, default=1.0))
    many = any(rows_listed(delta) > FEW_CHANGES for delta in deltas.values())
    option = IncrementalOption(
        strategy,
        change,
        share,
        stored=stored.rows if stored else 0,
        changed=changed,
        reads=_reads(change, held, now, stored) if many else 0.0,
    )
    return IncrementalRefresh(option, plan.root.columns, plan.key, reach, _read_columns(change, held))


def _scanned(
    change: Changes, versions: Mapping[ScanVersion, Mapping[str, TableAt | TableChanges]]
) -> dict[str, TableAt | TableChanges]:
    """The sources that the change scans, by the name of each scan in SQL."""
    known = versions[ScanVersion.NEW]
    return {
        relation_name(scan): versions[scan.version][scan.relation] for scan in _scans(change) if scan.relation in known
    }


def _read_columns(change: Changes, held: Mapping[str, TableAt | TableChanges]) -> dict[str, TableAt | TableChanges]:
    """The scanned sources with the columns that their scans read."""
    wanted: dict[str, set[str]] = {name: set() for name in held}
    for scan in _scans(change):
        if (name := relation_name(scan)) in wanted:
            wanted[name].update(source for _, source in scan.items)
    return {
        name: with_schema(each, Schema(tuple(column for column in each.schema if column.name in wanted[name])))
        for name, each in held.items()
    }


def _reads(
    change: Changes, held: Mapping[str, TableAt | TableChanges], now: Mapping[str, TableAt], stored: TableAt | None
) -> float:
    """The bytes that an incremental refresh reads, divided by those of a full one, by file sizes."""
    own = stored.bytes if stored else 0
    read = own + sum(_bytes(held[relation_name(scan)]) for scan in _scans(change) if scan.relation in now)
    return read / max(1, 2 * own + sum(at.bytes for at in now.values()))


def _bytes(source: TableAt | TableChanges) -> int:
    return sum(each.file.bytes for each in source.files)


def _scans(change: Changes) -> Iterator[Scan]:
    for root in nodes_of(change):
        yield from (node for node in walk(root) if isinstance(node, Scan) and node.relation != TARGET)


def _only_inserts(delta: TableChanges) -> bool:
    return not delta.inlined_removed.rows and all(diff.before is None for diff in delta.files)
