"""The scheduler's view of one dynamic table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from headwater.core.freshness import Freshness
from headwater.core.names import TableName


@dataclass(frozen=True, slots=True)
class TableState:
    """What the scheduler knows of one dynamic table; all times in UTC, durations in seconds.

    `stale_since` is the time of the first snapshot after its frontier that touched its base closure, None when up to
    date; `failures` are consecutive; `requested_at` is the time of the oldest open request; a higher `priority` runs first.
    `cancelled_at` is the end of its last refresh if a user cancelled it.

    `after_ids` are the dynamic tables of AFTER, `closed_gates` the other tables of AFTER that have not changed since its
    frontier; `gates_opened_at` is the first change of the last of those that have.
    """

    id: int
    name: TableName
    freshness: Freshness
    created_at: datetime
    upstream: frozenset[int] = frozenset()
    suspended: bool = False
    initialized: bool = True
    stale_since: datetime | None = None
    expected: float = 0.0
    last_started_at: datetime | None = None
    last_succeeded_at: datetime | None = None
    failures: int = 0
    retry_at: datetime | None = None
    requested_at: datetime | None = None
    priority: int = 0
    cancelled_at: datetime | None = None
    after_ids: frozenset[int] = frozenset()
    closed_gates: tuple[TableName, ...] = ()
    gates_opened_at: datetime | None = None

    @property
    def before(self) -> frozenset[int]:
        """The dynamic tables before it in a pass: those that it reads and those that AFTER names."""
        return self.upstream | self.after_ids
