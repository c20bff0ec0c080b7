"""Cancel refreshes: end running ones and answer waiting requests; the schedule continues."""

from __future__ import annotations

import uuid

import sqlalchemy as sa

from headwater.core.errors import RefreshCancelled
from headwater.lake.site import Site
from headwater.refresh.find import find_dynamic
from headwater.registry import history, leases, requests
from headwater.registry.definitions import DynamicTable
from headwater.registry.history import Refresh
from headwater.schedule.due import MANUAL
from headwater.sql.statements import ObjectName


def cancel(site: Site, name: ObjectName) -> bool:
    """Whether there was something to cancel.

    The process that refreshes the table notices within seconds, and can no longer commit.
    """
    with site.reader() as reader:
        table = find_dynamic(reader, name)

    def work(connection: sa.Connection) -> bool:
        if connection.execute(leases.cancel_stmt(table.id, leases.holder(), site.database.kind)).rowcount:
            return True
        waiting = requests.open_requests(connection).get(table.id, ())
        if waiting:
            row = _never_begun(site, table)
            connection.execute(history.insert_stmt(row))
            connection.execute(requests.answer_stmt([each.id for each in waiting], site.clock.now(), row.id))
        return bool(waiting)

    return site.database.transact(work)


def _never_begun(site: Site, table: DynamicTable) -> Refresh:
    """The history row of a request that was cancelled before its refresh began."""
    now = site.clock.now()
    error = RefreshCancelled(
        "the request was cancelled before its refresh began",
        detail=f"{leases.holder()} requested it.",
        hint="Request the refresh again if needed.",
    )
    return Refresh(
        id=str(uuid.uuid4()),
        table_id=table.id,
        name=table.name,
        warehouse=table.warehouse,
        state=history.CANCELLED,
        trigger=MANUAL,
        started_at=now,
        ended_at=now,
        error=str(error),
        sources=tuple(source.name for source in table.sources),
    )
