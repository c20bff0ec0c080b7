"""A look at the lake for metrics and alerts: one read of the catalog, and what the scheduler makes of it."""

from __future__ import annotations

import threading
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING

from headwater.observe.look import LakeLook, Running, TableLook
from headwater.registry import alerts, history, install, leases, workers
from headwater.schedule.due import due
from headwater.schedule.lag import effective_lag, lags
from headwater.service.states import observe

if TYPE_CHECKING:
    from headwater.service.lake import Lake

# Those who ask within so many seconds see the same.
FRESH = 1.0


def look(lake: Lake) -> LakeLook:
    """All dynamic tables, who works on them, and what people have been told of."""
    now, kind = lake.clock.now(), lake.database.kind
    with lake.reader() as reader:
        snapshots = reader.count_snapshots()
        if not install.is_installed(reader.connection):
            return LakeLook(now, snapshots=snapshots)
        _, observed = observe(reader)
        running = history.running(reader.connection)
        held = leases.holders(reader.connection, kind)
        heartbeats = workers.ages(reader.connection, kind)
        told = alerts.load(reader.connection)
    states = [each.state for each in observed]
    targets, behind = effective_lag(states), lags(states, now)
    return LakeLook(
        at=now,
        tables=tuple(
            TableLook(
                each.table.id,
                each.table.name,
                behind[each.table.id],
                targets.get(each.table.id),
                each.table.failures,
                each.table.suspension,
            )
            for each in observed
        ),
        running=tuple(Running(each.id, each.table_id, each.started_at) for each in running if each.table_id in held),
        backlog=sum(item.id not in held for level in due(states, now).levels for item in level),
        snapshots=snapshots,
        heartbeats=heartbeats,
        leases=Counter(held.values()),
        alerts=told,
    )


class Looking:
    """Looks for many who ask: at most once in a while, and one at a time."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._lock = threading.Lock()
        self._last: LakeLook | None = None
        self._looked_at = 0.0

    def __call__(self) -> LakeLook:
        with self._lock:
            if self._last is None or monotonic() - self._looked_at > FRESH:
                self._last, self._looked_at = look(self._lake), monotonic()
            return self._last
