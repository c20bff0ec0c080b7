"""Events of a worker, for subscribers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshRecord, SuspendedBy


@dataclass(frozen=True, slots=True)
class WorkerStarted:
    """A worker starts to serve the lake, which is named without its password."""

    at: datetime
    lake: str
    poll_interval: float


@dataclass(frozen=True, slots=True)
class WorkerStopped:
    """The worker has stopped."""

    at: datetime


@dataclass(frozen=True, slots=True)
class PassEnded:
    """A pass ended: the number of due tables, of those that could not run, and its duration."""

    at: datetime
    due: int
    held: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PassFailed:
    """A pass failed with an error that does not belong to a single table."""

    at: datetime
    error: Exception


@dataclass(frozen=True, slots=True)
class RefreshEnded:
    """A refresh ended, whatever came of it."""

    at: datetime
    refresh: RefreshRecord

    @property
    def table(self) -> TableName:
        return self.refresh.name


@dataclass(frozen=True, slots=True)
class RefreshOverdue:
    """A refresh runs longer than the alert limit; it continues."""

    at: datetime
    table: TableName
    refresh_id: str
    seconds: float
    limit: float


@dataclass(frozen=True, slots=True)
class TableSuspended:
    """A table was suspended: by whom, and why."""

    at: datetime
    table: TableName
    by: SuspendedBy
    reason: str


@dataclass(frozen=True, slots=True)
class TableResumed:
    """A suspended table was resumed."""

    at: datetime
    table: TableName


@dataclass(frozen=True, slots=True)
class LagBreached:
    """A table's lag has passed its target, in seconds."""

    at: datetime
    table: TableName
    lag: float
    target: float


@dataclass(frozen=True, slots=True)
class LagMet:
    """A table's lag is within its target again."""

    at: datetime
    table: TableName
    lag: float
    target: float


Event = (
    WorkerStarted
    | WorkerStopped
    | PassEnded
    | PassFailed
    | RefreshEnded
    | RefreshOverdue
    | TableSuspended
    | TableResumed
    | LagBreached
    | LagMet
)
Subscriber = Callable[[Event], None]
