"""Refresh dynamic tables and their upstreams to one snapshot of the lake."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.refresh.compute import Compute
from headwater.refresh.dependencies import closure
from headwater.refresh.find import all_tables, find_dynamic
from headwater.refresh.raise_failures import raise_failures
from headwater.refresh.run import Refresher
from headwater.registry import requests
from headwater.registry.definitions import DynamicTable
from headwater.schedule.lag import completion_targets
from headwater.service.interruptible import interruptible
from headwater.service.wiring import bind_driver
from headwater.sql.statements import ObjectName
from headwater.worker.passes import PassPlan, Report, run_pass
from headwater.worker.request_refresh import ask_worker, has_worker
from headwater.worker.table_states import load_table_inputs

# How often a pass is repeated after a concurrent refresh overtook it.
ATTEMPTS = 5


def refresh(
    site: Site, compute: Compute, names: Iterable[ObjectName], report: Report | None = None
) -> tuple[RefreshRecord, ...]:
    """Refresh the named tables, or all if none is named, after their upstreams; returns outcomes in the order of the names.

    A worker runs the refresh if one serves the lake, else this process. An interrupt cancels it.
    """
    return interruptible(compute.cancellation, lambda: _refresh(site, compute, names, report))


def _refresh(
    site: Site, compute: Compute, names: Iterable[ObjectName], report: Report | None
) -> tuple[RefreshRecord, ...]:
    with site.reader() as reader:
        wanted = [find_dynamic(reader, name) for name in names] or list(all_tables(reader))
        served = has_worker(reader, wanted)
        planned = _plan(reader, site.clock.now(), wanted)
    answered = ask_worker(site, compute, wanted) if wanted and served else None
    outcomes = answered if answered is not None else _here(site, compute, wanted, planned, report)
    raise_failures(outcomes)
    by_id = {outcome.table_id: outcome for outcome in outcomes}
    return tuple(by_id[table.id] for table in wanted)


def _here(
    site: Site, compute: Compute, wanted: list[DynamicTable], planned: PassPlan, report: Report | None
) -> tuple[RefreshRecord, ...]:
    """Refresh the tables and their upstreams in this process; repeat if another process advanced an upstream.

    Those that they read are computed on the driver of those that were asked for.
    """
    for table in wanted:
        bind_driver(compute.warehouses, table.warehouse)
    cancellation = compute.cancellation
    for _ in range(ATTEMPTS):
        outcomes = run_pass(Refresher(site, compute), planned, report, stopping=lambda: cancellation.requested)
        reached = [o.data_snapshot or 0 for o in outcomes if o.state in (RefreshState.SUCCEED, RefreshState.SKIPPED)]
        cancellation.check()
        if not reached or not min(reached) < planned.snapshot < max(reached):
            break
        with site.reader() as reader:
            planned = _plan(reader, site.clock.now(), wanted)
    return outcomes


def _plan(reader: LakeReader, now: datetime, wanted: list[DynamicTable]) -> PassPlan:
    """A pass over the tables and their upstreams; refuses a cycle."""
    tables = {table.id: table for table in all_tables(reader)}
    waiting = requests.open_requests(reader.connection) if tables else {}
    targets = completion_targets(each.state for each in load_table_inputs(reader)[1])
    graph = closure(tables, {table.id for table in wanted})
    asked = {table.id for table in wanted}
    # A suspended upstream stays as it is, unless it is asked for by name.
    graph = {
        id: {up for up in above if up in asked or not tables[up].suspension}
        for id, above in graph.items()
        if id in asked or not tables[id].suspension
    }
    ids = {id: frozenset(request.id for request in found) for id, found in waiting.items()}
    triggers = dict.fromkeys(graph, RefreshTrigger.MANUAL)
    return PassPlan(graph, reader.latest().id, now, triggers, asked=ids, completion_targets=targets)
