"""Delete old history of refreshes."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from headwater.core.settings import DEFAULTS
from headwater.lake.site import Site
from headwater.registry import history, refresh_sql, requests


def forget_history(site: Site, days: float = DEFAULTS.history_days) -> int:
    """Delete refreshes and refresh requests that ended more than `days` days ago; returns the number of refreshes."""
    before = site.clock.now() - timedelta(days=days)

    def work(connection: sa.Connection) -> int:
        connection.execute(requests.delete_old_stmt(before))
        rows = connection.execute(history.delete_old_stmt(before)).rowcount
        connection.execute(refresh_sql.delete_unused_stmt())
        return rows

    return site.database.transact(work)


def count_history(site: Site, days: float = DEFAULTS.history_days) -> int:
    """The number of refreshes that `forget_history` would delete."""
    with site.reader() as reader:
        return history.count_forgotten(reader.connection, site.clock.now() - timedelta(days=days))
