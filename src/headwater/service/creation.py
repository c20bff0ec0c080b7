"""What CREATE DYNAMIC TABLE did: how the table will be refreshed, its rows, and when its next refresh is."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

from headwater.core.format import format_duration, format_time
from headwater.core.freshness import Cron, Downstream, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshMode
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.refresh.check_definition import CheckedDefinition
from headwater.refresh.find import find_by_name
from headwater.refresh.layout import stored_plan
from headwater.registry import frontiers, workers
from headwater.registry.definitions import DynamicTable
from headwater.schedule.times import next_time
from headwater.sql.statements import ObjectName
from headwater.worker.table_states import load_table_inputs


@dataclass(frozen=True, slots=True)
class Creation:
    """A created, replaced or altered table, or one that existed.

    `mode` is how it will be refreshed, and `reason` the strategy, or why it is refreshed in full. `rows` is None before the
    first refresh.
    """

    status: str
    name: TableName
    mode: RefreshMode
    reason: str | None
    rows: int | None
    duration: timedelta
    next_refresh: str
    warnings: tuple[str, ...] = ()


def describe_creation(
    site: Site, name: ObjectName, status: str, checked: CheckedDefinition | None, began: float
) -> Creation:
    """The table after the statement, whose definition was `checked` if it was new; `began` is in `time.perf_counter`."""
    duration = timedelta(seconds=round(time.perf_counter() - began, 3))
    with site.reader() as reader:
        at = reader.latest().id
        table = find_by_name(reader, resolve(name, reader, at))
        assert table is not None
        frontier = frontiers.find(reader.connection, table.id)
        layout = checked.layout if checked else frontier.layout if frontier else None
        stored = reader.find_table(table.name, at)
        rows = reader.table_at(stored, at).rows if frontier else None
        upcoming = _next_refresh(reader, site, table)
    blocked = layout.blocked if layout else None
    mode, reason = _mode(table.refresh_mode, blocked, _strategy(checked))
    warnings = (
        (f"dynamic table {table.name} is refreshed in full: {blocked}",)
        if checked and blocked and table.refresh_mode is RefreshMode.AUTO
        else ()
    )
    return Creation(status, table.name, mode, reason, rows, duration, upcoming, warnings)


def _mode(wanted: RefreshMode, blocked: str | None, strategy: str | None) -> tuple[RefreshMode, str | None]:
    if wanted is RefreshMode.FULL:
        return RefreshMode.FULL, "REFRESH_MODE is FULL"
    return (RefreshMode.FULL, blocked) if blocked else (RefreshMode.INCREMENTAL, strategy)


def _strategy(checked: CheckedDefinition | None) -> str | None:
    """The strategy of an incremental refresh after any change."""
    plan = stored_plan(checked.bound, checked.query.sources, checked.layout) if checked else None
    return plan.strategy if plan else None


def _next_refresh(reader: LakeReader, site: Site, table: DynamicTable) -> str:
    """When the table is refreshed next, in words."""
    if table.suspension:
        return "suspended"
    now = site.clock.now()
    _, inputs = load_table_inputs(reader)
    (state,) = (each.state for each in inputs if each.table.id == table.id)
    match table.freshness:
        case OnDemand():
            return "on demand"
        case Downstream():
            when = "when a table that reads it is refreshed"
        case TargetLag(seconds):
            when = f"within {format_duration(seconds)} of a change" if state.initialized else "at once"
        case Interval() | Cron():
            at = next_time(state, now)
            when = "never" if at is None else format_time(at)
    return when if workers.living(reader.connection, site.database.kind) else f"{when}, once a worker runs"
