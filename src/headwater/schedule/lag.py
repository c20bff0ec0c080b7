"""Lags and target lags over the graph of tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from headwater.core.freshness import TargetLag
from headwater.schedule.graph import find_cycle
from headwater.schedule.graph import upstream_first as graph_order
from headwater.schedule.state import TableState

Tables = dict[int, TableState]


def lags(tables: Iterable[TableState], now: datetime) -> dict[int, float]:
    """Seconds since the first change that each table does not show yet; 0 if it shows all.

    A table that waits for changes of another one, and its downstream tables, have no lag.

    >>> from dataclasses import replace
    >>> from datetime import UTC, timedelta
    >>> from headwater.core.names import TableName
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> old, new = noon - timedelta(hours=3), noon - timedelta(minutes=2)
    >>> top = TableState(1, TableName("main", "top"), TargetLag(300), old, stale_since=old, gates_opened_at=new)
    >>> lags([top], noon), lags([replace(top, closed_gates=(TableName("main", "load"),))], noon)
    ({1: 120.0}, {1: 0.0})
    """
    graph = {table.id: table for table in tables}
    return {id: seconds_since(since, now) for id, since in lag_start(upstream_first(graph), graph).items()}


def effective_lag(tables: Iterable[TableState]) -> dict[int, float | None]:
    """The effective target lag of each table: the minimum of its own and its active readers'.

    A table that waits for a change of another one has no target until then; a table that is only in AFTER gives none.

    >>> from datetime import UTC
    >>> from headwater.core.freshness import Downstream
    >>> from headwater.core.names import TableName
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> raw = TableState(1, TableName("main", "raw"), Downstream(), noon)
    >>> top = TableState(2, TableName("main", "top"), TargetLag(300), noon, frozenset({1}))
    >>> effective_lag([raw, top])
    {1: 300.0, 2: 300.0}
    """
    graph = {table.id: table for table in tables}
    lags: dict[int, float | None] = {
        table.id: float(table.freshness.seconds) if isinstance(table.freshness, TargetLag) else None
        for table in graph.values()
    }
    order = upstream_first(graph)
    shut = gated_tables(order, graph)
    for table in reversed(order):
        mine = lags[table.id]
        if table.suspended or mine is None or table.id in shut:
            continue
        for id in table.upstream & graph.keys():
            theirs = lags[id]
            lags[id] = mine if theirs is None else min(mine, theirs)
    return lags


def completion_targets(tables: Iterable[TableState]) -> dict[int, datetime]:
    """The time by which the lag asks for the end of a refresh, of the tables that are not up to date and have a target lag.

    >>> from datetime import UTC
    >>> from headwater.core.names import TableName
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> top = TableState(1, TableName("main", "top"), TargetLag(300), noon, stale_since=noon)
    >>> {id: str(at) for id, at in completion_targets([top]).items()}
    {1: '2026-01-01 12:05:00+00:00'}
    """
    graph = {table.id: table for table in tables}
    order = upstream_first(graph)
    starts, targets = lag_start(order, graph), effective_lag(order)
    return {
        id: since + timedelta(seconds=target)
        for id, since in starts.items()
        if since is not None and (target := targets[id]) is not None
    }


def behind_since(table: TableState) -> datetime | None:
    """The time since which a table is not up to date; for one that was never refreshed, its creation."""
    return table.stale_since or (None if table.initialized else table.created_at)


def seconds_since(since: datetime | None, now: datetime) -> float:
    """Seconds since then; 0 if None or in the future."""
    return 0.0 if since is None else max(0.0, (now - since).total_seconds())


def gated_tables(order: list[TableState], graph: Tables) -> set[int]:
    """The tables that wait for changes in another, and those after a stale one of them."""
    shut: set[int] = set()
    for table in order:
        if table.closed_gates or any(id in shut and behind_since(graph[id]) is not None for id in table.before):
            shut.add(table.id)
    return shut


def lag_start(order: list[TableState], graph: Tables) -> dict[int, datetime | None]:
    """The start of each table's lag; None if it is up to date, or waits for changes in another table."""
    shut, targets = gated_tables(order, graph), effective_lag(order)
    opened: dict[int, datetime | None] = {}
    counted: dict[int, datetime | None] = {}
    for table in order:
        above = [opened[id] for id in table.before & graph.keys() if behind_since(graph[id]) is not None]
        opened[table.id] = max((at for at in (table.gates_opened_at, *above) if at is not None), default=None)
        counted[table.id] = None if table.id in shut else _latest(behind_since(table), opened[table.id])
    # Without its own target it has the target of its readers, from the time at which they may be refreshed.
    readers: defaultdict[int, list[int]] = defaultdict(list)
    for table in reversed(order):
        mine = readers[table.id]
        if mine and not isinstance(table.freshness, TargetLag) and all(opened[id] for id in mine):
            opened[table.id] = min((at for id in mine if (at := counted[id]) is not None), default=None)
            counted[table.id] = _latest(counted[table.id], opened[table.id])
        if not table.suspended and table.id not in shut and targets[table.id] is not None:
            for id in table.upstream & graph.keys():
                readers[id].append(table.id)
    return counted


def _latest(at: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two times; None if the first is None."""
    return at if at is None or other is None else max(at, other)


def upstream_first(tables: Tables) -> list[TableState]:
    """The tables in topological order."""
    graph = {id: table.before & tables.keys() for id, table in tables.items()}
    if cycle := find_cycle(graph):
        names = " reads ".join(str(tables[id].name) for id in cycle)
        raise ValueError(f"dynamic tables read each other: {names}")
    return [tables[id] for id in graph_order(graph)]
