"""Bring dynamic tables up to date, with all that they read, to one snapshot of the lake."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from headwater.core.errors import RefreshFailed
from headwater.refresh.outcome import RefreshOutcome
from headwater.registry import history, requests
from headwater.registry.definitions import DynamicTable
from headwater.schedule.due import MANUAL
from headwater.service.ask import ask_worker, has_worker
from headwater.service.find import all_tables, closure, find_dynamic
from headwater.service.passes import Planned, Report, run_pass, wait_for_lease
from headwater.service.wiring import drive, refresher
from headwater.sql.statements import ObjectName

if TYPE_CHECKING:
    from headwater.service.lake import Lake

# A pass that others have overtaken is run again, this many times at most.
ATTEMPTS = 5


def refresh(lake: Lake, names: Iterable[ObjectName], report: Report | None = None) -> tuple[RefreshOutcome, ...]:
    """Refresh the named tables, and first all that they read; their outcomes in the order of the names.

    A worker that serves the lake does it, if there is one, else this process.
    """
    with lake.reader() as reader:
        wanted = [find_dynamic(reader, name) for name in names]
        closure({table.id: table for table in all_tables(reader)}, {table.id for table in wanted})
    served = ask_worker(lake, wanted) if wanted and has_worker(lake, wanted) else None
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
        wait_for_lease(lake, table.id)
    _refuse_failures([outcome])
    if outcome.state == history.CANCELLED and outcome.error is not None:
        raise outcome.error
    return outcome


def _refuse_failures(outcomes: Iterable[RefreshOutcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.state == history.FAILED]
    if failed:
        first = failed[0]
        assert first.error is not None
        raise RefreshFailed(
            f"refresh of {first.name} failed" + (f", and of {len(failed) - 1} more" if len(failed) > 1 else ""),
            detail=f"{first.error.message.rstrip('.')}. {first.error.detail or ''}".strip(),
            hint=first.error.hint,
        ) from first.error


def _here(lake: Lake, wanted: list[DynamicTable], report: Report | None) -> tuple[RefreshOutcome, ...]:
    """The tables and all that they read, refreshed by this process; again if another took an upstream past them.

    Those that they read are computed on the driver of those that were asked for.
    """
    for table in wanted:
        drive(lake, table.warehouse)
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
    planned = Planned(graph, snapshot, lake.clock.now(), dict.fromkeys(graph, MANUAL), asked=ids)
    return snapshot, run_pass(lake, planned, report)
