"""Stage changes of a table's rows: rows to add, and positions to delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from headwater.core.errors import InvalidRequest, NotFound, StateBroken
from headwater.core.format import these_are
from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.names import backquote, folded
from headwater.core.schema import Schema, SortKey
from headwater.execute.file_columns import default
from headwater.execute.read_table import read_table
from headwater.execute.stage import stage
from headwater.execute.translate_errors import engine_errors
from headwater.lake.operations import DeletedPositions, StagedChange
from headwater.lake.value_text import parse
from headwater.lake.values import STORED_ROW_ID, TableAt, WriteTarget


def stage_append(
    frame: DataFrame, at: TableAt, target: WriteTarget, sort_by: Sequence[SortKey] = (), *, replace: bool = False
) -> StagedChange:
    """Insert rows, or replace all rows with `replace`. Columns match by name; missing ones get their default."""
    files = stage(_conformed(frame, at.schema), target, sort_by=sort_by)
    return StagedChange(at.table.id, tuple(file for file in files if file.records), replace=replace)


def stage_delete(spark: SparkSession, at: TableAt, where: str) -> StagedChange:
    """Delete the rows that match a condition."""
    with engine_errors():
        found = read_table(spark, at, positions=True).where(where).select(FILE_ID, POSITION)
        return deletion(at, found)


def stage_update(
    spark: SparkSession,
    at: TableAt,
    assignments: Mapping[str, str],
    where: str,
    target: WriteTarget,
    sort_by: Sequence[SortKey] = (),
) -> StagedChange:
    """Update the rows that match a condition; they keep their ids."""
    with engine_errors():
        expressions = _assignments(at.schema, assignments)
        found = read_table(spark, at, positions=True, rowid=STORED_ROW_ID).where(where).persist()
        try:
            gone = deletion(at, found)
            if gone.empty:
                return gone
            values = [
                f.expr(expressions.get(column.name, backquote(column.name))).alias(column.name) for column in at.schema
            ]
            files = stage(found.select(*values, STORED_ROW_ID), target, sort_by=sort_by)
        finally:
            found.unpersist()
    return StagedChange(at.table.id, files, gone.deletes, gone.inlined_deletes)


def deletion(at: TableAt, found: DataFrame) -> StagedChange:
    """Delete the rows at these positions."""
    return deletion_at(at, found.select(FILE_ID, POSITION).toArrow())


def deletion_at(at: TableAt, places: pa.Table) -> StagedChange:
    """The deletion of rows at places; raises StateBroken if a place is NULL or occurs twice."""
    places = places.sort_by([(FILE_ID, "ascending"), (POSITION, "ascending")])
    if places[POSITION].null_count:
        raise StateBroken(f"rows to delete from table {at.table.name} are not in it", hint="Refresh the table in full.")
    files = places[FILE_ID].to_numpy(zero_copy_only=False)
    positions = places[POSITION].to_numpy()
    inlined = np.isnan(files.astype(np.float64)) if places[FILE_ID].null_count else np.zeros(len(files), bool)
    ids, starts = np.unique(files[~inlined].astype(np.int64), return_index=True)
    parts = np.split(positions[~inlined], starts[1:])
    if any((np.diff(part) == 0).any() for part in (*parts, positions[inlined])):
        raise StateBroken(f"a row of table {at.table.name} would be deleted twice", hint="Refresh the table in full.")
    return StagedChange(
        at.table.id,
        deletes=tuple(DeletedPositions(int(id), part) for id, part in zip(ids, parts, strict=False)),
        inlined_deletes=tuple(int(row_id) for row_id in positions[inlined]),
    )


def _conformed(frame: DataFrame, schema: Schema) -> DataFrame:
    if not hasattr(frame, "sparkSession"):
        raise InvalidRequest(
            f"rows must be a Spark DataFrame, not {type(frame).__name__}", hint="Create one with spark.createDataFrame."
        )
    given = {folded(name): name for name in frame.columns}
    if len(given) != len(frame.columns):
        raise InvalidRequest("two columns of the DataFrame have the same name", hint="Give each column its own name.")
    unknown = [name for folded, name in given.items() if schema.find(folded) is None]
    if unknown:
        raise NotFound(
            f'column "{unknown[0]}" does not exist in the table',
            detail=these_are("column", schema.names),
            hint="Drop or rename the column.",
        )
    values: list[str] = []
    for column in schema:
        if folded(column.name) in given:
            values.append(f"{backquote(given[folded(column.name)])} AS {backquote(column.name)}")
        elif column.default_is_expression:
            raise InvalidRequest(
                f'column "{column.name}" has a default that only DuckDB can compute',
                detail=f"The default is {column.default}.",
                hint="Add this column to the rows.",
            )
        else:
            value = None if column.default is None else parse(column, column.default)
            values.append(f"{default(column, value)} AS {backquote(column.name)}")
    return frame.selectExpr(*values)


def _assignments(schema: Schema, given: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(given, Mapping) or not given or not all(isinstance(text, str) for text in given.values()):
        raise InvalidRequest(
            "an update needs a dict of columns and Spark SQL expressions",
            hint="Pass a dict such as {'amount': 'amount * 2'}.",
        )
    found = {_known(schema, name): expression for name, expression in given.items()}
    if len(found) != len(given):
        raise InvalidRequest("a column is assigned twice", hint="Name each column once.")
    return found


def _known(schema: Schema, name: str) -> str:
    column = schema.find(name)
    if column is None:
        raise NotFound(
            f'column "{name}" does not exist in the table',
            detail=these_are("column", schema.names),
            hint="Check the name.",
        )
    return column.name
