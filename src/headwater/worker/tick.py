"""One pass of the scheduler: look, and refresh what is due."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime

from headwater.core.refresh_record import RefreshRecord
from headwater.refresh.run import Refresher
from headwater.schedule.due import Pass
from headwater.worker.look import look
from headwater.worker.passes import Report, run_pass


@dataclass(frozen=True, slots=True)
class Tick:
    """What a look and its pass did; `next_at` is the time of the next look if nothing changes."""

    snapshot: int
    outcomes: tuple[RefreshRecord, ...]
    plan: Pass

    @property
    def next_at(self) -> datetime | None:
        return self.plan.next_at


def tick(
    refresher: Refresher,
    served: Collection[str] | None = None,
    report: Report | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> Tick:
    """Refresh everything that is due on the warehouses `served`, all if None.

    Once `stopping` is true, only finish running refreshes.
    """
    found = look(refresher.site, served=served)
    outcomes = run_pass(refresher, found.planned, report, stopping)
    return Tick(found.planned.snapshot, outcomes, found.due)
