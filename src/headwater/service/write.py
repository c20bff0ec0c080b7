"""Statements on the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from headwater.service.lake import Lake


def write(lake: Lake, *statements: sa.Executable) -> None:
    """Run statements on the registry in one transaction."""

    def work(connection: sa.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    lake.database.transact(work)
