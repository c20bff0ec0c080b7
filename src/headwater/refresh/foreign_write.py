"""Find out when another client changed the rows of a dynamic table."""

from __future__ import annotations

from headwater.lake.reader import LakeReader
from headwater.lake.touches import CommitIndex
from headwater.registry.frontiers import Frontier


def foreign_write(reader: LakeReader, table_id: int, frontier: Frontier, touches: CommitIndex) -> int | None:
    """The snapshot at which another client changed the table's rows or columns; a rename of the table does not count."""
    if found := touches.first_of_rows(table_id, frontier.lake_snapshot):
        return found
    altered = touches.first(table_id, frontier.lake_snapshot)
    if altered is None:
        return None
    before, after = (reader.table_by_id(table_id, at) for at in (frontier.lake_snapshot, touches.end))
    same = before and after and reader.schema(before, frontier.lake_snapshot) == reader.schema(after, touches.end)
    return None if same else altered


def last_own_snapshot(reader: LakeReader, table_id: int, frontier: Frontier, touches: CommitIndex) -> int:
    """The last snapshot of the lake at which the table is known to have the rows of its version."""
    if (found := foreign_write(reader, table_id, frontier, touches)) is not None:
        return found - 1
    start = frontier.own_rows_since
    return touches.end if touches.complete_since(start) else start
