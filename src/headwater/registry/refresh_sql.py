"""The SQL that refreshes ran. Refreshes of one kind run the same text, which is kept once for all of them."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from headwater.registry import tables as t


def plan_id(sql: str) -> str:
    """What a text is known by: a digest of it.

    >>> plan_id("SELECT 1")
    'e004ebd5b5532a4b85984a62f8ad48a8'
    """
    return hashlib.sha256(sql.encode()).hexdigest()[:32]


def store_sql_stmt(sql: str, kind: str) -> sa.Executable:
    """The statement that keeps a text, unless it is there already; `kind` is that of the database."""
    insert = postgresql.insert if kind == "postgresql" else sqlite.insert
    return insert(t.plan).values(id=plan_id(sql), sql=sql).on_conflict_do_nothing()


def find(connection: sa.Connection, id: str) -> str | None:
    """The text of this id."""
    return connection.execute(sa.select(t.plan.c.sql).where(t.plan.c.id == id)).scalar_one_or_none()


def delete_unused_stmt() -> sa.Delete:
    """The statement that forgets what no refresh of the history ran."""
    used = sa.select(t.refresh.c.plan_id).where(t.refresh.c.plan_id == t.plan.c.id)
    return sa.delete(t.plan).where(~used.exists())
