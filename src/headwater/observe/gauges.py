"""The lake's state as gauges, read at each scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from headwater.core.errors import HeadwaterError
from headwater.observe import families as f
from headwater.observe.alert_body import label
from headwater.observe.lake_state import LakeState
from headwater.registry.workers import HEARTBEAT_TIMEOUT


class Gauges(Collector):
    """Collects from `look`, which may be asked from any thread."""

    def __init__(self, look: Callable[[], LakeState]) -> None:
        self._look = look

    def describe(self) -> Iterable[GaugeMetricFamily]:
        return [GaugeMetricFamily(each.name, each.meaning, labels=each.labels) for each in f.LAKE_GAUGES]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        try:
            found = values(self._look())
        except HeadwaterError:
            found = {f.READABLE: {(): 0.0}}
        for family in f.LAKE_GAUGES:
            gauge = GaugeMetricFamily(family.name, family.meaning, labels=family.labels)
            for labels, value in found.get(family, {}).items():
                gauge.add_metric(labels, value)
            yield gauge


def values(look: LakeState) -> Mapping[f.Family, Mapping[tuple[str, ...], float]]:
    """Each gauge's values by its labels."""
    tables = {(label(table.name),): table for table in look.tables}
    return {
        f.READABLE: {(): 1.0},
        f.TABLES: {(): len(look.tables)},
        f.LAG: {name: table.lag for name, table in tables.items()},
        f.TARGET: {name: table.target_lag for name, table in tables.items() if table.target_lag is not None},
        f.WITHIN: {name: float(not table.late) for name, table in tables.items() if table.target_lag is not None},
        f.FAILURES: {name: table.failures for name, table in tables.items()},
        f.SUSPENDED: {name: float(table.suspension is not None) for name, table in tables.items()},
        f.BACKLOG: {(): look.backlog},
        f.RUNNING: {(): len(look.running)},
        f.SNAPSHOTS: {(): look.snapshots},
        f.WORKERS: {(): sum(age < HEARTBEAT_TIMEOUT for age in look.heartbeats.values())},
        f.HEARTBEAT: {(worker,): age for worker, age in look.heartbeats.items()},
        f.LEASES: {(worker,): count for worker, count in look.leases.items()},
    }
