"""Events as a worker would publish them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from headwater.core import events as e
from headwater.core.errors import EngineError
from headwater.core.names import TableName
from headwater.core.refresh_record import (
    RefreshAction,
    RefreshRecord,
    RefreshState,
    RefreshStats,
    RefreshTrigger,
    Strategy,
    SuspendedBy,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TABLE = TableName("main", "t")
SUCCEEDED = e.RefreshEnded(
    NOON,
    RefreshRecord(
        "r-1",
        1,
        TABLE,
        "default",
        RefreshState.SUCCEED,
        RefreshTrigger.SCHEDULED,
        NOON - timedelta(seconds=0.3),
        NOON,
        RefreshAction.INCREMENTAL,
        Strategy.ADDITIVE,
        rows_inserted=3,
        rows_deleted=1,
        stats=RefreshStats(
            plan_seconds=0.1,
            compute_seconds=0.2,
            jobs=2,
            rows_read=50,
            bytes_read=4000,
            rows_unchanged=9,
            affected_keys=4,
        ),
    ),
)
FAILURE = EngineError(
    "Spark failed at postgresql://me:hunter2@host/lake", detail="Out of memory.", hint="Give it more."
)
FAILED = e.RefreshEnded(
    NOON,
    RefreshRecord(
        "r-2",
        1,
        TABLE,
        "default",
        RefreshState.FAILED,
        RefreshTrigger.SCHEDULED,
        NOON - timedelta(seconds=1.5),
        NOON,
        error=FAILURE,
    ),
)
WAITING = e.RefreshEnded(
    NOON,
    RefreshRecord(
        "r-3",
        2,
        TableName("main", "below"),
        "default",
        RefreshState.UPSTREAM_FAILED,
        RefreshTrigger.SCHEDULED,
        NOON,
        NOON,
    ),
)
OVERDUE = e.RefreshOverdue(NOON, TABLE, "r-4", 4000.0, 3600.0)
BY_FAILURES = e.TableSuspended(NOON, TABLE, SuspendedBy.FAILURES, "5 consecutive refreshes failed")
BY_PERSON = e.TableSuspended(NOON, TABLE, SuspendedBy.PERSON, "suspended by a user")
BREACHED = e.LagBreached(NOON, TABLE, 65.4, 60.0)
MET = e.LagMet(NOON, TABLE, 0.0, 60.0)
STARTED = e.WorkerStarted(NOON, "lake", 5.0)
EVERY: tuple[e.Event, ...] = (
    STARTED,
    SUCCEEDED,
    FAILED,
    WAITING,
    e.PassEnded(NOON, 3, 1, 2.0),
    e.PassFailed(NOON, ZeroDivisionError("x")),
    OVERDUE,
    BY_FAILURES,
    BY_PERSON,
    e.TableResumed(NOON, TABLE),
    BREACHED,
    MET,
    e.WorkerStopped(NOON),
)
