"""How long the history of refreshes is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from headwater.registry import history, plans, requests

if TYPE_CHECKING:
    from headwater.service.lake import Lake

HISTORY_DAYS = 7.0


def forget_history(lake: Lake, days: float = HISTORY_DAYS) -> int:
    """Forget refreshes, and requests for them, that ended so many days ago; the number of refreshes."""
    before = lake.clock.now() - timedelta(days=days)

    def work(connection: sa.Connection) -> int:
        connection.execute(requests.forgotten(before))
        rows = connection.execute(history.forgotten(before)).rowcount
        connection.execute(plans.forgotten())
        return rows

    return lake.database.transact(work)


def count_history(lake: Lake, days: float = HISTORY_DAYS) -> int:
    """How many refreshes would be forgotten."""
    with lake.reader() as reader:
        return history.count_forgotten(reader.connection, lake.clock.now() - timedelta(days=days))
