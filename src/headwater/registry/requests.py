"""Manual refresh requests for workers."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from headwater.registry import tables as t


@dataclass(frozen=True, slots=True)
class Request:
    """A manual refresh request; when done, with the id of the refresh that answered it."""

    id: str
    table_id: int
    requested_at: datetime
    requested_by: str
    done_at: datetime | None = None
    refresh_id: str | None = None


def request_stmt(table_id: int, at: datetime, by: str) -> tuple[str, sa.Insert]:
    """The id of a new request, and its statement."""
    request_id = str(uuid.uuid4())
    row = {"id": request_id, "table_id": table_id, "requested_at": at, "requested_by": by}
    return request_id, sa.insert(t.request).values(**row)


def answer_stmt(request_ids: Collection[str], at: datetime, refresh_id: str) -> sa.Update:
    """The statement that answers requests: those that were open when the refresh chose its snapshot."""
    return (
        sa.update(t.request)
        .where(t.request.c.id.in_(request_ids), t.request.c.done_at.is_(None))
        .values(done_at=at, refresh_id=refresh_id)
    )


def withdraw_stmt(table_ids: Collection[int]) -> sa.Delete:
    """The statement that deletes the open requests of dropped tables."""
    return sa.delete(t.request).where(t.request.c.table_id.in_(table_ids), t.request.c.done_at.is_(None))


_OPEN = sa.select(t.request).where(t.request.c.done_at.is_(None)).order_by(t.request.c.requested_at)


def open_requests(connection: sa.Connection) -> dict[int, tuple[Request, ...]]:
    """The requests of each table that wait, oldest first."""
    found: dict[int, tuple[Request, ...]] = {}
    for row in connection.execute(_OPEN):
        found[row.table_id] = (*found.get(row.table_id, ()), Request(**row._mapping))
    return found


def find(connection: sa.Connection, request_id: str) -> Request | None:
    """The request with this id."""
    row = connection.execute(sa.select(t.request).where(t.request.c.id == request_id)).one_or_none()
    return Request(**row._mapping) if row else None


def delete_old_stmt(before: datetime) -> sa.Delete:
    """The statement that deletes requests which were answered before then."""
    return sa.delete(t.request).where(t.request.c.done_at < before)
