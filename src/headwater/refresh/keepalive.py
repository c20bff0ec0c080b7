"""A lease kept alive while its refresh runs."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress

from headwater.commit.commit import Guard
from headwater.core.clock import Clock
from headwater.core.errors import LeaseLost, StoreError
from headwater.registry import leases
from headwater.registry.leases import Lease
from headwater.store.database import Database


def kept_alive(database: Database, lease: Lease, clock: Clock) -> AbstractContextManager[None]:
    """Extend the lease again and again; what goes wrong there shows when the commit finds the lease expired."""

    def beat() -> None:
        with suppress(StoreError):
            leases.extend(database, [lease])

    return clock.beating(leases.SECONDS / 3, beat)


def still_held(lease: Lease, kind: str) -> Guard:
    """What a commit under the lease requires."""
    return Guard(
        lambda _id: leases.held(lease, kind),
        "the lease of this table has expired or is another's now",
        hint="Leave the table to who holds it, or begin anew.",
        error=LeaseLost,
    )
