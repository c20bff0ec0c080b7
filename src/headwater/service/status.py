"""The status of dynamic tables and their history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.core.freshness import Cron, Downstream, Freshness, Interval, OnDemand, TargetLag
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshRecord
from headwater.core.warehouse import DEFAULT
from headwater.lake.site import Site
from headwater.refresh.find import find_dynamic
from headwater.registry import history, install, workers
from headwater.registry.workers import Worker
from headwater.schedule.due import waiting
from headwater.schedule.lag import effective_lag, lags
from headwater.sql.statements import ObjectName
from headwater.worker.table_states import TableInput, load_table_inputs


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The status of a dynamic table; lags in seconds."""

    name: TableName
    state: str
    freshness: str
    lag: float
    target_lag: float | None
    refresh_mode: str
    data_snapshot: int | None
    data_time: datetime | None
    last_action: str | None
    last_state: str | None
    last_refresh: datetime | None
    last_error: str | None
    suspended_reason: str | None
    sources: tuple[TableName, ...]
    warehouse: str = DEFAULT
    # Why it is not refreshed on schedule, although it is not suspended.
    waiting_reason: str | None = None
    # The tables that AFTER names and that still exist.
    after: tuple[TableName, ...] = ()

    @property
    def late(self) -> bool:
        """Whether the lag has passed its target."""
        return self.target_lag is not None and self.lag > self.target_lag


def status(site: Site) -> tuple[TableStatus, ...]:
    """All dynamic tables, by schema and name."""
    now = site.clock.now()
    with site.reader() as reader:
        _, observed = load_table_inputs(reader)
        times = {snapshot.id: snapshot.time for snapshot in reader.snapshots()} if observed else {}
        last = history.last(reader.connection) if observed else {}
        living = workers.living(reader.connection, site.database.kind) if observed else ()
    states = [each.state for each in observed]
    targets, behind, waits = effective_lag(states), lags(states, now), waiting(states, now)
    return tuple(
        _status(
            each,
            last.get(each.table.id),
            behind[each.table.id],
            targets.get(each.table.id),
            times,
            _unserved(each, living) or waits.get(each.table.id),
        )
        for each in observed
    )


def load_history(site: Site, name: ObjectName | None = None, limit: int | None = None) -> tuple[RefreshRecord, ...]:
    """Refreshes, newest first."""
    with site.reader() as reader:
        if not install.is_installed(reader.connection):
            return ()
        ids = [find_dynamic(reader, name).id] if name else None
        return history.load(reader.connection, ids, limit)


def freshness_text(freshness: Freshness) -> str:
    """The freshness property as text."""
    match freshness:
        case TargetLag():
            return f"target lag {_span(freshness.seconds)}"
        case Downstream():
            return "downstream"
        case Interval():
            return f"every {_span(freshness.seconds)}"
        case Cron():
            return f"cron {freshness.expression}"
        case OnDemand():
            return "on demand"


def _status(
    each: TableInput,
    last: RefreshRecord | None,
    lag: float,
    target: float | None,
    times: dict[int, datetime],
    waits: str | None,
) -> TableStatus:
    table = each.table
    snapshot = each.frontier.snapshot if each.frontier else None
    state = "SUSPENDED" if table.suspension else "ACTIVE" if each.frontier else "NOT INITIALIZED"
    return TableStatus(
        name=table.name,
        state=state,
        freshness=freshness_text(table.freshness),
        lag=lag,
        target_lag=target,
        refresh_mode=table.statement.properties.refresh_mode or "AUTO",
        data_snapshot=snapshot,
        data_time=times.get(snapshot) if snapshot is not None else None,
        last_action=last.action if last else None,
        last_state=last.state if last else None,
        last_refresh=(last.ended_at or last.started_at) if last else None,
        last_error=str(last.error) if last and last.error else None,
        suspended_reason=table.suspension.reason if table.suspension else None,
        sources=tuple(source.name for source in table.sources),
        warehouse=table.warehouse,
        waiting_reason=waits,
        after=tuple(awaited.name for awaited in table.after if not awaited.dropped),
    )


def _unserved(each: TableInput, living: Sequence[Worker]) -> str | None:
    """The reason if workers run, or are expected, but none serves the table's warehouse."""
    warehouse = each.table.warehouse
    expected = bool(living) or warehouse != DEFAULT
    if not expected or each.table.suspension or any(worker.serves(warehouse) for worker in living):
        return None
    return f'no running worker serves warehouse "{warehouse}"'


def _span(seconds: int) -> str:
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds % length == 0:
            return f"{seconds // length} {unit}" + ("s" if seconds > length else "")
    return f"{seconds} s"
