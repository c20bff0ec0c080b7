"""Read the rows that were inserted into and deleted from a table between two snapshots, with weights.

Δ = rows visible at the end − rows visible at the start, by file and position.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.core.names import backquote
from headwater.core.schema import Column
from headwater.execute.deletes import count_deletes, delete_file_keys, sized
from headwater.execute.read_table import check_free, inlined_rows, visible_rows
from headwater.execute.scan_files import KEY, SINCE, FileSet, Reading, arrow_frame, file_sets, local_frame, scan
from headwater.execute.spark_types import spark_type
from headwater.execute.translate_errors import engine_errors
from headwater.lake.values import SNAPSHOT_ID, FileAt, FileDiff, TableChanges

_GONE_BEFORE = "__hw_gone_before"
_GONE_AFTER = "__hw_gone_after"


def read_changes(
    spark: SparkSession,
    changes: TableChanges,
    *,
    rowid: str = "rowid",
    weight: str = "__w",
    extra: Sequence[Column] = (),
) -> DataFrame:
    """The changed rows: the table's columns, `extra`, the row id, and a weight of −1 or +1.

    A row that only moved to another place (by compaction, a flush, or an update to the same values) is not included.
    """
    reading = Reading(
        columns=changes.schema.columns,
        extra=tuple(extra),
        rowid=rowid,
        mappings=changes.mappings,
        reused=changes.reused,
    )
    check_free(changes.schema, rowid, weight)
    with engine_errors():
        gained, lost = _whole(spark, reading, changes)
        moved, signs = _moved(spark, reading, changes, weight)
        parts = [
            *(rows.selectExpr("*", f"1 AS {backquote(weight)}") for rows in gained),
            *(rows.selectExpr("*", f"-1 AS {backquote(weight)}") for rows in lost),
            *moved,
        ]
        if not parts:
            nothing = inlined_rows(spark, reading, changes.schema, changes.inlined_added)
            return nothing.selectExpr("*", f"1 AS {backquote(weight)}")
        signed = reduce(DataFrame.union, parts)
        signs |= ({1} if gained else set()) | ({-1} if lost else set())
        return signed if len(signs) == 1 else _consolidated(signed, weight)


def changes_in_memory(spark: SparkSession, changes: TableChanges, rows: pa.Table) -> DataFrame:
    """The rows that `lake.read_arrow` read, with the columns of `read_changes`: the table's, the row id, the weight."""
    fields = [t.StructField(column.name, spark_type(column)) for column in changes.schema]
    *_, rowid, weight = rows.column_names
    told = [t.StructField(rowid, t.LongType()), t.StructField(weight, t.IntegerType())]
    return arrow_frame(spark, rows, t.StructType([*fields, *told]))


def _whole(spark: SparkSession, reading: Reading, changes: TableChanges) -> tuple[list[DataFrame], list[DataFrame]]:
    """The rows of files, and inlined rows, that are visible at only one of the two snapshots."""
    after = [diff.after for diff in changes.files if diff.after and not diff.before]
    before = [diff.before for diff in changes.files if diff.before and not diff.after]
    gained = visible_rows(spark, reading, after, changes.end)
    lost = visible_rows(spark, reading, before, changes.start)
    for inlined, parts in ((changes.inlined_added, gained), (changes.inlined_removed, lost)):
        if inlined.rows:
            parts.append(inlined_rows(spark, reading, changes.schema, inlined))
    return gained, lost


def _moved(
    spark: SparkSession, reading: Reading, changes: TableChanges, weight: str
) -> tuple[list[DataFrame], set[int]]:
    """The changed rows of files that are visible at both snapshots, and the weights that they can have."""
    parts: list[DataFrame] = []
    signs: set[int] = set()
    for growing in (False, True):
        diffs = {
            diff.file.id: diff
            for diff in changes.files
            if diff.before and diff.after and _grows(diff, changes) == growing
        }
        for members in file_sets([diff.file for diff in diffs.values()], reading):
            held = [diffs[file.id] for file in members.files]
            rows = scan(spark, reading, members, keyed=True, dated=growing)
            marks = _marks(spark, members, held, changes)
            if marks is not None:
                rows = rows.join(marks, KEY, "left" if growing else "inner")
            elif not growing:
                continue
            parts.append(_weighed(rows, changes, weight, dated=growing, marked=marks is not None))
            signs |= {1, -1} if growing or not all(_only_deletes(diff) for diff in held) else {-1}
    return parts, signs


