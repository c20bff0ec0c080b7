"""Cancel refreshes: end running ones and answer waiting requests; the schedule continues."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.core.errors import RefreshCancelled
from headwater.core.refresh_record import RefreshRecord, RefreshState, RefreshTrigger
from headwater.lake.site import Site
from headwater.refresh.find import find_dynamic
from headwater.refresh.refresh_log import RefreshLog
from headwater.registry import history, leases, requests
from headwater.registry.definitions import DynamicTable
from headwater.sql.statements import ObjectName


def cancel(site: Site, name: ObjectName) -> bool:
    """Whether there was something to cancel.

    The process that refreshes the table notices within seconds, and can no longer commit.
    """
    with site.reader() as reader:
        table = find_dynamic(reader, name)
    return cancel_table(site, table)


def cancel_table(site: Site, table: DynamicTable) -> bool:
    """The same for a table that is known."""

    def work(connection: sa.Connection) -> bool:
        if connection.execute(leases.cancel_stmt(table.id, leases.holder(), site.database.kind)).rowcount:
            return True
        waiting = requests.open_requests(connection).get(table.id, ())
        if waiting:
            record = _never_begun(site, table)
            connection.execute(history.insert_stmt(record))
            connection.execute(requests.answer_stmt([each.id for each in waiting], site.clock.now(), record.id))
        return bool(waiting)

    return site.database.transact(work)


def _never_begun(site: Site, table: DynamicTable) -> RefreshRecord:
    """The record of a refresh that was cancelled before it began."""
    error = RefreshCancelled(
        "the request was cancelled before its refresh began",
        detail=f"{leases.holder()} requested it.",
        hint="Request the refresh again if needed.",
    )
    return RefreshLog(site, RefreshTrigger.MANUAL).record(table, RefreshState.CANCELLED, error=error)
