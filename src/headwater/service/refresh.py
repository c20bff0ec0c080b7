"""Bring dynamic tables up to date, with all that they read, to one snapshot of the lake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from headwater.core.errors import RefreshFailed
from headwater.refresh.outcome import RefreshOutcome
from headwater.registry import history, leases, requests
from headwater.registry.definitions import DynamicTable
from headwater.schedule.backoff import BACKOFF
from headwater.schedule.due import LH_SCHEDULED, MANUAL
from headwater.service.ask import ask_worker, has_worker
from headwater.service.find import all_tables, closure, find_dynamic
from headwater.service.wiring import refresher
from headwater.sql.statements import ObjectName

if TYPE_CHECKING:
    from headwater.service.lake import Lake

# Independent tables are refreshed side by side in one Spark session.
PARALLEL = 4
# A pass that others have overtaken is run again, this many times at most.
ATTEMPTS = 5
# Seconds between two looks whether a lease is free.
PAUSE = 0.1

Report = Callable[[RefreshOutcome], None]


def refresh(lake: Lake, names: Iterable[ObjectName], report: Report | None = None) -> tuple[RefreshOutcome, ...]:
    """Refresh the named tables, and first all that they read; their outcomes in the order of the names.

    A worker that serves the lake does it, if there is one, else this process.
    """
    with lake.reader() as reader:
        wanted = [find_dynamic(reader, name) for name in names]
    served = ask_worker(lake, wanted) if wanted and has_worker(lake) else None
    outcomes = served if served is not None else _here(lake, wanted, report)
    _refuse_failures(outcomes)
    by_id = {outcome.table_id: outcome for outcome in outcomes}
    return tuple(by_id[table.id] for table in wanted)


def refresh_redefined(lake: Lake, table: DynamicTable) -> RefreshOutcome:
    """Refresh a table by the next version of its definition, which lands with its rows or not at all."""
    tool = refresher(lake)
    while True:
        with lake.reader() as reader:
            snapshot = reader.latest().id
        outcome = tool.refresh(table.id, snapshot, lake.clock.now(), MANUAL, defined=table)
        if not outcome.leased:
            break
        _wait_for_lease(lake, table.id)
    _refuse_failures([outcome])
    return outcome


def _refuse_failures(outcomes: Iterable[RefreshOutcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.state == history.FAILED]
    if failed:
        first = failed[0]
        assert first.error is not None
        raise RefreshFailed(
            f"refresh of {first.name} failed" + (f", and of {len(failed) - 1} more" if len(failed) > 1 else ""),
            detail=f"{first.error.message}. {first.error.detail or ''}".strip(),
            hint=first.error.hint,
        ) from first.error


def _here(lake: Lake, wanted: list[DynamicTable], report: Report | None) -> tuple[RefreshOutcome, ...]:
    """The tables and all that they read, refreshed by this process; again if another took an upstream past them."""
    for _ in range(ATTEMPTS):
        snapshot, outcomes = _pass(lake, wanted, report)
        reached = [o.data_snapshot or 0 for o in outcomes if o.state in (history.SUCCEED, history.SKIPPED)]
        if not reached or not min(reached) < snapshot < max(reached):
            break
    return outcomes


def _pass(lake: Lake, wanted: list[DynamicTable], report: Report | None) -> tuple[int, tuple[RefreshOutcome, ...]]:
    """One pass over the tables and all that they read, and the snapshot that it went to."""
    with lake.reader() as reader:
        tables = {table.id: table for table in all_tables(reader)}
        snapshot = reader.latest().id
        waiting = requests.open_requests(reader.connection) if tables else {}
    graph = closure(tables, {table.id for table in wanted})
    asked = {table.id for table in wanted}
    # A suspended upstream stays as it is, unless it is asked for by name.
    graph = {
        id: {up for up in above if up in asked or not tables[up].suspension}
        for id, above in graph.items()
        if id in asked or not tables[id].suspension
    }
    ids = {id: frozenset(request.id for request in found) for id, found in waiting.items()}
    outcomes = run_levels(lake, levels(graph), graph, snapshot, lake.clock.now(), lambda _id: MANUAL, report, ids)
    return snapshot, tuple(outcomes.values())


def levels(graph: Mapping[int, set[int]]) -> list[list[int]]:
    """Tables in an order in which upstreams come first; those of one level do not read each other."""
    order = TopologicalSorter(graph)
    order.prepare()
    found = []
    while order.is_active():
        ready = sorted(order.get_ready())
        found.append(ready)
        order.done(*ready)
    return found


def run_levels(
    lake: Lake,
    order: Iterable[Iterable[int]],
    graph: Mapping[int, set[int]],
    snapshot: int,
    clock_at: datetime,
    trigger: Callable[[int], str],
    report: Report | None = None,
    asked: Mapping[int, frozenset[str]] = {},
) -> dict[int, RefreshOutcome]:
    """Refresh level after level to one snapshot and one clock value, for the sake of requests that were `asked` before.

    What somebody waits for waits for others who refresh the same table; what is on schedule leaves it to them.
    """
    tool = refresher(lake)
    outcomes: dict[int, RefreshOutcome] = {}

    def one(table_id: int) -> RefreshOutcome:
        why = trigger(table_id)
        failed = frozenset(up for up in graph[table_id] if up in outcomes and not outcomes[up].succeeded)
        pauses = BACKOFF if why == LH_SCHEDULED else ()
        answers = asked.get(table_id, frozenset())
        while True:
            outcome = tool.refresh(table_id, snapshot, clock_at, why, failed=failed, asked=answers, pauses=pauses)
            if why == LH_SCHEDULED or not outcome.leased:
                break
            _wait_for_lease(lake, table_id)
        if report:
            report(outcome)
        return outcome

    with ThreadPoolExecutor(PARALLEL, thread_name_prefix="headwater-refresh") as pool:
        for level in order:
            members = list(level)
            outcomes |= dict(zip(members, pool.map(one, members), strict=True))
    return outcomes


def _wait_for_lease(lake: Lake, table_id: int) -> None:
    """Return when nobody refreshes the table any more; the lease of one who died expires."""
    while True:
        with lake.reader() as reader:
            if table_id not in leases.holders(reader.connection, lake.database.kind):
                return
        lake.clock.sleep(PAUSE)
