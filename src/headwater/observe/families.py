"""The metrics that there are: their names, what they say, and by what they are told apart.

Labels are bounded: names of tables, codes of errors, words of enumerations; never texts.
"""

from __future__ import annotations

from dataclasses import dataclass

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"


@dataclass(frozen=True, slots=True)
class Family:
    """One metric; a counter's name ends in _total."""

    name: str
    kind: str
    labels: tuple[str, ...]
    meaning: str


# What one worker counts of its own work.
REFRESHES = Family(
    "headwater_refreshes_total",
    COUNTER,
    ("table", "action", "strategy", "state"),
    "Refreshes that ended, by what they did and how they ended.",
)
REFRESH_SECONDS = Family(
    "headwater_refresh_seconds", HISTOGRAM, ("table", "action"), "How long refreshes that ran took, from start to end."
)
ROWS_INSERTED = Family("headwater_rows_inserted_total", COUNTER, ("table",), "Rows that refreshes added.")
ROWS_DELETED = Family("headwater_rows_deleted_total", COUNTER, ("table",), "Rows that refreshes removed.")
ROWS_UNCHANGED = Family(
    "headwater_rows_unchanged_total",
    COUNTER,
    ("table",),
    "Rows that refreshes computed and found to be as the table has them, so that nothing was written.",
)
DEDUPLICATION = Family(
    "headwater_deduplication_ratio",
    GAUGE,
    ("table",),
    "Of the rows that the last refresh computed, the part that the table had already.",
)
AFFECTED_KEYS = Family(
    "headwater_affected_keys_total",
    COUNTER,
    ("table",),
    "Keys that changes touched, as far as refreshes fetched them: of small changes to queries that split by a key.",
)
JOBS = Family("headwater_spark_jobs_total", COUNTER, ("table",), "Spark jobs that refreshes ran.")
ROWS_READ = Family("headwater_rows_read_total", COUNTER, ("table",), "Rows that refreshes read.")
BYTES_READ = Family("headwater_bytes_read_total", COUNTER, ("table",), "Bytes that refreshes read.")
PLAN_SECONDS = Family("headwater_plan_seconds_total", COUNTER, ("table",), "Seconds that planning refreshes took.")
COMPUTE_SECONDS = Family(
    "headwater_compute_seconds_total", COUNTER, ("table",), "Seconds that Spark took to compute refreshes."
)
ERRORS = Family("headwater_errors_total", COUNTER, ("table", "code"), "Refreshes that failed, by the error's code.")
PASSES = Family(
    "headwater_passes_total", COUNTER, ("result",), "Passes of the scheduler: `ok`, or `failed` before its end."
)
PASS_SECONDS = Family("headwater_pass_seconds", HISTOGRAM, (), "How long passes took, refreshes included.")
PASS_ENDED = Family(
    "headwater_last_pass_timestamp_seconds", GAUGE, (), "When the last pass ended well, or the worker started."
)
ALERTS = Family("headwater_alerts_total", COUNTER, ("event",), "Alerts that this worker had to tell of.")
DELIVERIES = Family(
    "headwater_alert_deliveries_total",
    COUNTER,
    ("webhook", "result"),
    "Alerts handed to a webhook (by its place in the setting): `delivered`, `failed`, or `dropped` as too many waited.",
)
SUBSCRIBER_FAILURES = Family(
    "headwater_subscriber_failures_total",
    COUNTER,
    ("subscriber",),
    "Events that metrics, log or webhook could not take, and looks at the lake that failed.",
)
WORKER_INFO = Family(
    "headwater_worker_info", GAUGE, ("worker", "version"), "1 for the worker that this page is of, while it runs."
)

WORKER_METRICS = (
    *(REFRESHES, REFRESH_SECONDS, ROWS_INSERTED, ROWS_DELETED, ROWS_UNCHANGED, DEDUPLICATION),
    *(AFFECTED_KEYS, JOBS, ROWS_READ, BYTES_READ, PLAN_SECONDS, COMPUTE_SECONDS, ERRORS),
    *(PASSES, PASS_SECONDS, PASS_ENDED, ALERTS, DELIVERIES, SUBSCRIBER_FAILURES, WORKER_INFO),
)

# What is read from the lake when somebody asks; every worker of the lake says the same.
READABLE = Family("headwater_lake_readable", GAUGE, (), "1 if the catalog answers; without it what follows is absent.")
TABLES = Family("headwater_tables", GAUGE, (), "Dynamic tables.")
LAG = Family("headwater_lag_seconds", GAUGE, ("table",), "Seconds since the first change that the table does not show.")
TARGET = Family(
    "headwater_target_lag_seconds",
    GAUGE,
    ("table",),
    "The target lag in effect: the smallest of its own and those of its downstreams; absent without any.",
)
WITHIN = Family(
    "headwater_lag_within_target", GAUGE, ("table",), "1 if the lag is within its target, 0 if not; absent without one."
)
FAILURES = Family("headwater_failures_in_a_row", GAUGE, ("table",), "Scheduled refreshes that failed in a row.")
SUSPENDED = Family("headwater_suspended", GAUGE, ("table",), "1 if the table is not refreshed on schedule.")
BACKLOG = Family("headwater_backlog", GAUGE, (), "Tables that are due but that nobody refreshes at this moment.")
RUNNING = Family("headwater_running", GAUGE, (), "Refreshes that run at this moment.")
SNAPSHOTS = Family("headwater_snapshots", GAUGE, (), "Snapshots that the lake keeps.")
WORKERS = Family("headwater_workers", GAUGE, (), "Workers that are alive.")
HEARTBEAT = Family(
    "headwater_worker_heartbeat_age_seconds", GAUGE, ("worker",), "Seconds since each worker last said that it lives."
)
LEASES = Family("headwater_leases", GAUGE, ("worker",), "Tables that each process refreshes at this moment.")

LAKE_GAUGES = (
    *(READABLE, TABLES, LAG, TARGET, WITHIN, FAILURES, SUSPENDED, BACKLOG, RUNNING),
    *(SNAPSHOTS, WORKERS, HEARTBEAT, LEASES),
)
