"""The states of all dynamic tables, as the scheduler and status pages see them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING

from headwater.lake.reader import LakeReader
from headwater.lake.touches import Touches, load_touches
from headwater.registry import frontiers, history, requests
from headwater.registry.definitions import DynamicTable
from headwater.registry.frontiers import Frontier
from headwater.schedule.due import TableState
from headwater.service.find import all_tables, upstreams

if TYPE_CHECKING:
    import sqlalchemy as sa

# A refresh is expected to take as long as the slower of these last ones did.
_RECENT = 5


@dataclass(frozen=True, slots=True)
class Observed:
    """A dynamic table, its frontier, what the scheduler makes of them, and the requests that wait."""

    table: DynamicTable
    frontier: Frontier | None
    state: TableState
    requests: frozenset[str] = frozenset()


def observe(reader: LakeReader) -> tuple[int, tuple[Observed, ...]]:
    """The newest snapshot, and all dynamic tables as of it."""
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
    above = upstreams(tables)
    bases = _base_closures(tables, above)
    expected = _expected(connection)
    return snapshot, tuple(
        Observed(
            table,
            held.get(table.id),
            TableState(
                id=table.id,
                name=table.name,
                freshness=table.freshness,
                created_at=table.created_at,
                upstream=frozenset(above[table.id]),
                suspended=table.suspension is not None,
                initialized=table.id in held,
                stale_since=stale_since(held.get(table.id), table, bases[table.id], touches),
                expected=expected.get(table.id, 0.0),
                last_started_at=started.get(table.id),
                last_succeeded_at=held[table.id].refreshed_at if table.id in held else None,
                failures=table.failures,
                retry_at=table.retry_at,
                requested_at=asked[table.id][0].requested_at if table.id in asked else None,
                priority=table.statement.properties.priority or 0,
                cancelled_at=cancelled.get(table.id),
            ),
            frozenset(request.id for request in asked.get(table.id, ())),
        )
        for table in tables
    )


def stale_since(
    frontier: Frontier | None, table: DynamicTable, bases: frozenset[int], touches: Touches
) -> datetime | None:
    """When the first commit came that the table does not show yet; None if it shows all."""
    if frontier is None:
        return table.created_at
    if frontier.definition_version != table.version:
        return frontier.refreshed_at
    first = min((at for base in bases if (at := touches.first(base, frontier.snapshot)) is not None), default=None)
    if first is not None:
        return touches.times[first]
    return None if touches.complete_since(frontier.snapshot) else frontier.refreshed_at


def _base_closures(tables: tuple[DynamicTable, ...], above: dict[int, set[int]]) -> dict[int, frozenset[int]]:
    """The tables that are not dynamic which each one reads, directly or through others."""
    by_id = {table.id: table for table in tables}
    found: dict[int, frozenset[int]] = {}

    def visit(table_id: int) -> frozenset[int]:
        if table_id not in found:
            direct = frozenset(s.id for s in by_id[table_id].sources if s.id not in by_id)
            found[table_id] = direct.union(*(visit(up) for up in above[table_id]))
        return found[table_id]

    for table in tables:
        visit(table.id)
    return found


def _expected(connection: sa.Connection) -> dict[int, float]:
    """Seconds that a refresh of each table takes, from the last ones that computed something."""
    taken: dict[int, list[float]] = {}
    for table_id, seconds in history.durations(connection, 2_000):
        times = taken.setdefault(table_id, [])
        if len(times) < _RECENT:
            times.append(seconds)
    return {table_id: max(median(times), times[0]) for table_id, times in taken.items()}
