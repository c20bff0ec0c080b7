"""Clean up after a process that died during a refresh: its lease, and its unfinished row in the history."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.lake.site import Site
from headwater.registry import history, leases
from headwater.registry.leases import Lease
from headwater.store.database import Database

# Seconds between two checks whether a lease is free.
PAUSE = 0.1


def take_over(database: Database, table_id: int, at: datetime) -> Lease | None:
    """Take the lease of a table if it is free, and close a history row that its last holder left unfinished."""
    lease = leases.new(table_id)

    def work(connection: sa.Connection) -> bool:
        if connection.execute(leases.take_stmt(lease, database.kind)).rowcount != 1:
            return False
        connection.execute(history.interrupt_stmt([table_id], at))
        return True

    crash_point("lease-wanted")
    had = database.transact(work, queue=False)
    crash_point("lease-taken")
    return lease if had else None


def recover(database: Database, at: datetime) -> tuple[int, ...]:
    """Release the leases of dead processes and close their history rows; returns the tables."""
    with database.read() as connection:
        found = leases.abandoned(connection, database.kind)
    if not found:
        return ()

    def work(connection: sa.Connection) -> tuple[int, ...]:
        freed = tuple(each.table_id for each in found if connection.execute(leases.free_stmt(each)).rowcount == 1)
        connection.execute(history.interrupt_stmt(freed, at))
        return freed

    closed = database.transact(work)
    crash_point("abandoned-leases-freed")
    return closed


def wait_for_lease(site: Site, table_id: int, stopping: Callable[[], bool] = lambda: False) -> None:
    """Wait until no process refreshes the table; the lease of a process that died on another machine expires."""
    while not stopping():
        recover(site.database, site.clock.now())
        with site.reader() as reader:
            if table_id not in leases.holders(reader.connection, site.database.kind):
                return
        site.clock.sleep(PAUSE)
