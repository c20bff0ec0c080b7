"""Refreshes that people asked for, waiting for a worker."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from headwater.registry import tables as t


@dataclass(frozen=True, slots=True)
class Request:
    """A manual refresh: asked for, and by whom; done with the id of the refresh that served it."""

    id: str
    table_id: int
    requested_at: datetime
    requested_by: str
    done_at: datetime | None = None
    refresh_id: str | None = None


def asked(table_id: int, at: datetime, by: str) -> tuple[str, sa.Insert]:
    """The row of a new request, and its id."""
    request_id = str(uuid.uuid4())
    row = {"id": request_id, "table_id": table_id, "requested_at": at, "requested_by": by}
    return request_id, sa.insert(t.request).values(**row)


def served(table_id: int, asked_before: datetime, at: datetime, refresh_id: str | None) -> sa.Update:
    """The statement that closes all requests for a table that a refresh has answered."""
    return (
        sa.update(t.request)
        .where(
            t.request.c.table_id == table_id, t.request.c.done_at.is_(None), t.request.c.requested_at <= asked_before
        )
        .values(done_at=at, refresh_id=refresh_id)
    )


def open_requests(connection: sa.Connection) -> dict[int, datetime]:
    """When each table's oldest open request was made."""
    query = (
        sa.select(t.request.c.table_id, sa.func.min(t.request.c.requested_at).label("at"))
        .where(t.request.c.done_at.is_(None))
        .group_by(t.request.c.table_id)
    )
    return {row.table_id: row.at for row in connection.execute(query)}


def find(connection: sa.Connection, request_id: str) -> Request | None:
    """The request of this id."""
    row = connection.execute(sa.select(t.request).where(t.request.c.id == request_id)).one_or_none()
    return Request(**row._mapping) if row else None
