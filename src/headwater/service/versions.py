"""The versions of dynamic tables, and until when each can be restored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from headwater.core.errors import InvalidRequest
from headwater.core.names import TableName
from headwater.core.settings import DEFAULTS
from headwater.lake.reader import LakeReader
from headwater.lake.site import Site
from headwater.maintain.pins import longest
from headwater.refresh.find import all_tables, find_dynamic
from headwater.refresh.versions import VersionReader
from headwater.registry.definitions import DynamicTable
from headwater.sql.dynamic_statements import RestoreDynamicTable
from headwater.sql.parse import parse
from headwater.sql.render_dynamic import render_dynamic
from headwater.sql.statements import ObjectName

VERSIONS = (
    "schema_name",
    "name",
    "version",
    "created_at",
    "data_snapshot",
    "definition_version",
    "restored_from",
    "is_current",
    "restorable",
    "restorable_until",
    "reason",
)


@dataclass(frozen=True, slots=True)
class VersionStatus:
    """A version of a dynamic table; `version` is the number that RESTORE and AT take.

    `restorable_until` is the time before which maintenance does not expire it; None for the current version and for
    one that can't be restored, with the `reason`.
    """

    name: TableName
    version: int
    created_at: datetime
    data_snapshot: int
    definition_version: int
    restored_from: int | None = None
    is_current: bool = False
    restorable: bool = True
    restorable_until: datetime | None = None
    reason: str | None = None


def versions(
    site: Site, name: ObjectName | None = None, retention_days: float = DEFAULTS.retention_days
) -> tuple[VersionStatus, ...]:
    """The versions of one table or of all, newest first; `retention_days` is that of the lake's maintenance."""
    with site.reader() as reader:
        tables = all_tables(reader) if name is None else (find_dynamic(reader, name),)
        retention = longest(reader, timedelta(days=retention_days))
        return tuple(each for table in tables for each in _versions(reader, table, retention))


def version_row(each: VersionStatus) -> tuple[Any, ...]:
    """A version under the column names of SHOW."""
    return (
        each.name.schema,
        each.name.name,
        each.version,
        each.created_at,
        each.data_snapshot,
        each.definition_version,
        each.restored_from,
        each.is_current,
        each.restorable,
        each.restorable_until,
        each.reason,
    )


def restoration(name: ObjectName, version: int | None, timestamp: datetime | str | None) -> RestoreDynamicTable:
    """The statement that restores a version by number or by time; exactly one of them must be given."""
    if (version is None) is (timestamp is None):
        raise InvalidRequest("RESTORE takes a version or a timestamp", hint="Give one of the two.")
    if isinstance(timestamp, datetime):
        return RestoreDynamicTable(name, timestamp=timestamp.isoformat())
    # The parser knows which texts are timestamps.
    (found,) = parse(render_dynamic(RestoreDynamicTable(name, version, timestamp)))
    assert isinstance(found, RestoreDynamicTable)
    return found


def _versions(reader: LakeReader, table: DynamicTable, retention: timedelta) -> Iterator[VersionStatus]:
    for found in reversed(VersionReader(reader, table).all()):
        stored = found.stored
        restorable = found.refused is None
        until = found.newest.time + retention if found.newest and restorable and not stored.current else None
        yield VersionStatus(
            table.name,
            stored.number,
            stored.created_at,
            stored.data_snapshot,
            stored.definition_version,
            stored.restored_from,
            stored.current,
            restorable,
            until,
            found.refused,
        )
