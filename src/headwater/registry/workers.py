"""Workers that serve the lake."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from headwater.core.warehouse import DEFAULT
from headwater.registry import tables as t
from headwater.registry.processes import Process

# Seconds without a heartbeat after which a worker counts as dead.
HEARTBEAT_TIMEOUT = 30.0


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that refreshes tables on schedule."""

    id: str
    host: str
    pid: int
    version: str
    started_at: datetime
    doing: str | None = None
    # The warehouses that it serves, by name.
    warehouses: tuple[str, ...] = (DEFAULT,)

    @property
    def process(self) -> Process:
        return Process(self.host, self.pid)

    def serves(self, warehouse: str) -> bool:
        return warehouse in self.warehouses


def register_stmt(worker: Worker, kind: str) -> sa.Insert:
    """The statement that registers a worker."""
    row = {name: getattr(worker, name) for name in Worker.__slots__} | {"warehouses": ", ".join(worker.warehouses)}
    return sa.insert(t.worker).values(heartbeat_at=t.now(kind), **row)


def beat_stmt(worker_id: str, doing: str | None, kind: str) -> sa.Update:
    """The statement that writes a worker's heartbeat."""
    return sa.update(t.worker).where(t.worker.c.id == worker_id).values(heartbeat_at=t.now(kind), doing=doing)


def unregister_stmt(worker_id: str) -> sa.Delete:
    """The statement that unregisters a worker."""
    return sa.delete(t.worker).where(t.worker.c.id == worker_id)


def delete_expired_stmt(kind: str) -> sa.Delete:
    """The statement that deletes workers without a recent heartbeat."""
    return sa.delete(t.worker).where(t.worker.c.heartbeat_at <= t.now(kind) - HEARTBEAT_TIMEOUT)


_AGES = {
    kind: sa.select(t.worker.c.host, t.worker.c.pid, (t.now(kind) - t.worker.c.heartbeat_at).label("age"))
    for kind in t.KINDS
}
_LIVING = {
    kind: sa.select(*(t.worker.c[name] for name in Worker.__slots__))
    .where(t.worker.c.heartbeat_at > t.now(kind) - HEARTBEAT_TIMEOUT)
    .order_by(t.worker.c.started_at)
    for kind in t.KINDS
}


def ages(connection: sa.Connection, kind: str) -> dict[str, float]:
    """Seconds since each worker's last heartbeat, by host and process; also of those that may be dead."""
    return {str(Process(row.host, row.pid)): max(0.0, row.age) for row in connection.execute(_AGES[kind])}


def living(connection: sa.Connection, kind: str) -> tuple[Worker, ...]:
    """The running workers, oldest first."""
    return tuple(_worker(row) for row in connection.execute(_LIVING[kind]))


def _worker(row: sa.Row[tuple[object, ...]]) -> Worker:
    values = dict(row._mapping)
    # A worker of an early release did not write its warehouses.
    warehouses = str(values.pop("warehouses") or DEFAULT).split(", ")
    return Worker(warehouses=tuple(warehouses), **values)
