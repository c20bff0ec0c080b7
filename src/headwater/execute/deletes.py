"""The keys of deleted rows, by which a scan excludes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.execute.scan_files import KEY, FileSet, open_files
from headwater.execute.tags import FEW, tag
from headwater.lake.read_arrow import visible_deletes
from headwater.lake.values import DELETE_POSITION, SNAPSHOT_ID, DeleteFile, FileAt

# Up to this number of keys, Spark broadcasts them, at about 64 bytes per key.
BROADCAST_KEYS = 2_000_000

# Up to this number of keys, the driver reads them, which saves a Spark job.
LOCAL_KEYS = 200_000

_BASE = "__hw_base"
_TAG = "__hw_tag"
_LONG = t.LongType()
_DELETES = t.StructType([t.StructField(DELETE_POSITION, _LONG), t.StructField(SNAPSHOT_ID, _LONG)])


def deleted_keys(spark: SparkSession, files: FileSet, visible: Sequence[FileAt], snapshot: int) -> DataFrame:
    """The keys of all rows that are deleted at a snapshot, in one column KEY."""
    count = count_deletes(visible)
    if count <= LOCAL_KEYS:
        found = [files.tags.base(at.file.path) + visible_deletes(at, snapshot) for at in visible]
        return f.broadcast(spark.createDataFrame(pa.table({KEY: np.concatenate(found)})))
    held = [at.deletes for at in visible if at.deletes]
    parts = [keys.drop(SNAPSHOT_ID) for keys in delete_file_keys(spark, files, held, snapshot)]
    inlined = [files.tags.base(at.file.path) + np.asarray(at.inlined_deletes) for at in visible if at.inlined_deletes]
    if inlined:
        parts.append(spark.createDataFrame(pa.table({KEY: np.concatenate(inlined).astype(np.int64)})))
    return sized(reduce(DataFrame.union, parts), count)


def delete_file_keys(
    spark: SparkSession, files: FileSet, deletes: Sequence[DeleteFile], snapshot: int
) -> list[DataFrame]:
    """The keys and embedded snapshot ids of the positions in delete files at a snapshot, including those without an id."""
    paths = {file.id: file.path for file in files.files}
    frames = []
    for tags in tag(delete.path for delete in deletes):
        members = [delete for delete in deletes if delete.path in tags.of]
        rows = open_files(spark, _DELETES, list(tags.of))
        tags.check(rows)
        rows = rows.where(f"{SNAPSHOT_ID} IS NULL OR {SNAPSHOT_ID} <= {snapshot}")
        bases: dict[str, int | None] = {d.path: files.tags.base(paths[d.data_file_id]) for d in members}
        rows = rows.selectExpr("*", f"{tags.expression()} AS {_TAG}")
        if len(members) <= FEW:
            base = tags.choose(_TAG, bases)
        else:
            base = _BASE
            known = spark.createDataFrame(pa.table({_TAG: list(tags.of.values()), _BASE: [bases[p] for p in tags.of]}))
            rows = rows.join(f.broadcast(known), _TAG)
        frames.append(rows.selectExpr(f"{base} + {DELETE_POSITION} AS {KEY}", SNAPSHOT_ID))
    return frames


def count_deletes(visible: Sequence[FileAt]) -> int:
    """The number of deleted positions in the files, from the catalog."""
    return sum(at.deleted for at in visible)


def sized(keys: DataFrame, count: int) -> DataFrame:
    """The keys, with a broadcast hint if there are few."""
    return f.broadcast(keys) if count <= BROADCAST_KEYS else keys
