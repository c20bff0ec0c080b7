"""The columns of status and history that fit a terminal of 80 columns."""

from __future__ import annotations

from datetime import datetime

from headwater.core.format import format_duration
from headwater.core.names import DEFAULT_SCHEMA, TableName
from headwater.core.refresh_record import RefreshRecord
from headwater.core.table_status import TableStatus

STATUS = ("name", "state", "lag / target", "last refresh", "why")
HISTORY = ("name", "state", "started", "took", "rows", "why")


def status_row(each: TableStatus, now: datetime) -> tuple[str | None, ...]:
    """The status under the columns of STATUS."""
    target = "-" if each.target_lag is None else _whole(each.target_lag)
    if each.refreshing_since is not None:
        refreshed = f"running for {_whole((now - each.refreshing_since).total_seconds())}"
    else:
        refreshed = "-" if each.last_refresh is None else _ago(each.last_refresh, now)
    lag = f"{_whole(each.lag)} / {target}{' late' if each.late else ''}"
    return (_name(each.name), each.state, lag, refreshed, _why_of_status(each))


def history_row(each: RefreshRecord, now: datetime) -> tuple[str | None, ...]:
    """The refresh under the columns of HISTORY."""
    took = "-" if each.took is None else format_duration(each.took.total_seconds())
    rows = f"+{each.rows_inserted} -{each.rows_deleted}"
    return (_name(each.name), each.state, _ago(each.started_at, now), took, rows, _why_of_refresh(each))


def _why_of_status(each: TableStatus) -> str:
    if each.suspended_reason:
        return each.suspended_reason
    if each.refreshing_since is not None:
        return ": ".join(part for part in (each.last_state, each.last_action) if part)
    error = each.last.error.message if each.last and each.last.error else None
    return "; ".join(part for part in (error, each.waiting_reason) if part) or (each.last_action or "")


def _why_of_refresh(each: RefreshRecord) -> str:
    if each.error:
        return each.error.message
    return ": ".join(part for part in (each.action, each.reason) if part)


def _name(name: TableName) -> str:
    return name.name if name.schema == DEFAULT_SCHEMA else f"{name.schema}.{name.name}"


def _ago(at: datetime, now: datetime) -> str:
    return f"{_whole((now - at).total_seconds())} ago"


def _whole(seconds: float) -> str:
    return format_duration(float(round(seconds)))
