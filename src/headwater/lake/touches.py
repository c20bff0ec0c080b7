"""Which commits changed which tables, for many tables at once and from the catalog alone."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.lake.reader import LakeReader
from headwater.lake.snapshot_changes import COMPACTIONS, DELETES, INSERTS, ObjectKind, parse

_COMMITS = (
    sa.select(c.snapshot.c.snapshot_id, c.snapshot.c.snapshot_time, c.snapshot_changes.c.changes_made)
    .join(c.snapshot_changes, c.snapshot_changes.c.snapshot_id == c.snapshot.c.snapshot_id, isouter=True)
    .where(c.snapshot.c.snapshot_id > sa.bindparam("start"), c.snapshot.c.snapshot_id <= sa.bindparam("end"))
    .order_by(c.snapshot.c.snapshot_id)
)


@dataclass(frozen=True, slots=True)
class CommitIndex:
    """The tables that commits in (start, end] changed, without compaction; `views` is whether any view changed."""

    start: int
    end: int
    times: dict[int, datetime]
    by_table: dict[int, tuple[int, ...]]
    rows_by_table: dict[int, tuple[int, ...]]
    views: bool = False

    def first(self, table_id: int, after: int) -> int | None:
        """The first snapshot after `after` that changed the table."""
        return _first(self.by_table.get(table_id, ()), after)

    def first_of_rows(self, table_id: int, after: int) -> int | None:
        """The first snapshot after `after` that changed the table's rows."""
        return _first(self.rows_by_table.get(table_id, ()), after)

    def complete_since(self, snapshot: int) -> bool:
        """Whether no snapshot between this one and the end has expired, and its change list with it."""
        return snapshot >= self.start and all(number in self.times for number in range(snapshot + 1, self.end + 1))


def load_touches(reader: LakeReader, start: int, end: int) -> CommitIndex:
    """Index the commits in (start, end]."""
    times: dict[int, datetime] = {}
    by_table: defaultdict[int, list[int]] = defaultdict(list)
    rows_by_table: defaultdict[int, list[int]] = defaultdict(list)
    views = False
    for row in reader.connection.execute(_COMMITS, {"start": start, "end": end}):
        times[row.snapshot_id] = row.snapshot_time
        for entry in parse(row.changes_made):
            views = views or entry.object_kind is ObjectKind.VIEW
            if entry.id is None or entry.kind in COMPACTIONS or entry.object_kind is not ObjectKind.TABLE:
                continue
            by_table[entry.id].append(row.snapshot_id)
            if entry.kind in INSERTS | DELETES:
                rows_by_table[entry.id].append(row.snapshot_id)
    return CommitIndex(start, end, times, _frozen(by_table), _frozen(rows_by_table), views)


def _first(touched: tuple[int, ...], after: int) -> int | None:
    place = bisect_right(touched, after)
    return touched[place] if place < len(touched) else None


def _frozen(found: dict[int, list[int]]) -> dict[int, tuple[int, ...]]:
    return {table_id: tuple(numbers) for table_id, numbers in found.items()}
