"""Guards, each broken on purpose: a simulation that can't find them out would prove nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import sqlalchemy as sa

from headwater.commit import commit
from headwater.core.refresh_record import RefreshState
from headwater.maintain import expire
from headwater.maintain.pins import Pins
from headwater.registry import frontiers, history, leases
from headwater.registry import tables as t
from headwater.registry.frontiers import TableVersion
from headwater.registry.leases import Lease

Patch = tuple[Any, str, Any]


def _any_lease(lease: Lease, _kind: str) -> sa.Update:
    return sa.update(t.lease).where(t.lease.c.table_id == lease.table_id).values(expires_at=t.lease.c.expires_at)


def _expired_lease(lease: Lease, kind: str) -> sa.Update:
    return _any_lease(lease, kind).where(t.lease.c.token == lease.token)


def _taken_from_all(lease: Lease, kind: str) -> sa.Update:
    until = t.now(kind) + leases.LEASE_SECONDS
    return (
        sa.update(t.lease)
        .where(t.lease.c.table_id == lease.table_id)
        .values(token=lease.token, holder=leases.holder(), expires_at=until, cancelled_by=None)
    )


def _all_held(connection: sa.Connection, _kind: str) -> tuple[Lease, ...]:
    held = sa.select(t.lease.c.table_id, t.lease.c.token).where(t.lease.c.token.is_not(None))
    return tuple(Lease(row.table_id, row.token) for row in connection.execute(held))


def _newest(versions: tuple[TableVersion, ...], _snapshot: int) -> TableVersion | None:
    return next(iter(list(versions)[-1:]), None)


def _removing(settled: Callable[..., Any]) -> Callable[..., Any]:
    def wrapped(database: Any, wanted: commit.Commit, *rest: Any) -> Any:
        try:
            return settled(database, wanted, *rest)
        except commit.CommitUnknown:
            changes = (each for each in wanted.operations if isinstance(each, commit.op.WITH_FILES))
            commit.remove_staged(file.path for change in changes for file in change.files)
            raise

    return wrapped


_LEASE: Patch = (leases, "hold_stmt", _any_lease)
_FRONTIER: Patch = (
    frontiers,
    "_still",
    lambda old: sa.update(t.frontier).where(t.frontier.c.table_id == old.table_id),
)
_UNTOUCHED: Patch = (commit._Attempt, "_check_untouched", lambda _self, _theirs: None)
_NOBODY = sa.update(t.refresh).where(sa.false()).values(state=RefreshState.FAILED)

MUTANTS: dict[str, tuple[Patch, ...]] = {
    "commits ask for no lease": (_LEASE,),
    "commits take an expired lease": ((leases, "hold_stmt", _expired_lease),),
    "leases are taken from who holds them": ((leases, "take_stmt", _taken_from_all),),
    "nothing is compared with what was seen": (_LEASE, _FRONTIER, _UNTOUCHED),
    "upstreams are read as they are now": ((frontiers, "covering", _newest),),
    "what the dead left running stays": ((history, "interrupt_stmt", lambda _ids, _at: _NOBODY),),
    "tables in a refresh are moved on": (
        (frontiers, "_running", lambda _now: sa.select(t.lease.c.table_id).where(sa.false())),
    ),
    "everybody is taken for dead": ((leases, "abandoned", _all_held),),
    "unknown outcomes are taken for failures": ((commit, "settle", lambda *_arguments: None),),
    "files of unknown outcome are removed": ((commit, "_settled", _removing(commit._settled)),),
    "nothing is pinned": ((expire, "find_pins", lambda *_arguments: Pins()),),
}


@contextmanager
def broken(name: str) -> Iterator[None]:
    """The product with one guard broken."""
    with ExitStack() as repaired:
        for place, attribute, worse in MUTANTS[name]:
            repaired.callback(setattr, place, attribute, getattr(place, attribute))
            setattr(place, attribute, worse)
        yield
