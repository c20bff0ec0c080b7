"""Count the rows of a file that a range of commits changed, where the catalog counts those of other commits too.

The catalog counts all rows of a file, also if it was merged from files of several snapshots, and all deletes of a delete file,
which includes the deletes before it. The files tell which of them happened when.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.core.errors import LakeError
from headwater.lake import storage
from headwater.lake.read_arrow import visible_deletes
from headwater.lake.values import SNAPSHOT_ID, DataFile, FileDiff, TableChanges

_THREADS = 8


def with_exact_counts(changes: TableChanges) -> TableChanges:
    """The changes with the number of changed rows of each file of which the catalog has no close bound."""
    with ThreadPoolExecutor(_THREADS) as pool:
        count = partial(_with_count, start=changes.start, end=changes.end)
        return replace(changes, files=tuple(pool.map(count, changes.files)))


def _with_count(diff: FileDiff, start: int, end: int) -> FileDiff:
    if diff.before is None or diff.after is None:
        return diff
    merged = diff.file.partial_max is not None and diff.file.partial_max > start
    if not merged and diff.before.deletes is None:
        return diff
    try:
        before, after = visible_deletes(diff.before, start), visible_deletes(diff.after, end)
        inserted = _inserted(diff.file, start, end) if merged else 0
    except LakeError:
        # What reads the changes reports it.
        return diff
    return replace(diff, changed_rows=inserted + len(np.setxor1d(before, after)))


def _inserted(file: DataFile, start: int, end: int) -> int:
    """How many rows of a merged file were inserted in (start, end]."""
    found = 0
    with storage.open_input(file.path) as stream, storage.file_errors(file.path):
        parquet = pq.ParquetFile(stream)
        if SNAPSHOT_ID not in parquet.schema_arrow.names:
            return file.records
        for group in range(parquet.num_row_groups):
            since = parquet.read_row_group(group, [SNAPSHOT_ID]).column(0)
            within = pc.and_(pc.greater(since, start), pc.less_equal(since, end))
            found += pc.sum(within).as_py() or 0
    return found
