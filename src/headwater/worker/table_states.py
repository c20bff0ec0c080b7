"""The states of all dynamic tables, as the scheduler and status pages see them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING

from headwater.core.names import TableName
from headwater.lake.reader import LakeReader
from headwater.lake.touches import CommitIndex, load_touches
from headwater.refresh.dependencies import before, upstreams
from headwater.refresh.find import all_tables
from headwater.registry import frontiers, history, requests
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.schedule.graph import upstream_first
from headwater.schedule.state import TableState

if TYPE_CHECKING:
    import sqlalchemy as sa

# The expected duration is the maximum of this many last refreshes.
_RECENT = 5


@dataclass(frozen=True, slots=True)
class TableInput:
    """A dynamic table, its frontier, its scheduler state, and its waiting requests."""

    table: DynamicTable
    frontier: Frontier | None
    state: TableState
    requests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Gates:
    """The tables of AFTER that have not changed yet, and when the last of the others first changed."""

    shut: tuple[TableName, ...] = ()
    gates_opened_at: datetime | None = None


def load_table_inputs(reader: LakeReader) -> tuple[int, tuple[TableInput, ...]]:
    """The newest snapshot, and all dynamic tables at it."""
    snapshot = reader.latest().id
    tables = all_tables(reader)
    if not tables:
        return snapshot, ()
    connection = reader.connection
    held = frontiers.load(connection)
    started = history.last_started(connection)
    cancelled = history.cancelled(connection, started)
    asked = requests.open_requests(connection)
    oldest = min((held[table.id].snapshot for table in tables if table.id in held), default=snapshot)
    touches = load_touches(reader, oldest, snapshot)
    above, first = upstreams(tables), before(tables)
    gates = {table.id: _gates(held.get(table.id), table, above, touches) for table in tables}
    order = upstream_first(above)
    bases, clocks = _base_closures(tables, above, order), _clocks(held, above, order)
    # Tables in a cycle, which concurrent changes can create, wait until a definition is changed.
    stuck = above.keys() - set(order)
    expected = _expected(connection)
    return snapshot, tuple(
        TableInput(
            table,
            held.get(table.id),
            TableState(
                id=table.id,
                name=table.name,
                freshness=table.freshness,
                created_at=table.created_at,
                upstream=frozenset() if table.id in stuck else frozenset(above[table.id]),
                suspended=table.suspension is not None or table.id in stuck,
                initialized=table.id in held,
                stale_since=_stale_since(held.get(table.id), table, bases.get(table.id), touches, clocks.get(table.id)),
                expected=expected.get(table.id, 0.0),
                last_started_at=started.get(table.id),
                last_succeeded_at=held[table.id].refreshed_at if table.id in held else None,
                failures=table.failures,
                retry_at=table.retry_at,
                requested_at=asked[table.id][0].requested_at if table.id in asked else None,
                priority=table.statement.properties.priority or 0,
                cancelled_at=cancelled.get(table.id),
                after_ids=frozenset() if table.id in stuck else frozenset(first[table.id] - above[table.id]),
                closed_gates=gates[table.id].shut,
                gates_opened_at=gates[table.id].gates_opened_at,
            ),
            frozenset(request.id for request in asked.get(table.id, ())),
        )
        for table in tables
    )


def _stale_since(
    frontier: Frontier | None,
    table: DynamicTable,
    bases: frozenset[int] | None,
    touches: CommitIndex,
    clock: datetime | None,
) -> datetime | None:
    """The time of the first commit or clock change that the table does not show; None if it shows all."""
    if frontier is None:
        return table.created_at
    if frontier.definition_version != table.version or bases is None:
        return frontier.refreshed_at
    if clock is not None:
        return clock
    first = min((at for base in bases if (at := touches.first(base, frontier.snapshot)) is not None), default=None)
    if first is not None:
        return touches.times[first]
    return None if touches.complete_since(frontier.snapshot) else frontier.refreshed_at


def _gates(frontier: Frontier | None, table: DynamicTable, dynamic: Collection[int], touches: CommitIndex) -> _Gates:
    """The plain tables of AFTER, by whether their rows changed after the table's data snapshot.

    The first refresh waits for none. Where snapshots have been expired, the tables count as changed.
    """
    plain = [each for each in table.after if not each.dropped and each.id not in dynamic]
    if frontier is None or not plain:
        return _Gates()
    changed = {each.name: touches.first_of_rows(each.id, frontier.snapshot) for each in plain}
    shut = tuple(name for name, first in changed.items() if first is None)
    moments = [touches.times[first] for first in changed.values() if first is not None]
    return _Gates(shut if touches.complete_since(frontier.snapshot) else (), max(moments, default=None))


def _base_closures(
    tables: tuple[DynamicTable, ...], above: dict[int, set[int]], order: tuple[int, ...]
) -> dict[int, frozenset[int]]:
    """The tables that are not dynamic which each one reads, directly or through others."""
    direct = {table.id: frozenset(source.id for source in table.sources if source.id not in above) for table in tables}
    found: dict[int, frozenset[int]] = {}
    for id in order:
        found[id] = direct[id].union(*(found[up] for up in above[id]))
    return found


def _clocks(
    held: dict[int, Frontier], above: dict[int, set[int]], order: tuple[int, ...]
) -> dict[int, datetime | None]:
    """The clock value of each table that reads the clock, directly or through others."""
    found: dict[int, datetime | None] = {}
    for id in order:
        frontier = held.get(id)
        through = any(found[up] is not None for up in above[id])
        found[id] = None if frontier is None else frontier.clock_at or (frontier.refreshed_at if through else None)
    return found


def _expected(connection: sa.Connection) -> dict[int, float]:
    """The expected duration of each table's refresh, from the last ones that computed something."""
    taken: dict[int, list[float]] = {}
    for table_id, seconds in history.durations(connection, 2_000):
        times = taken.setdefault(table_id, [])
        if len(times) < _RECENT:
            times.append(seconds)
    return {table_id: max(median(times), times[0]) for table_id, times in taken.items()}
