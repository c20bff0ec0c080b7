"""Columns that sources of a definition no longer have, and when they were dropped."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from headwater.core.errors import DefinitionRefused, HeadwaterError, SnapshotMissing
from headwater.core.names import TableName
from headwater.lake.reader import LakeReader

_REMEDY = "Change the query with CREATE OR REPLACE DYNAMIC TABLE, or add the column again."


@dataclass(frozen=True, slots=True)
class DroppedColumn:
    """A column that a snapshot dropped from a table; its time is None once the snapshot has been expired."""

    table: TableName
    name: str
    snapshot: int
    at: datetime | None


def find_dropped(reader: LakeReader, table_ids: Iterable[int], name: str) -> DroppedColumn | None:
    """The column of this name that was dropped last from one of the tables, which have no such column now."""
    latest = reader.latest().id
    found = []
    for table_id in table_ids:
        table = reader.table_by_id(table_id, latest)
        if table is not None and (gone := reader.columns(table).dropped(name)) is not None:
            found.append((gone, table.name))
    if not found:
        return None
    snapshot, table_name = max(found, key=lambda each: each[0])
    at = None
    with suppress(SnapshotMissing):
        at = reader.snapshot(snapshot).time
    return DroppedColumn(table_name, name, snapshot, at)


def naming_dropped_column(reader: LakeReader, table_ids: Iterable[int], error: HeadwaterError) -> HeadwaterError:
    """The same error, or, if the unknown column of a query is one that was dropped, an error that says so."""
    if not (isinstance(error, DefinitionRefused) and error.unknown_column):
        return error
    dropped = find_dropped(reader, table_ids, error.unknown_column[-1])
    if dropped is None:
        return error
    when = f" at {dropped.at.isoformat(' ', 'seconds').replace('+00:00', 'Z')}" if dropped.at else ""
    named = DefinitionRefused(
        f'column "{dropped.name}" of {dropped.table} was dropped',
        detail=f"It was dropped by snapshot {dropped.snapshot}{when}. The query still reads it.",
        hint=_REMEDY,
        position=error.position,
    )
    named.excerpt, named.source_line = error.excerpt, error.source_line
    named.__cause__ = error
    return named
