"""The state of a lake for metrics and alerts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from headwater.core.refresh_record import RefreshRecord
from headwater.core.table_status import TableStatus
from headwater.registry.alerts import Alert


@dataclass(frozen=True, slots=True)
class LakeState:
    """All dynamic tables, the running refreshes, the number of due tables that wait (`backlog`), and the open alerts.

    `heartbeats` has the seconds since each worker's last heartbeat, `leases` the number of tables that each process refreshes.
    """

    at: datetime
    tables: tuple[TableStatus, ...] = ()
    running: tuple[RefreshRecord, ...] = ()
    backlog: int = 0
    snapshots: int = 0
    heartbeats: Mapping[str, float] = field(default_factory=dict)
    leases: Mapping[str, int] = field(default_factory=dict)
    alerts: frozenset[Alert] = frozenset()
