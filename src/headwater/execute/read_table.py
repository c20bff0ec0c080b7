"""A table of the lake as a DataFrame."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame, SparkSession

from headwater.core.errors import InvalidRequest, NotFound
from headwater.core.format import these_are
from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.schema import Column, Schema
from headwater.execute.deletes import deleted_keys
from headwater.execute.scan_files import KEY, SINCE, FileSet, Reading, file_sets, local_frame, scan
from headwater.execute.translate_errors import engine_errors
from headwater.lake.values import FileAt, InlinedRows, TableAt


def read_table(
    spark: SparkSession,
    at: TableAt,
    *,
    columns: Sequence[str] | None = None,
    rowid: str | None = None,
    extra: Sequence[Column] = (),
    positions: bool = False,
) -> DataFrame:
    """The rows of a table at a snapshot.

    After the table's columns (or `columns`), the frame has the uncatalogued `extra` columns, the row id under the name `rowid`,
    and, with `positions`, FILE_ID and POSITION. For an inlined row, FILE_ID is NULL and POSITION is the row id.
    """
    reading = Reading(
        columns=chosen(at.schema, columns),
        extra=tuple(extra),
        rowid=rowid,
        positions=positions,
        mappings=at.mappings,
        reused=at.reused,
    )
    check_free(at.schema, rowid)
    with engine_errors():
        parts = visible_rows(spark, reading, at.files, at.snapshot)
        if at.inlined.rows or not parts:
            parts.append(inlined_rows(spark, reading, at.schema, at.inlined))
        return reduce(DataFrame.union, parts)


def visible_rows(spark: SparkSession, reading: Reading, files: Sequence[FileAt], snapshot: int) -> list[DataFrame]:
    """The rows of data files that are visible at a snapshot; files without deletes are plain scans."""
    by_id = {at.file.id: at for at in files}
    whole = [at.file for at in files if not (_has_deletes(at) or _partial(at, snapshot))]
    parts = [scan(spark, reading, members) for members in file_sets(whole, reading)]
    rest = [at.file for at in files if _has_deletes(at) or _partial(at, snapshot)]
    for members in file_sets(rest, reading):
        parts.append(_remaining(spark, reading, members, [by_id[file.id] for file in members.files], snapshot))
    return parts


def inlined_rows(spark: SparkSession, reading: Reading, schema: Schema, inlined: InlinedRows) -> DataFrame:
    """Inlined rows, in the columns of `reading`."""
    places = [schema.columns.index(column) for column in reading.columns]
    added = [Column(reading.rowid, "int64")] if reading.rowid else []
    if reading.positions:
        added += [Column(FILE_ID, "int64"), Column(POSITION, "int64")]
    rows = []
    for row_id, values in inlined.rows:
        tail: list[int | None] = [row_id] if reading.rowid else []
        if reading.positions:
            tail += [None, row_id]
        rows.append([*(values[place] for place in places), *(None for _ in reading.extra), *tail])
    return local_frame(spark, (*reading.columns, *reading.extra, *added), rows)


def chosen(schema: Schema, names: Sequence[str] | None) -> tuple[Column, ...]:
    """The columns of these names, or all."""
    if names is None:
        return schema.columns
    found = [schema.find(name) for name in names]
    for name, column in zip(names, found, strict=True):
        if column is None:
            raise NotFound(f'column "{name}" does not exist', hint=these_are("column", schema.names))
    return tuple(column for column in found if column)


def check_free(schema: Schema, *names: str | None) -> None:
    """Refuse names for added columns that the table already has."""
    for name in names:
        if name is not None and (not name or schema.find(name) is not None):
            raise InvalidRequest(
                f'the table already has a column "{name}"', hint="Choose another name for the column to add."
            )


def _remaining(
    spark: SparkSession, reading: Reading, members: FileSet, visible: Sequence[FileAt], snapshot: int
) -> DataFrame:
    partial = any(_partial(at, snapshot) for at in visible)
    deleting = any(_has_deletes(at) for at in visible)
    rows = scan(spark, reading, members, keyed=deleting, dated=partial)
    if partial:
        rows = rows.where(f"{SINCE} IS NULL OR {SINCE} <= {snapshot}").drop(SINCE)
    if deleting:
        rows = rows.join(deleted_keys(spark, members, visible, snapshot), KEY, "left_anti").drop(KEY)
    return rows


def _has_deletes(at: FileAt) -> bool:
    return at.deletes is not None or bool(at.inlined_deletes)


def _partial(at: FileAt, snapshot: int) -> bool:
    return at.file.partial_max is not None and at.file.partial_max > snapshot
