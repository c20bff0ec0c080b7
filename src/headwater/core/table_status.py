"""The status of a dynamic table, for people, metrics and alerts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshAction, RefreshMode, RefreshRecord, RefreshState, SuspendedBy
from headwater.core.warehouse import DEFAULT


class TableCondition(StrEnum):
    """Whether a dynamic table is refreshed."""

    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"
    NOT_INITIALIZED = "NOT INITIALIZED"


@dataclass(frozen=True, slots=True)
class Suspension:
    """Why a table is suspended, and by what."""

    by: SuspendedBy
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The status of a dynamic table; lags in seconds, `target_lag` is the effective one.

    Metrics and alerts are made without `last`, the newest refresh, and without `data_time`.
    """

    id: int
    name: TableName
    state: TableCondition
    freshness: str
    lag: float
    target_lag: float | None = None
    refresh_mode: RefreshMode = RefreshMode.AUTO
    failures: int = 0
    suspension: Suspension | None = None
    # The number of the current version, which RESTORE and AT take.
    version: int | None = None
    data_snapshot: int | None = None
    data_time: datetime | None = None
    last: RefreshRecord | None = None
    # The start of the refresh that is running; `last` is that refresh.
    refreshing_since: datetime | None = None
    # What it reads, under present names; those that were dropped under their last ones.
    sources: tuple[TableName, ...] = ()
    dropped_sources: tuple[TableName, ...] = ()
    warehouse: str = DEFAULT
    # Why it is not refreshed on schedule, although it is not suspended.
    waiting_reason: str | None = None
    # The tables that AFTER names and that still exist.
    after: tuple[TableName, ...] = ()

    @property
    def late(self) -> bool:
        """Whether the lag exceeds its target."""
        return self.target_lag is not None and self.lag > self.target_lag

    @property
    def last_action(self) -> RefreshAction | None:
        return self.last.action if self.last else None

    @property
    def last_state(self) -> RefreshState | None:
        return self.last.state if self.last else None

    @property
    def last_refresh(self) -> datetime | None:
        """The end of the newest refresh, or its start while it runs."""
        return (self.last.ended_at or self.last.started_at) if self.last else None

    @property
    def last_error(self) -> str | None:
        return str(self.last.error) if self.last and self.last.error else None

    @property
    def suspended_reason(self) -> str | None:
        return self.suspension.reason if self.suspension else None
