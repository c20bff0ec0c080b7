"""What happens while a worker keeps a lake fresh, told to whoever subscribes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from headwater.core.errors import HeadwaterError
from headwater.core.names import TableName


@dataclass(frozen=True, slots=True)
class WorkerStarted:
    """A worker begins to serve the lake, which is named without its password."""

    at: datetime
    lake: str
    poll_interval: float


@dataclass(frozen=True, slots=True)
class WorkerStopped:
    """The worker serves the lake no more."""

    at: datetime


@dataclass(frozen=True, slots=True)
class PassEnded:
    """A pass is over: how many tables were due, how many of those could not run, and how long it took."""

    at: datetime
    due: int
    held: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PassFailed:
    """A pass ran into an error that belongs to no single table."""

    at: datetime
    error: Exception


@dataclass(frozen=True, slots=True)
class RefreshEnded:
    """A refresh is over, however it ended; `error` is set where `state` is FAILED."""

    at: datetime
    table: TableName
    refresh_id: str | None
    state: str
    warehouse: str | None = None
    trigger: str | None = None
    action: str | None = None
    strategy: str | None = None
    reason: str | None = None
    seconds: float = 0.0
    rows_inserted: int = 0
    rows_deleted: int = 0
    data_snapshot: int | None = None
    profile: Mapping[str, float] = field(default_factory=dict)
    error: HeadwaterError | None = None


@dataclass(frozen=True, slots=True)
class RefreshOverdue:
    """A refresh has run for longer than it is allowed to without a word to people; it goes on."""

    at: datetime
    table: TableName
    refresh_id: str
    seconds: float
    limit: float


@dataclass(frozen=True, slots=True)
class TableSuspended:
    """A table is not refreshed on schedule any more: by whom, and why."""

    at: datetime
    table: TableName
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class TableResumed:
    """A table that was suspended is refreshed on schedule again."""

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
