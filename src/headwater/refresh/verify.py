"""Compare a dynamic table with its query at its data snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headwater.core.errors import InvalidRequest, NotInitialized, SnapshotMissing
from headwater.core.names import TableName
from headwater.core.semantics import session_of
from headwater.lake.data_path import require_data_path
from headwater.lake.site import Site
from headwater.refresh.bind_definition import bind_definition
from headwater.refresh.compute import Compute
from headwater.refresh.definition_errors import definition_errors
from headwater.refresh.engine import Query
from headwater.refresh.find import find_dynamic
from headwater.refresh.layout import full_query
from headwater.refresh.source_versions import histories_of, versions_read
from headwater.registry import frontiers
from headwater.sql.statements import ObjectName

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a table equals its query: missing and unexpected rows, with a sample of each."""

    name: TableName
    data_snapshot: int
    columns: tuple[str, ...]
    missing: int
    unexpected: int
    missing_rows: tuple[tuple[Any, ...], ...] = ()
    unexpected_rows: tuple[tuple[Any, ...], ...] = ()

    @property
    def equal(self) -> bool:
        return not (self.missing or self.unexpected)


def verify(site: Site, compute: Compute, name: ObjectName) -> Verification:
    """Run the query at the table's data snapshot and compare both ways."""
    with site.reader() as reader:
        require_data_path(reader.connection, site.data_path)
        table = find_dynamic(reader, name)
        frontier = frontiers.find(reader.connection, table.id)
        if frontier is None:
            raise NotInitialized(
                f"{table.name} has not been refreshed yet", hint=f"Run REFRESH DYNAMIC TABLE {table.name}."
            )
        snapshot, latest = frontier.snapshot, reader.latest().id
        names = frontier.identity.names
        histories = histories_of(reader, bind_definition(table, reader, latest, names=names))
        read = frontier.identity.read
        if histories.keys() != read.keys():
            raise InvalidRequest(
                f"{table.name} can't be verified: a table that it reads has been replaced",
                hint=f"Run REFRESH DYNAMIC TABLE {table.name} and verify again.",
            )
        places = versions_read(reader, read, snapshot, names)
        bound = bind_definition(table, reader, latest, places.of, names)
        try:
            sources = {source.relation: places.table_at(source.table_id, source.name) for source in bound.sources}
        except SnapshotMissing as error:
            raise SnapshotMissing(
                f"{table.name} can't be verified: snapshot {snapshot} has been expired",
                hint=f"Run REFRESH DYNAMIC TABLE {table.name} and verify again.",
            ) from error
        # The rows that readers see now, not those of the last refresh: a write of another client must show.
        target = reader.find_table(table.name, latest)
        at = reader.table_at(target, latest)
    clock_at = frontier.clock_at or site.clock.now()
    query = Query(bound.sql, sources, session_of(table.session), clock_at)
    if layout := frontier.layout:
        query = full_query(bound, query, layout, state=False)
    with definition_errors(site, table), compute.cancellable():
        found = compute.engine().compare(query, at, SHOWN)
    return Verification(
        table.name,
        snapshot,
        found.columns,
        found.missing,
        found.unexpected,
        found.missing_rows,
        found.unexpected_rows,
    )
