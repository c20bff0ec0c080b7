"""Rows of tables through Spark: append, overwrite, delete, update, and queries in Spark's dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.commit.commit import Commit, commit
from headwater.core.errors import CommitConflict, DynamicTableReadOnly, InvalidRequest
from headwater.core.names import TableName
from headwater.core.schema import SortKey
from headwater.core.semantics import definition_session
from headwater.lake.find_changes import find_changes
from headwater.lake.operations import StagedChange
from headwater.lake.reader import LakeReader
from headwater.lake.resolve_names import resolve
from headwater.lake.site import Site
from headwater.lake.values import TableAt, TableChanges, WriteTarget
from headwater.query.parameter_values import plain
from headwater.refresh.bind_definition import LakeSchemas
from headwater.refresh.compute import Compute
from headwater.refresh.engine import Query
from headwater.refresh.target import target_order
from headwater.registry import definitions, install
from headwater.service.frames import Frame
from headwater.service.interruptible import interruptible
from headwater.service.result import Result
from headwater.service.wiring import spark_frames
from headwater.sql.bind import bind, placed
from headwater.sql.parse_names import parse_name
from headwater.sql.split import ScriptStatement

# How often a change is recomputed on the newest snapshot after a commit conflict.
ATTEMPTS = 5


def describe(site: Site, name: str, snapshot: int | None = None) -> TableAt:
    """The description of the table at a snapshot, for reading."""
    with site.reader() as reader:
        at = reader.latest().id if snapshot is None else reader.snapshot(snapshot).id
        return reader.table_at(reader.find_table(resolve_text(reader, name, at), at), at)


def describe_for_writing(
    site: Site, name: str, *, keeps_row_ids: bool = False
) -> tuple[TableAt, WriteTarget, tuple[SortKey, ...]]:
    """The table at the newest snapshot, how its files are written, and the columns that they are sorted by."""
    with site.reader() as reader:
        at = reader.latest().id
        table = reader.find_table(resolve_text(reader, name, at), at)
        found = reader.table_at(table, at)
        target = reader.write_target(table, at, keeps_row_ids=keeps_row_ids)
        return found, target, target_order(reader, found)


def describe_changes(site: Site, name: str, start: int, end: int | None = None) -> TableChanges:
    """Where the changes of a table in (start, end] are."""
    with site.reader() as reader:
        last = reader.latest().id if end is None else reader.snapshot(end).id
        table = reader.find_table(resolve_text(reader, name, last), last)
        return find_changes(reader, table.id, start, last)


def resolve_text(reader: LakeReader, name: str, at: int) -> TableName:
    """Resolve a table name in SQL."""
    if not isinstance(name, str):
        raise InvalidRequest(f"{name!r} is not the name of a table", hint="Pass a string such as 'schema.table'.")
    return resolve(parse_name(name), reader, at)


def append(site: Site, name: str, frame: Frame) -> int:
    """Add rows; returns the new snapshot."""
    frames = spark_frames()
    return _change(site, name, lambda at, target, order: frames.stage_append(frame, at, target, order, replace=False))


def overwrite(site: Site, name: str, frame: Frame) -> int:
    """Replace all rows; returns the new snapshot."""
    frames = spark_frames()
    return _change(site, name, lambda at, target, order: frames.stage_append(frame, at, target, order, replace=True))


def delete(site: Site, name: str, where: str) -> int:
    """Delete the rows that match a condition."""
    frames = spark_frames()
    return _change(site, name, lambda at, _target, _order: frames.stage_delete(at, where))


def update(site: Site, name: str, assignments: Mapping[str, str], where: str) -> int:
    """Update the rows that match a condition; rows keep their ids."""
    frames = spark_frames()
    return _change(
        site,
        name,
        lambda at, target, order: frames.stage_update(at, assignments, where, target, order),
        keeps_row_ids=True,
    )


def _refuse_dynamic(site: Site, at: TableAt) -> None:
    with site.reader() as reader:
        if install.is_installed(reader.connection) and at.table.id in definitions.ids(reader.connection):
            raise DynamicTableReadOnly(
                f"{at.table.name} is a dynamic table",
                detail="Only refreshes change its rows.",
                hint="Change its sources, or its definition with CREATE OR REPLACE DYNAMIC TABLE.",
            )


def _change(
    site: Site,
    name: str,
    stage: Callable[[TableAt, WriteTarget, tuple[SortKey, ...]], StagedChange],
    *,
    keeps_row_ids: bool = False,
) -> int:
    """Stage on the newest snapshot and commit; retry after a conflict."""
    site.database.admit()
    for attempt in range(1, ATTEMPTS + 1):
        at, target, order = describe_for_writing(site, name, keeps_row_ids=keeps_row_ids)
        _refuse_dynamic(site, at)
        change = stage(at, target, order)
        if change.empty:
            return at.snapshot
        try:
            return commit(site, Commit(at.snapshot, (change,))).snapshot_id
        except CommitConflict:
            if attempt == ATTEMPTS:
                raise
    raise AssertionError("unreachable")


def select_on_spark(
    site: Site, compute: Compute, piece: ScriptStatement, parameters: Mapping[str, Any] | None = None
) -> Result:
    """The rows of a query, which an interrupt cancels; other statements are refused."""
    return interruptible(compute.cancellation, lambda: _select_on_spark(site, compute, piece, parameters or {}))


def _select_on_spark(site: Site, compute: Compute, piece: ScriptStatement, parameters: Mapping[str, Any]) -> Result:
    with site.reader() as reader:
        at = reader.latest().id
        schemas = LakeSchemas(reader, at)
        bound = bind(piece.text, schemas, origin=piece.position, allow_random=True, allow_parameters=True)
        sources = {}
        for source in bound.sources:
            table = reader.table_by_id(source.table_id, at)
            assert table is not None
            sources[source.relation] = reader.table_at(table, at)
    values = {name: plain(value, name) for name, value in parameters.items()}
    query = Query(bound.sql, sources, definition_session(), site.clock.now(), parameters=values)
    with placed(bound, "spark", piece.position), compute.cancellable():
        return Result.of(spark_frames().select(query))
