"""The catalog rows of new data files (file, statistics, partition values) and of files scheduled for deletion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from headwater.lake import catalog as c
from headwater.lake.new_snapshot import NewSnapshot
from headwater.lake.paths import relative_to
from headwater.lake.values import ColumnStats, Table, WrittenFile


@dataclass(frozen=True, slots=True)
class NewFile:
    """A written file with its begin snapshot and its row ids."""

    file: WrittenFile
    begin: int
    row_id_start: int | None = None
    partition_id: int | None = None
    partial_max: int | None = None


def add_files(new: NewSnapshot, table: Table, files: Iterable[NewFile]) -> None:
    """Insert the rows of new data files."""
    rows, stats, values = [], [], []
    for each in files:
        file, file_id = each.file, new.take_file_id()
        path, relative = relative_to(table.location, file.path)
        rows.append(
            {
                "data_file_id": file_id,
                "table_id": table.id,
                "begin_snapshot": each.begin,
                "path": path,
                "path_is_relative": relative,
                "file_format": "parquet",
                "record_count": file.records,
                "file_size_bytes": file.bytes,
                "footer_size": file.footer_bytes,
                "row_id_start": each.row_id_start,
                "partition_id": each.partition_id,
                "partial_max": each.partial_max,
            }
        )
        stats += [_stats_row(table, file_id, s) for s in file.stats]
        values += [
            {"data_file_id": file_id, "table_id": table.id, "partition_key_index": i, "partition_value": value}
            for i, value in enumerate(file.partition_values)
        ]
    for target, found in ((c.data_file, rows), (c.file_column_stats, stats), (c.file_partition_value, values)):
        if found:
            new.connection.execute(sa.insert(target), found)


def schedule(new: NewSnapshot, paths: dict[int, str]) -> None:
    """Schedule the deletion of files that no snapshot needs, by id. The delay lets current readers finish."""
    rows = []
    for file_id, path in paths.items():
        place, relative = relative_to(new.data_path, path)
        rows.append({"data_file_id": file_id, "path": place, "path_is_relative": relative, "schedule_start": new.time})
    new.connection.execute(sa.insert(c.files_scheduled_for_deletion), rows)


def _stats_row(table: Table, file_id: int, stats: ColumnStats) -> dict[str, object]:
    return {
        "data_file_id": file_id,
        "table_id": table.id,
        "column_id": stats.field_id,
        "column_size_bytes": stats.bytes,
        "value_count": stats.values,
        "null_count": stats.nulls,
        "min_value": stats.min,
        "max_value": stats.max,
        "contains_nan": stats.has_nan,
    }
