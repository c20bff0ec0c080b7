"""Reporting of a worker: log, Prometheus metrics and webhooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import monotonic

from headwater.core import events as e
from headwater.core.refresh_record import RefreshRecord
from headwater.core.settings import DEFAULTS
from headwater.core.version import VERSION
from headwater.lake.site import Site
from headwater.observe.alert_body import Place
from headwater.observe.gauges import Gauges
from headwater.observe.lake_state import LakeState
from headwater.observe.log import Bound, Log, LogLines
from headwater.observe.metrics import Metrics
from headwater.observe.publish import Publisher
from headwater.observe.server import serving
from headwater.observe.webhook import Webhook
from headwater.registry.workers import Worker
from headwater.worker.alerts import publish_alerts
from headwater.worker.observe_lake import CachedLakeState, load_lake_state

# The subscriber name under which failures of alerting are counted.
ALERTS = "alerts"


@dataclass(frozen=True, slots=True)
class ReportingOptions:
    """Where a worker reports: the port of its metrics (None is off), and webhook URLs, which are secrets.

    A refresh that runs longer than `overdue_after` seconds raises an alert; 0 is never.
    """

    metrics_port: int | None = None
    metrics_host: str = DEFAULTS.metrics_host
    webhooks: tuple[str, ...] = ()
    overdue_after: float = DEFAULTS.alert_overdue_after


class Reporter:
    """Publishes events of the worker's loop."""

    def __init__(self, site: Site, publish: Publisher, overdue_after: float) -> None:
        self._site = site
        self._publish = publish
        self._overdue_after = overdue_after
        self._looked_at: float | None = None

    def refreshed(self, outcome: RefreshRecord) -> None:
        """A refresh ended; refreshes of another worker are reported by that worker."""
        if outcome.leased:
            return
        self._publish(e.RefreshEnded(self._site.clock.now(), outcome))

    def looked(self, seen: LakeState) -> None:
        """A look is done, with the lake's state for alerts."""
        self._looked_at = monotonic()
        self._tell_alerts(lambda: seen)

    def watch(self) -> None:
        """Check for alerts between two looks."""
        self._tell_alerts(lambda: load_lake_state(self._site))

    def _tell_alerts(self, see: Callable[[], LakeState]) -> None:
        self._publish.attempt(ALERTS, lambda: publish_alerts(self._site, see(), self._overdue_after, self._publish))

    def passed(self, begun: int, held: int, seconds: float) -> None:
        """A pass ended, with the numbers of started tables and of due tables that could not start."""
        self._publish(e.PassEnded(self._site.clock.now(), begun + held, held, seconds))

    def failed(self, error: Exception) -> None:
        """A look or a pass failed."""
        self._publish(e.PassFailed(self._site.clock.now(), error))

    def health(self) -> dict[str, object]:
        """The worker's health: the time since its last look."""
        since = None if self._looked_at is None else round(monotonic() - self._looked_at, 3)
        return {"status": "ok", "version": VERSION, "seconds_since_look": since}


@contextmanager
def reporting(site: Site, log: Log, me: Worker, outlets: ReportingOptions, poll_interval: float) -> Iterator[Reporter]:
    """Report the worker's events while the block runs."""
    place = Place(site.database.display_url.strip('"'), str(me.process))
    metrics = Metrics(place.worker)
    log = Bound(log, worker=me.id)
    publish = Publisher(log, metrics.subscriber_failed)
    metrics.subscriber_failed(ALERTS, 0)
    publish.subscribe("log", LogLines(log))
    publish.subscribe("metrics", metrics)
    report = Reporter(site, publish, outlets.overdue_after)
    with ExitStack() as stack:
        if outlets.metrics_port is not None:
            metrics.registry.register(Gauges(CachedLakeState(site)))
            address = serving(outlets.metrics_host, outlets.metrics_port, metrics.registry, report.health)
            log.info("metrics served", address=f"{stack.enter_context(address)}/metrics")
        for number, url in enumerate(outlets.webhooks, 1):
            webhook = Webhook(url, number, place, log, metrics.delivered)
            stack.callback(webhook.close)
            publish.subscribe(f"webhook {number}", webhook)
        publish(e.WorkerStarted(site.clock.now(), place.lake, poll_interval))
        try:
            yield report
        finally:
            report.watch()
            publish(e.WorkerStopped(site.clock.now()))
