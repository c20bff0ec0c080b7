"""One pass of the scheduler: what is due is refreshed, whole chains to one snapshot; what is idle moves on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

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
    for left in _left_to_others(lake, observed, triggers):
        del triggers[left]
    _advance_idle(lake, observed, snapshot, triggers.keys())
    graph = {
        id: {up for up in each.state.before if up in triggers} for each in observed if (id := each.state.id) in triggers
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
            count_failure(lake, outcome)
    return Tick(snapshot, tuple(outcomes.values()), plan)


def _left_to_others(lake: Lake, observed: tuple[Observed, ...], planned: Collection[int]) -> list[int]:
    """The planned tables that other workers compute, and those that would get nothing newer before those are done."""
    if lake.served is None:
        return []
    names = {each.name for each in lake.served}
    at = {each.state.id: each.frontier.snapshot if each.frontier else -1 for each in observed}
    wanted = {each.state.id: each for each in observed if each.state.id in planned}
    elsewhere = {id for id, each in wanted.items() if each.table.warehouse not in names}
    waiting: set[int] = set()
    while more := {
        id
        for id, each in wanted.items()
        if id not in elsewhere | waiting
        and any(up in waiting or (up in elsewhere and at[up] <= at[id]) for up in each.state.before)
    }:
        waiting |= more
    return sorted(elsewhere | waiting)


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


def count_failure(lake: Lake, outcome: RefreshOutcome) -> None:
    """One more failure in a row, whoever counted the others: the table rests for a while, or is suspended."""
    now = lake.clock.now()

    def work(connection: sa.Connection) -> None:
        table = definitions.find(connection, outcome.table_id)
        if table is None:
            return
        failures = table.failures + 1
        connection.execute(definitions.failed(table.id, failures, now + pause(failures)))
        if failures >= SUSPEND_AFTER:
            reason = f"{failures} refreshes in a row failed: {outcome.error.message if outcome.error else 'unknown'}"
            connection.execute(definitions.suspended(table.id, Suspension(FAILURES, reason, now)))

    lake.database.transact(work)
    crash_point("failure-counted")
