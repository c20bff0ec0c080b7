"""A manual refresh through a worker: the caller inserts a request and waits for the worker's answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from headwater.core.crash import crash_point
from headwater.core.errors import StoreError
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.refresh.compute import Compute
from headwater.refresh.progress import Elsewhere, Watch
from headwater.refresh.refresh_log import RefreshLog
from headwater.registry import history, install, leases, requests, workers
from headwater.registry.definitions import DynamicTable
from headwater.registry.workers import Worker
from headwater.worker.cancel import cancel_table

PAUSE = 0.2
UNTOLD = "the table was dropped or replaced, or the worker reported no outcome"


def has_worker(reader: LakeReader, tables: Sequence[DynamicTable]) -> bool:
    """Whether running workers serve the warehouses of all these tables."""
    there = install.is_installed(reader.connection)
    living = workers.living(reader.connection, reader.connection.dialect.name) if there else ()
    return _all_served(tables, living)


def _all_served(tables: Sequence[DynamicTable], living: Sequence[Worker]) -> bool:
    return all(any(worker.serves(table.warehouse) for worker in living) for table in tables)


def ask_worker(site: Site, compute: Compute, tables: Sequence[DynamicTable]) -> tuple[RefreshRecord, ...] | None:
    """Request refreshes, and wait for the worker's answers; None if it died before it answered.

    If the caller cancels its work, the refreshes are cancelled.
    """
    asked = {}
    statements = []
    for table in tables:
        request_id, statement = requests.request_stmt(table.id, site.clock.now(), leases.holder())
        asked[table.id] = request_id
        statements.append(statement)
    site.database.execute(*statements)
    crash_point("request-asked")
    try:
        with compute.cancellation.calling(lambda: _cancel(site, tables)):
            return _answer(site, tables, asked, compute.watch)
    finally:
        if compute.watch:
            compute.watch(Elsewhere())


def _cancel(site: Site, tables: Sequence[DynamicTable]) -> None:
    with suppress(StoreError):
        for table in tables:
            cancel_table(site, table)


def _answer(
    site: Site, tables: Sequence[DynamicTable], asked: Mapping[int, str], watch: Watch | None
) -> tuple[RefreshRecord, ...] | None:
    while True:
        with site.reader() as reader:
            found = {id: requests.find(reader.connection, request_id) for id, request_id in asked.items()}
            # A request is deleted with its table.
            if all(request is None or request.done_at for request in found.values()):
                ran = {
                    id: history.find(reader.connection, request.refresh_id)
                    for id, request in found.items()
                    if request and request.refresh_id
                }
                return tuple(_outcome(site, table, ran.get(table.id)) for table in tables)
            living = workers.living(reader.connection, site.database.kind)
        if not _all_served(tables, living):
            return None
        if watch:
            watch(Elsewhere(tuple(f"worker {w.process}  {w.doing}" for w in living if w.doing)))
        site.clock.sleep(PAUSE)


def _outcome(site: Site, table: DynamicTable, ran: RefreshRecord | None) -> RefreshRecord:
    """The record of the refresh that answered, under the table's current name."""
    if ran is None:
        return RefreshLog(site, RefreshTrigger.MANUAL).record(table, RefreshState.SKIPPED, reason=UNTOLD)
    return replace(ran, name=table.name)
