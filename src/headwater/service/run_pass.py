"""One pass over dynamic tables: each is refreshed once those that it reads have been, the most urgent first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from headwater.refresh.outcome import RefreshOutcome
from headwater.refresh.recover import recover
from headwater.registry import leases
from headwater.schedule.backoff import BACKOFF
from headwater.schedule.due import LH_SCHEDULED
from headwater.service.wiring import refresher

if TYPE_CHECKING:
    from headwater.service.lake import Lake

# Independent tables are refreshed side by side in one Spark session.
PARALLEL = 4
# Seconds between two looks whether a lease is free.
PAUSE = 0.1

Report = Callable[[RefreshOutcome], None]
Graph = Mapping[int, set[int]]


def run_pass(
    lake: Lake,
    graph: Graph,
    snapshot: int,
    clock_at: datetime,
    trigger: Callable[[int], str],
    *,
    urgent: Iterable[int] = (),
    asked: Mapping[int, frozenset[str]] = {},
    report: Report | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> dict[int, RefreshOutcome]:
    """Refresh tables, each given with its upstreams, to one snapshot and one clock value.

    `urgent` has them in the order in which they should start, `asked` the requests that their refreshes answer. What somebody
    waits for waits for others who refresh the same table; what is on schedule is left to them, with all that reads it. When
    it is time for `stopping`, nothing more is begun.
    """
    tool = refresher(lake)

    def one(table_id: int, failed: frozenset[int]) -> RefreshOutcome:
        why = trigger(table_id)
        pauses = BACKOFF if why == LH_SCHEDULED else ()
        answers = asked.get(table_id, frozenset())
        while True:
            outcome = tool.refresh(table_id, snapshot, clock_at, why, failed=failed, asked=answers, pauses=pauses)
            if why == LH_SCHEDULED or not outcome.leased:
                return outcome
            wait_for_lease(lake, table_id)

    outcomes: dict[int, RefreshOutcome] = {}
    elsewhere: set[int] = set()
    place = {table_id: number for number, table_id in enumerate(urgent)}
    order = TopologicalSorter(graph)
    order.prepare()
    ready: list[tuple[int, int]] = []
    running = 0
    with lake.clock.crew(PARALLEL) as crew:
        while order.is_active():
            while found := order.get_ready():
                for table_id in found:
                    if elsewhere.isdisjoint(graph[table_id]):
                        heappush(ready, (place.get(table_id, 0), table_id))
                    else:
                        elsewhere.add(table_id)
                        order.done(table_id)
            while ready and running < PARALLEL and not stopping():
                table_id = heappop(ready)[1]
                failed = frozenset(above for above in graph[table_id] if not outcomes[above].succeeded)
                crew.start(table_id, partial(one, table_id, failed))
                running += 1
            if not running:
                break
            table_id, outcome = crew.finished()
            running -= 1
            outcomes[table_id] = outcome
            if outcome.leased:
                elsewhere.add(table_id)
            order.done(table_id)
            if report:
                report(outcome)
    return outcomes


def wait_for_lease(lake: Lake, table_id: int) -> None:
    """Return when nobody refreshes the table any more; the lease of one who died elsewhere expires."""
    while True:
        recover(lake.database, lake.clock.now())
        with lake.reader() as reader:
            if table_id not in leases.holders(reader.connection, lake.database.kind):
                return
        lake.clock.sleep(PAUSE)
