"""Who may write to a catalog: asked in every write transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import sqlalchemy as sa


class WriteGate(Protocol):
    """Checks that a catalog may be written to; whoever opens a lake gives its database one."""

    def check(self, connection: sa.Connection) -> bool:
        """Raise an error if writes are refused; false if `prepare` must run first. The connection may be read-only."""
        ...

    def prepare(self, connection: sa.Connection) -> str | None:
        """In a write transaction that excludes other writers: do what the first write must do before any other.

        Returns a token for `confirm`, if there is something to confirm.
        """
        ...

    def renew(self, connection: sa.Connection) -> str:
        """In a write transaction, make catalogs that were copied before it recognizable; returns a token for `confirm`."""
        ...

    def confirm(self, token: str) -> None:
        """Record that the transaction with this token was committed."""
        ...

    def note_snapshot(self, snapshot_id: int, at: datetime) -> None:
        """Record that this snapshot was committed."""
        ...
