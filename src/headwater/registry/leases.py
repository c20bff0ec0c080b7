"""Leases: one holder may refresh a table at a time, identified by a token, until a time of the database's clock.

The token is a fence: a refresh's commit contains a write that matches no row if another process holds the lease.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.registry import tables as t
from headwater.registry.processes import parse_process, this_process
from headwater.store.database import Database

# Seconds after which a lease expires unless it is extended.
LEASE_SECONDS = 60.0
# The lease of maintenance; no table has this id, which is that of the first schema.
MAINTENANCE = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to refresh a table."""

    table_id: int
    token: str


@dataclass(frozen=True, slots=True)
class LeaseStatus:
    """Whether a lease is still held, and who has cancelled the work under it."""

    held: bool
    cancelled_by: str | None = None


def holder() -> str:
    """This process, as leases name it."""
    return str(this_process())


def new(table_id: int) -> Lease:
    """A lease with a new token, not taken yet."""
    return Lease(table_id, secrets.token_hex(8))


def provide(database: Database, table_id: int) -> None:
    """Create the lease if it does not exist."""
    known = sa.exists().where(t.lease.c.table_id == table_id)

    def work(connection: sa.Connection) -> None:
        if not connection.execute(sa.select(known)).scalar_one():
            connection.execute(sa.insert(t.lease).values(table_id=table_id, expires_at=0.0))

    database.transact(work)


def take(database: Database, table_id: int) -> Lease | None:
    """Take the lease if it is free or its holder is dead."""
    lease = new(table_id)
    statement = take_stmt(lease, database.kind)
    return lease if database.transact(lambda c: c.execute(statement).rowcount, queue=False) == 1 else None


def take_stmt(lease: Lease, kind: str) -> sa.Update:
    """The statement that takes a free or expired lease; it does not wait for a locked row."""
    now = t.now(kind)
    free = sa.or_(t.lease.c.token.is_(None), t.lease.c.expires_at <= now)
    unlocked = sa.select(t.lease.c.table_id).where(t.lease.c.table_id == lease.table_id, free)
    return (
        sa.update(t.lease)
        .where(t.lease.c.table_id.in_(unlocked.with_for_update(skip_locked=True)))
        .values(token=lease.token, holder=holder(), expires_at=now + LEASE_SECONDS, cancelled_by=None)
    )


_HELD = sa.select(t.lease.c.table_id, t.lease.c.token, t.lease.c.holder).where(t.lease.c.token.is_not(None))
_LATE = {kind: _HELD.add_columns((t.lease.c.expires_at <= t.now(kind)).label("late")) for kind in t.KINDS}
_HOLDING = {kind: _HELD.where(t.lease.c.expires_at > t.now(kind)) for kind in t.KINDS}


def abandoned(connection: sa.Connection, kind: str) -> tuple[Lease, ...]:
    """The leases that have expired, or whose holder is known to be dead."""
    rows = connection.execute(_LATE[kind]).all()
    return tuple(Lease(row.table_id, row.token) for row in rows if row.late or is_dead(row.holder))


def is_dead(holder: str) -> bool:
    """Whether the holder of a lease is known to be dead."""
    process = parse_process(holder)
    return process is not None and process.is_dead()


def extend(database: Database, lease: Lease) -> LeaseStatus:
    """Extend the lease, and return its status."""
    extended = sa.update(t.lease).where(_is_held(lease, database.kind))
    extended = extended.values(expires_at=t.now(database.kind) + LEASE_SECONDS)

    def work(connection: sa.Connection) -> LeaseStatus:
        if connection.execute(extended).rowcount == 0:
            return LeaseStatus(False)
        return _status(connection, lease, database.kind)

    return database.transact(work, queue=False)


def status(database: Database, lease: Lease) -> LeaseStatus:
    """The status of the lease."""
    with database.read() as connection:
        return _status(connection, lease, database.kind)


def _status(connection: sa.Connection, lease: Lease, kind: str) -> LeaseStatus:
    row = connection.execute(sa.select(t.lease.c.cancelled_by).where(_is_held(lease, kind))).one_or_none()
    return LeaseStatus(False) if row is None else LeaseStatus(True, row.cancelled_by)


def _is_held(lease: Lease, kind: str) -> sa.ColumnElement[bool]:
    mine = sa.and_(t.lease.c.table_id == lease.table_id, t.lease.c.token == lease.token)
    return sa.and_(mine, t.lease.c.expires_at > t.now(kind))


def cancel_stmt(table_id: int, by: str, kind: str) -> sa.Update:
    """The statement that cancels the work of the lease's holder; no row if there is none.

    From then on nothing can be committed under the lease.
    """
    held = sa.and_(t.lease.c.token.is_not(None), t.lease.c.expires_at > t.now(kind))
    return sa.update(t.lease).where(t.lease.c.table_id == table_id, held).values(cancelled_by=by)


def revoke_stmt(lease: Lease, by: str) -> sa.Update:
    """The statement that cancels the work under this lease."""
    mine = sa.and_(t.lease.c.table_id == lease.table_id, t.lease.c.token == lease.token)
    return sa.update(t.lease).where(mine).values(cancelled_by=by)


def give_back(database: Database, lease: Lease) -> None:
    """Release the lease."""
    database.transact(lambda connection: connection.execute(free_stmt(lease)), queue=False)
    crash_point("lease-returned")


def free_stmt(lease: Lease) -> sa.Update:
    """The statement that releases a lease."""
    return (
        sa.update(t.lease)
        .where(t.lease.c.table_id == lease.table_id, t.lease.c.token == lease.token)
        .values(token=None, holder=None, expires_at=0.0, cancelled_by=None)
    )


def hold_stmt(lease: Lease, kind: str) -> sa.Update:
    """The guarded write inside a commit: no row if the lease has expired, is held by another process, or is cancelled."""
    held = sa.update(t.lease).where(_is_held(lease, kind), t.lease.c.cancelled_by.is_(None))
    return held.values(expires_at=t.now(kind) + LEASE_SECONDS)


def holders(connection: sa.Connection, kind: str) -> dict[int, str]:
    """The current holders of leases, by table."""
    return {row.table_id: row.holder for row in connection.execute(_HOLDING[kind])}
