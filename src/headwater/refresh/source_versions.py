"""The versions in which the sources of a table are read, all as of one data snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headwater.core.errors import NotFound, RangeGone
from headwater.core.names import TableName
from headwater.lake.find_changes import find_changes
from headwater.lake.reader import LakeReader
from headwater.lake.values import Table, TableAt, TableChanges, with_schema
from headwater.refresh.bind_definition import (
    NO_NAMES,
    Names,
    rename_columns,
)
from headwater.registry import definitions, frontiers, install
from headwater.registry.definitions import Dependency
from headwater.registry.frontiers import Frontier, TableVersion
from headwater.sql.bind import BoundQuery


@dataclass(frozen=True, slots=True)
class UpstreamBehind:
    """A refresh that has to wait: an upstream does not cover a newer snapshot."""

    reason: str
    upstream: int
    suspended: bool = False


def common_snapshot(histories: Mapping[int, tuple[TableVersion, ...]], wanted: int) -> int | UpstreamBehind:
    """The newest data snapshot up to `wanted` that all upstream tables have content for."""
    snapshot = wanted
    while True:
        lower = snapshot
        for table_id, versions in histories.items():
            usable = [min(v.valid_to, snapshot) for v in versions if v.valid_from <= snapshot]
            if not usable:
                return UpstreamBehind(f"upstream table {table_id} has no version for snapshot {snapshot}", table_id)
            lower = min(lower, max(usable))
        if lower == snapshot:
            return snapshot
        snapshot = lower


class SourceVersions:
    """The lake snapshots to read sources at for a data snapshot: base tables at it, dynamic tables in their version for it.

    The last version of a table is its current content, unless it has `moved_on`.
    """

    def __init__(
        self,
        reader: LakeReader,
        histories: Mapping[int, tuple[TableVersion, ...]],
        snapshot: int,
        names: Names = NO_NAMES,
        moved_on: frozenset[int] = frozenset(),
    ) -> None:
        self._moved_on = moved_on
        self._reader = reader
        self._histories = histories
        self._snapshot = snapshot
        self._names = names

    def of(self, table_id: int) -> int:
        """The lake snapshot to read the table at."""
        versions = self._histories.get(table_id)
        if versions is None:
            return self._snapshot
        version = frontiers.covering(versions, self._snapshot)
        if version is None:
            raise RangeGone(
                f"table {table_id} has no version for data snapshot {self._snapshot}", hint="Refresh that table."
            )
        current = version is versions[-1] and table_id not in self._moved_on
        if current and not self._reader.is_live(version.lake_snapshot):
            # Another client expired that snapshot; the current content of the table is that version.
            return self._reader.latest().id
        return version.lake_snapshot

    def expired(self) -> int | None:
        """A dynamic table whose version for the data snapshot can't be read any more."""
        return next((id for id in self._histories if not self._reader.is_live(self.of(id))), None)

    def table_at(self, table_id: int, name: TableName, read_as: int | None = None) -> TableAt:
        """The table's rows, with the column names that the definition uses.

        With `read_as`, the columns are those that the table has at that snapshot of the lake.
        """
        at = self.of(table_id)
        self._reader.snapshot(at)
        found = self._reader.table_at(_table(self._reader, table_id, name, at), at, read_as=read_as)
        seen = with_schema(found, rename_columns(found.schema, self._names.get(table_id, {})))
        assert isinstance(seen, TableAt)
        return seen

    def changes(self, table_id: int, start: int) -> TableChanges:
        """The changes since a snapshot of the lake, with the column names that the definition uses."""
        # Imported here because it loads Arrow, which a look at the catalog does not need.
        from headwater.lake.exact_counts import with_exact_counts

        found = with_exact_counts(find_changes(self._reader, table_id, start, self.of(table_id)))
        seen = with_schema(found, rename_columns(found.schema, self._names.get(table_id, {})))
        assert isinstance(seen, TableChanges)
        return seen


def histories_of(reader: LakeReader, bound: BoundQuery) -> dict[int, tuple[TableVersion, ...]]:
    """The versions of those sources that are dynamic tables."""
    dynamic = definitions.ids(reader.connection) if install.is_installed(reader.connection) else frozenset()
    return {
        source.table_id: frontiers.versions(reader.connection, source.table_id)
        for source in bound.sources
        if source.table_id in dynamic
    }


def sources_of(bound: BoundQuery, before: Iterable[Dependency]) -> tuple[Dependency, ...]:
    """The tables that a definition reads; known ones keep the names that the definition uses."""
    names = {source.id: source.name for source in before}
    return tuple(Dependency(s.table_id, names.get(s.table_id, s.name)) for s in bound.sources)


def versions_then(reader: LakeReader, frontier: Frontier, names: Names) -> SourceVersions:
    """The versions that the table's last refresh read."""
    return versions_read(reader, frontier.identity.read, frontier.snapshot, names)


def versions_read(
    reader: LakeReader, read: Mapping[int, int], snapshot: int, names: Names = NO_NAMES
) -> SourceVersions:
    """The versions for a data snapshot, with dynamic tables at the lake snapshots at which they were read."""
    held = frontiers.load(reader.connection, list(read)) if read else {}
    moved_on = frozenset(id for id, at in read.items() if id not in held or held[id].lake_snapshot != at)
    made_from = {id: (TableVersion(snapshot, snapshot, at),) for id, at in read.items()}
    return SourceVersions(reader, made_from, snapshot, names, moved_on)


def _table(reader: LakeReader, table_id: int, name: TableName, at: int) -> Table:
    table = reader.table_by_id(table_id, at)
    if table is None:
        raise NotFound(
            f"source {name} does not exist at snapshot {at}", hint="The source was dropped; change the definition."
        )
    return table
