"""What follows from a refresh on schedule that failed: the table rests for a while, or is suspended."""

from __future__ import annotations

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.lake.site import Site
from headwater.registry import definitions
from headwater.registry.definitions import Suspension
from headwater.schedule.backoff import SUSPEND_AFTER, pause

FAILURES = "FAILURES"


def count_failure(site: Site, table_id: int, why: str) -> None:
    """One more failure in a row, whoever counted the others."""
    now = site.clock.now()

    def work(connection: sa.Connection) -> None:
        table = definitions.find(connection, table_id)
        if table is None:
            return
        failures = table.failures + 1
        connection.execute(definitions.failed(table.id, failures, now + pause(failures)))
        if failures >= SUSPEND_AFTER:
            reason = f"{failures} refreshes in a row failed: {why}"
            connection.execute(definitions.suspended(table.id, Suspension(FAILURES, reason, now)))

    site.database.transact(work)
    crash_point("failure-counted")
