"""The SQL that refreshes ran, stored once for all refreshes that ran it."""

from __future__ import annotations

import hashlib

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from headwater.registry import tables as t


def plan_id(sql: str) -> str:
    """The id of a text: its digest.

    >>> plan_id("SELECT 1")
    'e004ebd5b5532a4b85984a62f8ad48a8'
    """
    return hashlib.sha256(sql.encode()).hexdigest()[:32]


def store_sql_stmt(sql: str, kind: str) -> sa.Executable:
    """The statement that stores a new text; `kind` is the kind of database."""
    insert = postgresql.insert if kind == "postgresql" else sqlite.insert
    return insert(t.plan).values(id=plan_id(sql), sql=sql).on_conflict_do_nothing()


def find(connection: sa.Connection, id: str) -> str | None:
    """The text with this id."""
    return connection.execute(sa.select(t.plan.c.sql).where(t.plan.c.id == id)).scalar_one_or_none()


def delete_unused_stmt() -> sa.Delete:
    """The statement that deletes texts that no refresh of the history refers to."""
    used = sa.select(t.refresh.c.plan_id).where(t.refresh.c.plan_id == t.plan.c.id)
    return sa.delete(t.plan).where(~used.exists())
