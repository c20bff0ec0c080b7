"""Passes over dynamic tables: each is refreshed after its upstreams, the most urgent first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from heapq import heappop, heappush

import sqlalchemy as sa

from headwater.core.clock import ThreadPool
from headwater.core.crash import crash_point
from headwater.core.errors import HeadwaterError
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger, SuspendedBy
from headwater.core.table_status import Suspension
from headwater.lake.site import Site
from headwater.refresh.recover import wait_for_lease
from headwater.refresh.run import Refresher
from headwater.registry import definitions
from headwater.schedule.backoff import BACKOFF, SUSPEND_AFTER, pause
from headwater.schedule.due import Rank

# Independent tables are refreshed in parallel in one Spark session.
PARALLEL = 4

Report = Callable[[RefreshRecord], None]
Graph = Mapping[int, set[int]]


@dataclass(frozen=True, slots=True, eq=False)
class PassPlan:
    """Tables to refresh, with the upstreams of each, to one snapshot and one clock value.

    `triggers` are the reasons of the refreshes, `ranks` their order, `asked` the ids of the requests that they answer. The
    tables may join a running pass and depend on its tables.
    """

    graph: Graph
    snapshot: int
    clock_at: datetime
    triggers: Mapping[int, RefreshTrigger]
    ranks: Mapping[int, Rank] = field(default_factory=dict)
    asked: Mapping[int, frozenset[str]] = field(default_factory=dict)
    # The times by which the lag asks for the end of the refreshes.
    completion_targets: Mapping[int, datetime] = field(default_factory=dict)
    joins: PassPlan | None = None


class _RunningPass:
    """A running pass and its progress."""

    def __init__(self, planned: PassPlan, then: Callable[[], None]) -> None:
        self.planned = planned
        self.then = then
        self.outcomes: dict[int, RefreshRecord] = {}
        # The tables that are not refreshed yet, with their plans.
        self.pending: dict[int, PassPlan] = {}
        self._skipped: set[int] = set()
        # How many tables each one waits for, and which tables wait for it.
        self._missing: dict[int, int] = {}
        self._waiting: defaultdict[int, list[int]] = defaultdict(list)
        self._ready: list[int] = []

    def add(self, planned: PassPlan) -> None:
        """Add tables, which may depend on tables of the pass."""
        self.pending |= dict.fromkeys(planned.graph, planned)
        self._skipped -= planned.graph.keys()
        for table_id, above in planned.graph.items():
            awaited = above & self.pending.keys()
            for each in awaited:
                self._waiting[each].append(table_id)
            self._missing[table_id] = len(awaited)
            if not awaited:
                self._ready.append(table_id)

    def ready(self) -> list[int]:
        """The tables that can start now, each returned once; a table is skipped if one of its upstreams was."""
        found: list[int] = []
        while self._ready:
            table_id = self._ready.pop()
            if self._skipped.isdisjoint(self.pending[table_id].graph[table_id]):
                found.append(table_id)
            else:
                self.skip(table_id)
        return found

    def failed_above(self, table_id: int) -> frozenset[int]:
        above = self.pending[table_id].graph[table_id]
        return frozenset(up for up in above if not self.outcomes[up].succeeded)

    def finish(self, table_id: int, outcome: RefreshRecord) -> None:
        """Record the end of a refresh; a table that another worker refreshes is skipped."""
        self.outcomes[table_id] = outcome
        if outcome.leased:
            self._skipped.add(table_id)
        self._done(table_id)

    def skip(self, table_id: int) -> None:
        """Remove a table and its downstream tables from the pass."""
        self._skipped.add(table_id)
        self._done(table_id)

    def _done(self, table_id: int) -> None:
        del self.pending[table_id]
        for each in self._waiting.pop(table_id, ()):
            self._missing[each] -= 1
            if not self._missing[each]:
                self._ready.append(each)


class Passes:
    """The passes of one process, which share its threads; a table is in one of them at a time.

    A table that another worker refreshes is left to it, with its downstream tables, unless the passes are `patient` and a
    user waits for the table. Once `stopping` is true, nothing more is started.
    """

    def __init__(
        self,
        refresher: Refresher,
        pool: ThreadPool,
        report: Report | None = None,
        stopping: Callable[[], bool] = lambda: False,
        *,
        patient: bool = False,
    ) -> None:
        self._site = refresher.site
        self._pool = pool
        self._report = report
        self._stopping = stopping
        self._patient = patient
        self._refresher = refresher
        self._passes: list[_RunningPass] = []
        self._ready: list[tuple[Rank, int, _RunningPass]] = []
        self._running: dict[int, _RunningPass] = {}

    @property
    def pending(self) -> dict[int, PassPlan]:
        """The tables that are refreshed now, or will be, and the passes that they are in."""
        return {table_id: each.planned for each in self._passes for table_id in each.pending}

    def begin(self, planned: PassPlan, then: Callable[[], None] = lambda: None) -> Mapping[int, RefreshRecord]:
        """Start a pass, or add to one, and call `then` at its end; returns its outcomes, filled as it proceeds."""
        running = next((each for each in self._passes if each.planned is planned.joins), None)
        if running is None:
            running = _RunningPass(planned, then)
            self._passes.append(running)
        running.add(planned)
        self._queue_ready(running)
        return running.outcomes

    def step(self, seconds: float | None = None) -> bool | None:
        """Start tables, and wait for the end of a refresh, at most `seconds`; whether one ended, None if none runs.

        A table that another worker refreshes does not count.
        """
        while self._ready and len(self._running) < PARALLEL and not self._stopping():
            self._start(*heappop(self._ready)[1:])
        if not self._running:
            return None
        ended = self._pool.finished(seconds)
        if ended is None:
            return False
        table_id, future = ended
        running = self._running.pop(table_id)
        scheduled = running.pending[table_id].triggers[table_id] is RefreshTrigger.SCHEDULED
        try:
            return not self._ended(running, table_id, future, scheduled=scheduled).leased
        finally:
            self._queue_ready(running)

    def _start(self, table_id: int, running: _RunningPass) -> None:
        try:
            self._pool.start(table_id, partial(self._refresh, table_id, running))
        except Exception:
            running.skip(table_id)
            self._queue_ready(running)
            raise
        self._running[table_id] = running

    def _ended(
        self, running: _RunningPass, table_id: int, future: Future[RefreshRecord], *, scheduled: bool
    ) -> RefreshRecord:
        error = future.exception()
        if error is not None:
            running.skip(table_id)
            if scheduled and not isinstance(error, HeadwaterError):
                # An unexpected error; it must not repeat without a pause.
                count_failure(self._site, table_id, f"{type(error).__name__}: {error}")
            raise error
        outcome = future.result()
        running.finish(table_id, outcome)
        if self._report:
            self._report(outcome)
        if outcome.state is RefreshState.FAILED and scheduled:
            count_failure(self._site, table_id, outcome.error.message if outcome.error else "unknown")
        return outcome

    def _queue_ready(self, running: _RunningPass) -> None:
        for table_id in running.ready():
            planned = running.pending[table_id]
            rank = planned.ranks.get(table_id, (False, 0, planned.clock_at))
            heappush(self._ready, (rank, table_id, running))
        if not running.pending:
            self._passes.remove(running)
            running.then()

    def _refresh(self, table_id: int, running: _RunningPass) -> RefreshRecord:
        planned = running.pending[table_id]
        why = planned.triggers[table_id]
        while True:
            outcome = self._refresher.refresh(
                table_id,
                planned.snapshot,
                planned.clock_at,
                why,
                failed=running.failed_above(table_id),
                asked=planned.asked.get(table_id, frozenset()),
                pauses=BACKOFF if why is RefreshTrigger.SCHEDULED else (),
                completion_target=planned.completion_targets.get(table_id),
            )
            if why is RefreshTrigger.SCHEDULED or not outcome.leased or not self._patient:
                return outcome
            wait_for_lease(self._site, table_id, self._stopping)
            if self._stopping():
                return outcome


def run_pass(
    refresher: Refresher, planned: PassPlan, report: Report | None = None, stopping: Callable[[], bool] = lambda: False
) -> tuple[RefreshRecord, ...]:
    """Run one pass; an unexpected error is raised at its end."""
    wrong: Exception | None = None
    with refresher.site.clock.pool(PARALLEL) as pool:
        passes = Passes(refresher, pool, report, stopping, patient=True)
        outcomes = passes.begin(planned)
        ended: bool | None = True
        while ended is not None:
            try:
                ended = passes.step()
            except Exception as error:  # noqa: BLE001 -- other tables are not affected
                wrong = wrong or error
    if wrong is not None:
        raise wrong
    return tuple(outcomes.values())


def count_failure(site: Site, table_id: int, why: str) -> None:
    """Count a consecutive failure, and suspend the table after too many."""
    now = site.clock.now()

    def work(connection: sa.Connection) -> None:
        table = definitions.find(connection, table_id)
        if table is None:
            return
        failures = table.failures + 1
        connection.execute(definitions.count_failure_stmt(table.id, failures, now + pause(failures)))
        if failures >= SUSPEND_AFTER:
            reason = f"{failures} consecutive refreshes failed: {why}"
            connection.execute(definitions.suspend_stmt(table.id, Suspension(SuspendedBy.FAILURES, reason, now)))

    site.database.transact(work)
    crash_point("failure-counted")
