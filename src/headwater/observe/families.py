"""All metrics: names, meanings and labels.

Labels have few values: names of tables, codes of errors, values of enumerations; never texts.
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


# Metrics of one worker's own work.
REFRESHES = Family(
    "headwater_refreshes_total",
    COUNTER,
    ("table", "action", "strategy", "state"),
    "Refreshes that ended, by action, strategy and state.",
)
REFRESH_SECONDS = Family(
    "headwater_refresh_seconds", HISTOGRAM, ("table", "action"), "Duration of refreshes, from start to end."
)
ROWS_INSERTED = Family("headwater_rows_inserted_total", COUNTER, ("table",), "Rows that refreshes inserted.")
ROWS_DELETED = Family("headwater_rows_deleted_total", COUNTER, ("table",), "Rows that refreshes deleted.")
ROWS_UNCHANGED = Family(
    "headwater_rows_unchanged_total",
    COUNTER,
    ("table",),
    "Rows that refreshes computed but did not write, because the table already had them.",
)
DEDUPLICATION = Family(
    "headwater_deduplication_ratio",
    GAUGE,
    ("table",),
    "Fraction of the rows computed by the last refresh that the table already had.",
)
AFFECTED_KEYS = Family(
    "headwater_affected_keys_total",
    COUNTER,
    ("table",),
    "Keys that changes affected, if refreshes looked them up: small changes to queries that are split by a key.",
)
JOBS = Family("headwater_spark_jobs_total", COUNTER, ("table",), "Spark jobs that refreshes ran.")
ROWS_READ = Family("headwater_rows_read_total", COUNTER, ("table",), "Rows that refreshes read.")
BYTES_READ = Family("headwater_bytes_read_total", COUNTER, ("table",), "Bytes that refreshes read.")
PLAN_SECONDS = Family("headwater_plan_seconds_total", COUNTER, ("table",), "Seconds spent planning refreshes.")
COMPUTE_SECONDS = Family(
    "headwater_compute_seconds_total", COUNTER, ("table",), "Seconds that Spark spent computing refreshes."
)
ERRORS = Family("headwater_errors_total", COUNTER, ("table", "code"), "Failed refreshes, by error code.")
PASSES = Family(
    "headwater_passes_total", COUNTER, ("result",), "Scheduler passes: `ok`, or `failed` if aborted by an error."
)
PASS_SECONDS = Family("headwater_pass_seconds", HISTOGRAM, (), "Duration of passes, including refreshes.")
PASS_ENDED = Family(
    "headwater_last_pass_timestamp_seconds", GAUGE, (), "Time of the last successful pass, or of the worker's start."
)
ALERTS = Family("headwater_alerts_total", COUNTER, ("event",), "Alerts raised by this worker.")
DELIVERIES = Family(
    "headwater_alert_deliveries_total",
    COUNTER,
    ("webhook", "result"),
    "Alerts for a webhook (by its position in the setting): `delivered`, `failed`, or `dropped` because the queue was full.",
)
SUBSCRIBER_FAILURES = Family(
    "headwater_subscriber_failures_total",
    COUNTER,
    ("subscriber",),
    "Events that metrics, log or webhook failed to process, and failed reads of the lake's state.",
)
WORKER_INFO = Family("headwater_worker_info", GAUGE, ("worker", "version"), "1 for the worker that serves this page.")

WORKER_METRICS = (
    *(REFRESHES, REFRESH_SECONDS, ROWS_INSERTED, ROWS_DELETED, ROWS_UNCHANGED, DEDUPLICATION),
    *(AFFECTED_KEYS, JOBS, ROWS_READ, BYTES_READ, PLAN_SECONDS, COMPUTE_SECONDS, ERRORS),
    *(PASSES, PASS_SECONDS, PASS_ENDED, ALERTS, DELIVERIES, SUBSCRIBER_FAILURES, WORKER_INFO),
)

# Metrics read from the lake at each scrape; the same on every worker.
READABLE = Family(
    "headwater_lake_readable", GAUGE, (), "1 if the catalog answers; otherwise 0, and the following metrics are absent."
)
TABLES = Family("headwater_tables", GAUGE, (), "Dynamic tables.")
LAG = Family("headwater_lag_seconds", GAUGE, ("table",), "Seconds since the first change that the table does not show.")
TARGET = Family(
    "headwater_target_lag_seconds",
    GAUGE,
    ("table",),
    "Effective target lag: the minimum of the table's own and its downstream tables'; absent without one.",
)
WITHIN = Family(
    "headwater_lag_within_target", GAUGE, ("table",), "1 if the lag is within its target, 0 if not; absent without one."
)
FAILURES = Family("headwater_failures_in_a_row", GAUGE, ("table",), "Consecutive failures of scheduled refreshes.")
SUSPENDED = Family("headwater_suspended", GAUGE, ("table",), "1 if the table is not refreshed on schedule.")
BACKLOG = Family("headwater_backlog", GAUGE, (), "Tables that are due but not being refreshed.")
RUNNING = Family("headwater_running", GAUGE, (), "Running refreshes.")
SNAPSHOTS = Family("headwater_snapshots", GAUGE, (), "Snapshots of the lake.")
WORKERS = Family("headwater_workers", GAUGE, (), "Running workers.")
HEARTBEAT = Family(
    "headwater_worker_heartbeat_age_seconds", GAUGE, ("worker",), "Seconds since the last heartbeat of each worker."
)
LEASES = Family("headwater_leases", GAUGE, ("worker",), "Tables that each process is refreshing.")

LAKE_GAUGES = (
    *(READABLE, TABLES, LAG, TARGET, WITHIN, FAILURES, SUSPENDED, BACKLOG, RUNNING),
    *(SNAPSHOTS, WORKERS, HEARTBEAT, LEASES),
)
