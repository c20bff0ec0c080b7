"""The status of dynamic tables, from the scheduler's view of them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from datetime import datetime

from headwater.core.format import format_freshness
from headwater.core.refresh_record import RefreshRecord
from headwater.core.table_status import TableCondition, TableStatus
from headwater.core.warehouse import DEFAULT
from headwater.refresh.current_sources import CurrentSource
from headwater.registry.definitions import DynamicTable
from headwater.registry.workers import Worker
from headwater.schedule.due import waiting
from headwater.schedule.lag import effective_lag, lags
from headwater.worker.table_states import TableInput


def table_statuses(
    inputs: Sequence[TableInput],
    now: datetime,
    living: Sequence[Worker],
    *,
    last: Mapping[int, RefreshRecord] = {},
    leased: Container[int] = (),
    times: Mapping[int, datetime] = {},
    sources: Mapping[int, Sequence[CurrentSource]] = {},
) -> tuple[TableStatus, ...]:
    """The status of all dynamic tables; `living` are the running workers, `times` those of snapshots.

    A table is being refreshed if its newest refresh has not ended and the table is `leased`: otherwise the process has ended.
    Without `sources`, a status has the names of the sources in the definition.
    """
    states = [each.state for each in inputs]
    targets, behind, waits = effective_lag(states), lags(states, now), waiting(states, now)
    return tuple(
        _status(
            each,
            behind[each.table.id],
            targets.get(each.table.id),
            last.get(each.table.id),
            each.table.id in leased,
            times,
            _unserved(each.table, living) or waits.get(each.table.id),
            sources.get(each.table.id),
        )
        for each in inputs
    )


def _status(
    each: TableInput,
    lag: float,
    target: float | None,
    last: RefreshRecord | None,
    leased: bool,
    times: Mapping[int, datetime],
    waits: str | None,
    sources: Sequence[CurrentSource] | None,
) -> TableStatus:
    table = each.table
    known = table.sources if sources is None else sources
    snapshot = each.frontier.snapshot if each.frontier else None
    return TableStatus(
        id=table.id,
        name=table.name,
        state=_condition(each),
        freshness=format_freshness(table.freshness),
        lag=lag,
        target_lag=target,
        refresh_mode=table.refresh_mode,
        failures=table.failures,
        suspension=table.suspension,
        version=each.frontier.version_number if each.frontier else None,
        data_snapshot=snapshot,
        data_time=times.get(snapshot) if snapshot is not None else None,
        last=last,
        refreshing_since=last.started_at if last and last.unfinished and leased else None,
        sources=tuple(source.name for source in known),
        dropped_sources=tuple(source.name for source in sources or () if source.dropped),
        warehouse=table.warehouse,
        waiting_reason=waits,
        after=tuple(each.name for each in table.after if not each.dropped),
    )


def _condition(each: TableInput) -> TableCondition:
    if each.table.suspension:
        return TableCondition.SUSPENDED
    return TableCondition.ACTIVE if each.frontier else TableCondition.NOT_INITIALIZED


def _unserved(table: DynamicTable, living: Sequence[Worker]) -> str | None:
    """The reason if workers run, or are expected, but none serves the table's warehouse."""
    expected = bool(living) or table.warehouse != DEFAULT
    if not expected or table.suspension or any(worker.serves(table.warehouse) for worker in living):
        return None
    return f'no running worker serves warehouse "{table.warehouse}"'
