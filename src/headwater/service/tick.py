"""One pass of the scheduler: what is due is refreshed, whole chains to one snapshot; what is idle moves on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from headwater.core.crash import crash_point
from headwater.refresh.outcome import RefreshOutcome
from headwater.refresh.recover import recover
from headwater.registry import definitions, frontiers, history, install, requests
from headwater.registry import tables as t
from headwater.registry.definitions import Suspension
from headwater.schedule.backoff import SUSPEND_AFTER, pause
from headwater.schedule.due import Pass, due
from headwater.service.run_pass import Report, run_pass
from headwater.service.states import Observed, observe
from headwater.service.write import write

if TYPE_CHECKING:
    from headwater.service.lake import Lake

FAILURES = "FAILURES"


@dataclass(frozen=True, slots=True)
class Tick:
    """What a pass did; `next_at` is when it is worth looking again if nothing changes."""

    snapshot: int
    outcomes: tuple[RefreshOutcome, ...]
    plan: Pass

    @property
    def next_at(self) -> datetime | None:
        return self.plan.next_at


def tick(lake: Lake, report: Report | None = None, stopping: Callable[[], bool] = lambda: False) -> Tick:
    """Refresh everything that is due now; when it is time for `stopping`, finish what has begun."""
    now = lake.clock.now()
    with lake.reader() as reader:
        snapshot, observed = observe(reader)
        there = install.is_installed(reader.connection)
        asked_for = requests.open_requests(reader.connection).keys() if there else set()
    if gone := asked_for - {each.table.id for each in observed}:
        write(lake, requests.withdrawn(gone))
    if observed:
        recover(lake.database, now)
    plan = due((each.state for each in observed), now)
    if not observed:
        return Tick(snapshot, (), plan)
    triggers = {item.id: item.trigger for level in plan.levels for item in level}
    _advance_idle(lake, observed, snapshot, triggers.keys())
    graph = {
        id: {up for up in each.state.upstream if up in triggers}
        for each in observed
        if (id := each.state.id) in triggers
    }
    asked = {each.state.id: each.requests for each in observed}
    outcomes = run_pass(
        lake,
        graph,
        snapshot,
        now,
        triggers.__getitem__,
        urgent=plan.urgent,
        asked=asked,
        report=report,
        stopping=stopping,
    )
    for outcome in outcomes.values():
        if outcome.state == history.FAILED and triggers[outcome.table_id] != "MANUAL":
            _count_failure(lake, outcome, next(e for e in observed if e.state.id == outcome.table_id))
    return Tick(snapshot, tuple(outcomes.values()), plan)


def _advance_idle(lake: Lake, observed: tuple[Observed, ...], snapshot: int, running: object) -> None:
    """Tables whose sources did not change hold for the newest snapshot too: one statement for all of them."""
    idle = [
        each.state.id
        for each in observed
        if each.frontier
        and each.state.stale_since is None
        and each.frontier.snapshot < snapshot
        and each.frontier.clock_at is None
        and each.state.id not in running  # type: ignore[operator]
    ]
    if idle:
        write(lake, frontiers.advance_idle(idle, snapshot, lake.clock.now(), t.now(lake.database.kind)))
        crash_point("idle-advanced")


def _count_failure(lake: Lake, outcome: RefreshOutcome, each: Observed) -> None:
    failures = each.table.failures + 1
    now = lake.clock.now()
    statements = [definitions.failed(outcome.table_id, failures, now + pause(failures))]
    if failures >= SUSPEND_AFTER:
        reason = f"{failures} refreshes in a row failed: {outcome.error.message if outcome.error else 'unknown'}"
        statements.append(definitions.suspended(outcome.table_id, Suspension(FAILURES, reason, now)))
    write(lake, *statements)
    crash_point("failure-counted")
