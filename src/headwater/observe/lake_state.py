"""The state of a lake for metrics and alerts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from headwater.core.names import TableName
from headwater.registry.alerts import Alert
from headwater.registry.definitions import Suspension


@dataclass(frozen=True, slots=True)
class TableLook:
    """A dynamic table: its lag and effective target in seconds, and its consecutive failures."""

    id: int
    name: TableName
    lag: float
    target: float | None = None
    failures: int = 0
    suspension: Suspension | None = None

    @property
    def late(self) -> bool:
        """Whether the lag exceeds its target."""
        return self.target is not None and self.lag > self.target


@dataclass(frozen=True, slots=True)
class Running:
    """A running refresh."""

    refresh_id: str
    table_id: int
    started_at: datetime


@dataclass(frozen=True, slots=True)
class LakeState:
    """All dynamic tables, what runs, how many tables are due but do not run, who lives, and which alerts are open.

    `heartbeats` has the seconds since each worker said something, `leases` how many tables each process refreshes.
    """

    at: datetime
    tables: tuple[TableLook, ...] = ()
    running: tuple[Running, ...] = ()
    backlog: int = 0
    snapshots: int = 0
    heartbeats: Mapping[str, float] = field(default_factory=dict)
    leases: Mapping[str, int] = field(default_factory=dict)
    alerts: frozenset[Alert] = frozenset()
