"""Whether a commit conflicts with concurrent ones: DuckLake's conflict matrix, as a pure function.

this commit     conflicts with a concurrent
create name     create of the same name, drop of its schema
drop object     drop of the same object
drop schema     anything created in it
insert          drop, alter, delete of the table
delete          drop, alter, insert, compaction of the table; delete of the same file (checked on files, not here)
inlined delete  also inlined delete and flush of the table
alter           drop, alter of the table
compaction      drop, alter, delete, compaction and flush of the table
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from headwater.core.names import folded
from headwater.lake.snapshot_changes import COMPACTIONS, DELETES, INSERTS, Entry

_COMPACTS = COMPACTIONS - {"inline_flush", "flushed_inlined"}
_FLUSHES = frozenset({"inline_flush", "flushed_inlined"})
_GONE = frozenset({"dropped_table", "dropped_view"})
_ALTERS = frozenset({"altered_table", "altered_view"})
_ABORTS: dict[str, frozenset[str]] = {
    "inserted_into_table": _GONE | _ALTERS | DELETES,
    "deleted_from_table": _GONE | _ALTERS | INSERTS | _COMPACTS,
    "inlined_delete": _GONE | _ALTERS | INSERTS | _COMPACTS | _FLUSHES | {"inlined_delete"},
    "altered_table": _GONE | _ALTERS,
    "altered_view": _GONE | _ALTERS,
    "merge_adjacent": _GONE | _ALTERS | DELETES | COMPACTIONS,
    "rewrite_delete": _GONE | _ALTERS | DELETES | COMPACTIONS,
    "dropped_table": _GONE,
    "dropped_view": _GONE,
    "dropped_schema": frozenset({"dropped_schema"}),
}


def conflict(mine: Iterable[Entry], theirs: Iterable[Entry], schema_ids: Mapping[str, int]) -> str | None:
    """Why the changes `mine` conflict with `theirs`, if so. `schema_ids` has the ids of schemas by lower-case name.

    >>> conflict([Entry("inserted_into_table", 1)], [Entry("inserted_into_table", 1)], {})
    >>> conflict([Entry("inserted_into_table", 1)], [Entry("altered_table", 1)], {})
    'altered_table:1 was committed before inserted_into_table:1'
    """
    others = tuple(theirs)
    for entry in mine:
        for other in others:
            if _collide(entry, other, schema_ids):
                return f"{other} was committed before {entry}"
    return None


def _collide(mine: Entry, other: Entry, schema_ids: Mapping[str, int]) -> bool:
    if mine.creates:
        return _same_name(mine, other) or (
            other.kind == "dropped_schema" and other.id is not None and other.id == _schema_of(mine, schema_ids)
        )
    if mine.kind == "dropped_schema" and other.creates:
        return mine.id is not None and mine.id == _schema_of(other, schema_ids)
    return other.id is not None and other.id == mine.id and other.kind in _ABORTS.get(mine.kind, ())


def _same_name(mine: Entry, other: Entry) -> bool:
    if not other.creates:
        return False
    return [folded(part) for part in mine.name] == [folded(part) for part in other.name]


def _schema_of(entry: Entry, schema_ids: Mapping[str, int]) -> int | None:
    return schema_ids.get(folded(entry.name[0])) if len(entry.name) > 1 else None
