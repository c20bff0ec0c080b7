"""Statements for a registry whose processes are gone: that of a copied or restored lake."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from headwater.core.refresh_record import UNFINISHED, RefreshState
from headwater.registry import tables as t


def settle_stmts(at: datetime) -> tuple[sa.Executable, ...]:
    """Free all leases, delete all workers, close open requests, and end refreshes that no process runs."""
    return (
        sa.update(t.lease).values(token=None, holder=None, expires_at=0.0, cancelled_by=None),
        sa.delete(t.worker),
        sa.update(t.request).where(t.request.c.done_at.is_(None)).values(done_at=at),
        sa.update(t.refresh)
        .where(t.refresh.c.state.in_(sorted(UNFINISHED)))
        .values(state=RefreshState.FAILED, ended_at=at, error="the lake was adopted while this refresh was running"),
    )


def forget_contents_stmts(table_ids: Collection[int]) -> tuple[sa.Executable, ...]:
    """Forget what dynamic tables hold, because files of it are missing; their next refresh recomputes all rows."""
    return (
        sa.delete(t.frontier).where(t.frontier.c.table_id.in_(table_ids)),
        sa.delete(t.version).where(t.version.c.table_id.in_(table_ids)),
    )
