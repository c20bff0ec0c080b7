"""The lake's state for metrics and alerts: one read of the catalog, and the scheduler's view of it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from time import monotonic

from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.observe.lake_state import LakeState
from headwater.registry import alerts, history, install, leases, workers
from headwater.schedule.due import Pass, due
from headwater.worker.table_states import TableInput, load_table_inputs
from headwater.worker.table_statuses import table_statuses

# Seconds for which the state is cached.
FRESH = 1.0


def load_lake_state(site: Site) -> LakeState:
    """All dynamic tables, their holders, and the published alerts."""
    now = site.clock.now()
    with site.reader() as reader:
        _, observed = load_table_inputs(reader)
        return lake_state(reader, observed, due((each.state for each in observed), now), now)


def lake_state(reader: LakeReader, observed: Sequence[TableInput], found: Pass, now: datetime) -> LakeState:
    """The state of the lake, given the states of all tables and the due ones."""
    connection = reader.connection
    snapshots = reader.count_snapshots()
    if not install.is_installed(connection):
        return LakeState(now, snapshots=snapshots)
    kind = connection.dialect.name
    held = leases.holders(connection, kind)
    return LakeState(
        at=now,
        tables=table_statuses(observed, now, workers.living(connection, kind)),
        running=tuple(each for each in history.unfinished(connection) if each.table_id in held),
        backlog=sum(item.id not in held for level in found.levels for item in level),
        snapshots=snapshots,
        heartbeats=workers.ages(connection, kind),
        leases=Counter(held.values()),
        alerts=alerts.load(connection),
    )


class CachedLakeState:
    """Serves the lake's state to several callers, cached, one read at a time."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = threading.Lock()
        self._last: LakeState | None = None
        self._looked_at = 0.0

    def __call__(self) -> LakeState:
        with self._lock:
            if self._last is None or monotonic() - self._looked_at > FRESH:
                self._last, self._looked_at = load_lake_state(self._site), monotonic()
            return self._last
