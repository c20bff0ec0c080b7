"""Events as metrics: a subscriber that counts, and the registry that Prometheus reads."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from headwater.core import events as e
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshStats
from headwater.core.version import VERSION
from headwater.observe import families as f
from headwater.observe.alert_body import ALERTS, alert_of, label

# From a refresh that only moves a frontier to one of a very large table.
SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0)
NONE = "none"
PASS_RESULTS = OK, FAILED = "ok", "failed"


class Metrics:
    """All metrics of one worker, in a registry of their own."""

    def __init__(self, worker: str) -> None:
        # Otherwise each series would have a second one with its time of creation.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry(auto_describe=True)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        self._counters = {each.name: self._make(Counter, each) for each in f.WORKER_METRICS if each.kind == f.COUNTER}
        self._gauges = {each.name: self._make(Gauge, each) for each in f.WORKER_METRICS if each.kind == f.GAUGE}
        self._histograms = {
            each.name: Histogram(each.name, each.meaning, each.labels, registry=self.registry, buckets=SECONDS)
            for each in f.WORKER_METRICS
            if each.kind == f.HISTOGRAM
        }
        self._worker = worker
        # Prometheus does not see the first increment of a counter that did not exist before.
        for result in PASS_RESULTS:
            self._add(f.PASSES, 0, result)
        for alert in ALERTS:
            self._add(f.ALERTS, 0, alert)

    def _make(self, kind: type[Counter] | type[Gauge], family: f.Family) -> Counter | Gauge:
        return kind(family.name, family.meaning, family.labels, registry=self.registry)

    def __call__(self, event: e.Event) -> None:
        if (alert := alert_of(event)) is not None:
            self._add(f.ALERTS, 1, alert)
        match event:
            case e.WorkerStarted():
                self._set(f.WORKER_INFO, 1, self._worker, VERSION)
                self._set(f.PASS_ENDED, event.at.timestamp())
            case e.WorkerStopped():
                self._set(f.WORKER_INFO, 0, self._worker, VERSION)
            case e.PassEnded():
                self._add(f.PASSES, 1, OK)
                self._histograms[f.PASS_SECONDS.name].observe(event.seconds)
                self._set(f.PASS_ENDED, event.at.timestamp())
            case e.PassFailed():
                self._add(f.PASSES, 1, FAILED)
            case e.RefreshEnded():
                self._refreshed(event.refresh)
            case _:
                pass

    def subscriber_failed(self, name: str, events: int = 1) -> None:
        """Count events that a subscriber failed to process."""
        self._add(f.SUBSCRIBER_FAILURES, events, name)

    def delivered(self, webhook: str, result: str, alerts: int = 1) -> None:
        """Count a webhook's delivery results."""
        self._add(f.DELIVERIES, alerts, webhook, result)

    def _refreshed(self, refresh: RefreshRecord) -> None:
        table, action = label(refresh.name), str(refresh.action or NONE)
        self._add(f.REFRESHES, 1, table, action, str(refresh.strategy or NONE), str(refresh.state))
        if refresh.state in (RefreshState.SUCCEED, RefreshState.FAILED):
            self._histograms[f.REFRESH_SECONDS.name].labels(table, action).observe(refresh.seconds)
        if refresh.error is not None:
            self._add(f.ERRORS, 1, table, refresh.error.code)
        self._add(f.ROWS_INSERTED, refresh.rows_inserted, table)
        self._add(f.ROWS_DELETED, refresh.rows_deleted, table)
        for family, value in _costs(refresh.stats):
            self._add(family, value or 0, table)
        if refresh.stats.rows_unchanged is not None:
            self._add(f.ROWS_UNCHANGED, refresh.stats.rows_unchanged, table)
        if (ratio := refresh.deduplication_ratio) is not None:
            self._set(f.DEDUPLICATION, ratio, table)

    def _add(self, family: f.Family, amount: float, *labels: str) -> None:
        counter = self._counters[family.name]
        (counter.labels(*labels) if labels else counter).inc(amount)

    def _set(self, family: f.Family, value: float, *labels: str) -> None:
        gauge = self._gauges[family.name]
        assert isinstance(gauge, Gauge)
        (gauge.labels(*labels) if labels else gauge).set(value)


def _costs(stats: RefreshStats) -> tuple[tuple[f.Family, float | None], ...]:
    return (
        (f.AFFECTED_KEYS, stats.affected_keys),
        (f.JOBS, stats.jobs),
        (f.ROWS_READ, stats.rows_read),
        (f.BYTES_READ, stats.bytes_read),
        (f.PLAN_SECONDS, stats.plan_seconds),
        (f.COMPUTE_SECONDS, stats.compute_seconds),
    )
