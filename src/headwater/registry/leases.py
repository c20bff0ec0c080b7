"""Who may refresh a table: one holder at a time, known by a token, until an hour of the database's own clock.

The token fences: the commit of a refresh carries a write that hits no row once the lease is another's.
"""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass

import sqlalchemy as sa

from headwater.core.crash import crash_point
from headwater.registry import tables as t
from headwater.store.database import Database

# A holder that has not said anything for so long is taken for dead.
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
    """Whether a lease is still held, and who wants the work under it to end."""

    held: bool
    cancelled_by: str | None = None


def holder() -> str:
    """This process, as others see it."""
    return f"{socket.gethostname()}:{os.getpid()}"


def new(table_id: int) -> Lease:
    """A lease that nobody has yet."""
    return Lease(table_id, secrets.token_hex(8))


def provide(database: Database, table_id: int) -> None:
    """See to it that there is a lease to take."""
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
    """The statement that takes a lease if it can be had; a row that somebody changes right now is not waited for."""
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
    """The leases whose holder has not said anything for too long, or is known to be dead."""
    rows = connection.execute(_LATE[kind]).all()
    return tuple(Lease(row.table_id, row.token) for row in rows if row.late or is_dead(row.holder))


def is_dead(holder: str) -> bool:
    """Whether a process of this machine is no more; of other machines only silence tells."""
    host, _, pid = holder.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def extend(database: Database, lease: Lease) -> LeaseStatus:
    """Say that the holder is alive, and hear how the lease stands."""
    now = t.now(database.kind)
    mine = sa.and_(t.lease.c.table_id == lease.table_id, t.lease.c.token == lease.token, t.lease.c.expires_at > now)

    def work(connection: sa.Connection) -> LeaseStatus:
        if connection.execute(sa.update(t.lease).where(mine).values(expires_at=now + LEASE_SECONDS)).rowcount == 0:
            return LeaseStatus(False)
        return LeaseStatus(True, connection.execute(sa.select(t.lease.c.cancelled_by).where(mine)).scalar())

    return database.transact(work, queue=False)


def cancel_stmt(table_id: int, by: str, kind: str) -> sa.Update:
    """The statement that asks whoever holds the lease to end; it hits no row if nobody does.

    From then on nothing can be committed under the lease.
    """
    held = sa.and_(t.lease.c.token.is_not(None), t.lease.c.expires_at > t.now(kind))
    return sa.update(t.lease).where(t.lease.c.table_id == table_id, held).values(cancelled_by=by)


def give_back(database: Database, lease: Lease) -> None:
    """Let others have it."""
    database.transact(lambda connection: connection.execute(free_stmt(lease)), queue=False)
    crash_point("lease-returned")


def free_stmt(lease: Lease) -> sa.Update:
    """The statement that gives a lease back."""
    return (
        sa.update(t.lease)
        .where(t.lease.c.table_id == lease.table_id, t.lease.c.token == lease.token)
        .values(token=None, holder=None, expires_at=0.0, cancelled_by=None)
    )


def hold_stmt(lease: Lease, kind: str) -> sa.Update:
    """The guarded write inside a commit: it hits no row if the lease has expired, is another's or is to end."""
    now = t.now(kind)
    return (
        sa.update(t.lease)
        .where(t.lease.c.table_id == lease.table_id, t.lease.c.token == lease.token, t.lease.c.expires_at > now)
        .where(t.lease.c.cancelled_by.is_(None))
        .values(expires_at=now + LEASE_SECONDS)
    )


def holders(connection: sa.Connection, kind: str) -> dict[int, str]:
    """Who refreshes which table at this moment."""
    return {row.table_id: row.holder for row in connection.execute(_HOLDING[kind])}
