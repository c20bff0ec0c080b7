"""DROP and UNDROP DYNAMIC TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from headwater.commit.commit import Commit, Committed
from headwater.core.errors import NotFound, SqlUnsupported
from headwater.lake import operations as op
from headwater.registry import definitions
from headwater.service.find import find_dynamic
from headwater.sql import dynamic_statements as ds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headwater.service.lake import Lake


def drop(lake: Lake, statement: ds.DropDynamicTable) -> str:
    """Drop the table and its definition in one commit; what reads it fails at its next refresh, and says why."""
    with lake.reader() as reader:
        try:
            table = find_dynamic(reader, statement.name)
        except NotFound:
            if statement.if_exists:
                return "absent"
            raise
        base = reader.latest().id
    now = lake.clock.now()

    def rows(committed: Committed) -> Iterable[sa.Executable]:
        return definitions.dropped(table.id, now, committed.snapshot_id)

    lake.commit(Commit(base, (op.DropTable(table.id),), rows=rows, message=f"drop dynamic table {table.name}"))
    return "dropped"


def undrop(lake: Lake, statement: ds.UndropDynamicTable) -> str:
    """Not built yet."""
    raise SqlUnsupported(
        "UNDROP DYNAMIC TABLE is not available yet", hint="Create it again: its rows are those of its query."
    )
