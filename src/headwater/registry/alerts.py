"""Published alert conditions, so that exactly one worker publishes each, once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from headwater.registry import tables as t

LAG, SUSPENDED, OVERDUE = "LAG", "SUSPENDED", "OVERDUE"


@dataclass(frozen=True, slots=True)
class Alert:
    """A condition: LAG, SUSPENDED (the subject is since when) or OVERDUE (the subject is the refresh's id)."""

    table_id: int
    kind: str
    subject: str = ""


_TOLD = sa.select(t.alert.c.table_id, t.alert.c.kind, t.alert.c.subject)


def load(connection: sa.Connection) -> frozenset[Alert]:
    """The published conditions that have not ended."""
    return frozenset(Alert(*row) for row in connection.execute(_TOLD))


def open_stmt(alert: Alert, at: datetime) -> sa.Insert:
    """The guarded write before publishing that a condition began: no row if another worker was first."""
    row = t.alert.c
    told = sa.select(row.kind).where(*_same(alert)).exists()
    values = sa.select(
        sa.literal(alert.table_id, sa.BigInteger),
        sa.literal(alert.kind, sa.Text),
        sa.literal(alert.subject, sa.Text),
        sa.literal(at, row.opened_at.type),
    ).where(~told)
    wanted = sa.insert(t.alert).from_select([row.table_id, row.kind, row.subject, row.opened_at], values)
    # Without it, not every driver returns the row count of an INSERT.
    return wanted.execution_options(preserve_rowcount=True)


def close_stmt(alert: Alert) -> sa.Delete:
    """The guarded write before publishing that a condition ended: no row if another worker was first."""
    return sa.delete(t.alert).where(*_same(alert))


def _same(alert: Alert) -> tuple[sa.ColumnElement[bool], ...]:
    row = t.alert.c
    return row.table_id == alert.table_id, row.kind == alert.kind, row.subject == alert.subject
