"""Rewrite files on Spark: the Compactor of maintenance."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.schema import Column
from headwater.execute.read_table import read_table
from headwater.execute.scan_files import SINCE, Reading, file_sets, local_frame, scan
from headwater.execute.session import spark_session
from headwater.execute.stage import FEW_ROWS, stage
from headwater.execute.translate_errors import engine_errors
from headwater.lake.values import SNAPSHOT_ID, STORED_ROW_ID, WrittenFile
from headwater.maintain.compactor import RewriteTask

# The driver writes files only up to this size, even if they have few rows.
_FEW_BYTES = 64 * 1024 * 1024
_BEGIN = "__hw_begin"


class SparkCompactor:
    """Reads and writes files as refreshes do; the driver writes small ones."""

    def rewrite(self, work: RewriteTask) -> WrittenFile | None:
        """Write all visible rows of the files into one new file, which is not yet in the catalog; None if there are none."""
        spark = spark_session()
        with engine_errors():
            rows = (
                _dated(spark, work) if work.dated else read_table(spark, work.at, rowid=STORED_ROW_ID, extra=work.state)
            )
        few = work.at.rows <= FEW_ROWS and work.at.bytes <= _FEW_BYTES
        return next(iter(stage(rows, work.target, sort_by=work.order, few=few, together=True)), None)


def _dated(spark: SparkSession, work: RewriteTask) -> DataFrame:
    """The rows of files with the begin snapshot of each: the one that its file embeds, or that of the file."""
    at = work.at
    reading = Reading(at.schema.columns, work.state, STORED_ROW_ID, True, at.mappings, at.reused)
    files = [each.file for each in at.files]
    parts = [scan(spark, reading, members, dated=True) for members in file_sets(files, reading)]
    begins = local_frame(
        spark, (Column(FILE_ID, "int64"), Column(_BEGIN, "int64")), [(file.id, file.begin) for file in files]
    )
    rows = reduce(DataFrame.union, parts).join(f.broadcast(begins), FILE_ID)
    return rows.withColumn(SNAPSHOT_ID, f.coalesce(SINCE, _BEGIN)).drop(FILE_ID, POSITION, SINCE, _BEGIN)
