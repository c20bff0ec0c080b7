"""Rows of tables as Spark DataFrames, for the Python API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame

from headwater.core.schema import SortKey
from headwater.execute.dml import stage_append, stage_delete, stage_update
from headwater.execute.read_changes import read_changes
from headwater.execute.read_table import read_table
from headwater.execute.session import spark_session
from headwater.execute.spark_engine import SparkEngine
from headwater.lake.operations import StagedChange
from headwater.lake.values import TableAt, TableChanges, WriteTarget
from headwater.refresh.engine import Query


class SparkFrames:
    """Reads tables as DataFrames in this process's session, and stages inserts, deletes and updates."""

    def read(self, at: TableAt, rowid: str | None) -> DataFrame:
        """The rows of a table."""
        return read_table(spark_session(), at, rowid=rowid)

    def read_changes(self, changes: TableChanges, rowid: str, weight: str) -> DataFrame:
        """The net changes of a table."""
        return read_changes(spark_session(), changes, rowid=rowid, weight=weight)

    def select(self, query: Query) -> pa.Table:
        """The rows of a query."""
        return SparkEngine().select(query)

    def stage_append(
        self, frame: DataFrame, at: TableAt, target: WriteTarget, order: Sequence[SortKey], *, replace: bool
    ) -> StagedChange:
        """Stage the rows of a DataFrame, in addition to the existing rows or to replace them."""
        return stage_append(frame, at, target, order, replace=replace)

    def stage_delete(self, at: TableAt, where: str) -> StagedChange:
        """Stage the deletion of the rows that match a condition."""
        return stage_delete(spark_session(), at, where)

    def stage_update(
        self,
        at: TableAt,
        assignments: Mapping[str, str],
        where: str,
        target: WriteTarget,
        order: Sequence[SortKey],
    ) -> StagedChange:
        """Stage new values in the rows that match a condition."""
        return stage_update(spark_session(), at, assignments, where, target, order)
