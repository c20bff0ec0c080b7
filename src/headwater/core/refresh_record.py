"""What a refresh did: one value for history, events, metrics, profiles and the results of commands."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum

from headwater.core.errors import HeadwaterError
from headwater.core.names import TableName
from headwater.core.skip_reason import SkipReason


class RefreshAction(StrEnum):
    """What a refresh does."""

    NO_DATA = "NO_DATA"
    INCREMENTAL = "INCREMENTAL"
    FULL = "FULL"
    REINITIALIZE = "REINITIALIZE"


class Strategy(StrEnum):
    """How an incremental refresh finds the rows to change."""

    APPEND_ONLY = "APPEND_ONLY"
    ADDITIVE = "ADDITIVE"
    AFFECTED_KEYS = "AFFECTED_KEYS"
    ROW_DELTA = "ROW_DELTA"
    RECOMPUTE = "RECOMPUTE"


class RefreshState(StrEnum):
    """How a refresh ended, or how far it is.

    In SETUP it is planned, in RESUMING_CLUSTER Spark starts, in QUEUED it waits until Spark has a core for it.
    """

    SETUP = "SETUP"
    RESUMING_CLUSTER = "RESUMING_CLUSTER"
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    SUCCEED = "SUCCEED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    UPSTREAM_FAILED = "UPSTREAM_FAILED"
    UPSTREAM_SUSPENDED = "UPSTREAM_SUSPENDED"
    CANCELLED = "CANCELLED"


# The states of a refresh that has not ended.
UNFINISHED = frozenset({RefreshState.SETUP, RefreshState.RESUMING_CLUSTER, RefreshState.QUEUED, RefreshState.RUNNING})


class RefreshTrigger(StrEnum):
    """What started a refresh."""

    MANUAL = "MANUAL"
    SCHEDULED = "LH_SCHEDULED"
    CREATION = "CREATION"


class RefreshMode(StrEnum):
    """How a table's definition wants it to be refreshed."""

    AUTO = "AUTO"
    INCREMENTAL = "INCREMENTAL"
    FULL = "FULL"


class SuspendedBy(StrEnum):
    """What suspended a table."""

    PERSON = "PERSON"
    CASCADE = "CASCADE"
    FAILURES = "FAILURES"
    RESTORED = "RESTORED"


@dataclass(frozen=True, slots=True)
class RefreshStats:
    """What a refresh cost; None for what was not measured.

    `first_time` is 1 if the engine computed this SQL for the first time, so that `compute_seconds` include its compilation.

    >>> RefreshStats(jobs=2).with_measured(plan_seconds=0.5).measured()
    {'plan_seconds': 0.5, 'jobs': 2}
    """

    plan_seconds: float | None = None
    compute_seconds: float | None = None
    jobs: int | None = None
    rows_read: int | None = None
    bytes_read: int | None = None
    source_files: int | None = None
    rows_unchanged: int | None = None
    files_written: int | None = None
    bytes_written: int | None = None
    affected_keys: int | None = None
    commit_seconds: float | None = None
    first_time: int | None = None

    def measured(self) -> dict[str, float]:
        """The values that were measured, by name."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def with_measured(self, **values: float | None) -> RefreshStats:
        """These stats and more."""
        return RefreshStats(**{**self.measured(), **values})  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class RefreshRecord:
    """One refresh, or consecutive refreshes without changes (`runs`); `error` is set if it failed or was cancelled."""

    id: str
    table_id: int
    name: TableName
    warehouse: str
    state: RefreshState
    trigger: RefreshTrigger
    started_at: datetime
    ended_at: datetime | None = None
    action: RefreshAction | None = None
    strategy: Strategy | None = None
    reason: str | None = None
    error: HeadwaterError | None = None
    suspended_reason: str | None = None
    sources: tuple[TableName, ...] = ()
    rows_inserted: int = 0
    rows_deleted: int = 0
    data_snapshot: int | None = None
    lake_snapshot: int | None = None
    completion_target: datetime | None = None
    runs: int = 1
    stats: RefreshStats = RefreshStats()
    # The SQL that it ran; see registry.refresh_sql.
    plan_id: str | None = None

    @property
    def succeeded(self) -> bool:
        return self.state is RefreshState.SUCCEED

    @property
    def unfinished(self) -> bool:
        return self.state in UNFINISHED

    @property
    def leased(self) -> bool:
        """Whether nothing was tried because another process holds the table's lease."""
        return self.reason is SkipReason.LEASED

    def overlaps(self, other: RefreshRecord) -> bool:
        """Whether both ran at the same time; both have ended."""
        assert self.ended_at is not None
        assert other.ended_at is not None
        return self.started_at < other.ended_at and other.started_at < self.ended_at

    @property
    def seconds(self) -> float:
        """The time from its start to its end, 0 while it runs."""
        return max(0.0, (self.ended_at - self.started_at).total_seconds()) if self.ended_at else 0.0

    @property
    def took(self) -> timedelta | None:
        """The duration, if it has ended and the record is of a single refresh."""
        return self.ended_at - self.started_at if self.ended_at and self.runs == 1 else None

    @property
    def deduplication_ratio(self) -> float | None:
        """The fraction of the computed rows that the table already had; None if no rows were compared."""
        unchanged = self.stats.rows_unchanged
        if unchanged is None or not (computed := unchanged + self.rows_inserted):
            return None
        return unchanged / computed