def _weighed(rows: DataFrame, changes: TableChanges, weight: str, *, dated: bool, marked: bool) -> DataFrame:
    def seen(snapshot: int, gone: str) -> str:
        there = f"({SINCE} IS NULL OR {SINCE} <= {snapshot})" if dated else "true"
        return f"CAST({there} AND NOT coalesce({gone}, false) AS INT)" if marked else f"CAST({there} AS INT)"

    difference = f"{seen(changes.end, _GONE_AFTER)} - {seen(changes.start, _GONE_BEFORE)} AS {backquote(weight)}"
    rows = rows.selectExpr("*", difference).where(f"{backquote(weight)} <> 0")
    return rows.drop(KEY, SINCE, _GONE_BEFORE, _GONE_AFTER)


def _marks(spark: SparkSession, members: FileSet, diffs: Sequence[FileDiff], changes: TableChanges) -> DataFrame | None:
    """For each deleted position: whether it is deleted at the start, and whether at the end."""
    start, end = changes.start, changes.end
    same = [diff for diff in diffs if _delete_id(diff.before) == _delete_id(diff.after)]
    differ = [diff for diff in diffs if diff not in same]
    parts = []
    shared = [diff.after.deletes for diff in same if diff.after and diff.after.deletes]
    for keys in delete_file_keys(spark, members, shared, end):
        parts.append(_flagged(keys, f"({SNAPSHOT_ID} IS NULL OR {SNAPSHOT_ID} <= {start})", "true"))
    after = [diff.after.deletes for diff in differ if diff.after and diff.after.deletes]
    for keys in delete_file_keys(spark, members, after, end):
        parts.append(_flagged(keys, "false", "true"))
    before = [diff.before.deletes for diff in differ if diff.before and diff.before.deletes]
    for keys in delete_file_keys(spark, members, before, start):
        parts.append(_flagged(keys, "true", "false"))
    inlined = [row for diff in diffs for row in _inlined_marks(members, diff)]
    if inlined:
        columns = (Column(KEY, "int64"), Column(_GONE_BEFORE, "boolean"), Column(_GONE_AFTER, "boolean"))
        parts.append(local_frame(spark, columns, inlined))
    if not parts:
        return None
    marks = reduce(DataFrame.union, parts)
    if before or (inlined and (shared or after)):
        # A position may be in the old delete file and the new one, or in the catalog and the file it was flushed to.
        either = (f.expr(f"bool_or({gone}) AS {gone}") for gone in (_GONE_BEFORE, _GONE_AFTER))
        marks = marks.groupBy(KEY).agg(*either)
    sides = [side for diff in diffs for side in (diff.before, diff.after) if side]
    return sized(marks, count_deletes(sides))


def _flagged(keys: DataFrame, before: str, after: str) -> DataFrame:
    return keys.selectExpr(KEY, f"{before} AS {_GONE_BEFORE}", f"{after} AS {_GONE_AFTER}")


def _inlined_marks(members: FileSet, diff: FileDiff) -> list[tuple[int, bool, bool]]:
    base = members.tags.base(diff.file.path)
    before = frozenset(diff.before.inlined_deletes if diff.before else ())
    after = frozenset(diff.after.inlined_deletes if diff.after else ())
    return [(base + position, position in before, position in after) for position in sorted(before | after)]


def _delete_id(at: FileAt | None) -> int | None:
    return at.deletes.id if at and at.deletes else None


def _grows(diff: FileDiff, changes: TableChanges) -> bool:
    """Whether the file has rows that were inserted after the start."""
    return diff.file.partial_max is not None and diff.file.partial_max > changes.start


def _only_deletes(diff: FileDiff) -> bool:
    """Whether all positions deleted at the start are certainly deleted at the end."""
    assert diff.before is not None
    assert diff.after is not None
    same = diff.before.deletes is None or _delete_id(diff.before) == _delete_id(diff.after)
    return same and set(diff.before.inlined_deletes) <= set(diff.after.inlined_deletes)


def _consolidated(signed: DataFrame, weight: str) -> DataFrame:
    keys = [backquote(name) for name in signed.columns if name != weight]
    total = f.expr(f"CAST(sum({backquote(weight)}) AS INT) AS {backquote(weight)}")
    return signed.groupBy(*keys).agg(total).where(f"{backquote(weight)} <> 0")
