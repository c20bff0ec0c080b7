"""Writing the Parquet files of a lake: data files with their statistics, and delete files."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from headwater.core.errors import LakeError
from headwater.core.schema import Column
from headwater.core.types import FLOATS
from headwater.lake import storage
from headwater.lake.arrow import FIELD_ID, file_schema, to_file
from headwater.lake.bounds import FloatBounds, file_stats
from headwater.lake.partition import Key, PartitionKeys
from headwater.lake.uuid7 import uuid7
from headwater.lake.values import (
    DELETE_PATH,
    DELETE_PATH_FIELD,
    DELETE_POSITION,
    DELETE_POSITION_FIELD,
    SNAPSHOT_ID,
    SNAPSHOT_ID_FIELD,
    STORED_ROW_ID,
    STORED_ROW_ID_FIELD,
    WriteTarget,
    WrittenFile,
)

ROW_GROUP_ROWS = 122_880
ROW_GROUP_BYTES = 256 * 1024 * 1024
_COMPRESSION = {"uncompressed": "none", "lz4_raw": "lz4"}


def write_batches(
    target: WriteTarget, batches: Iterable[pa.RecordBatch], node: int | None = None
) -> Iterator[WrittenFile]:
    """Write all rows into new files of the table; on failure, remove them.

    Batches have the columns of the target by name, in the types of `lake.arrow.arrow_type`. The names of all files of one
    `node` end in the same twelve digits.
    """
    writer = FileWriter(target, node)
    try:
        for batch in batches:
            yield from writer.write(batch)
        yield from writer.close()
    except BaseException:
        writer.abandon()
        raise


class FileWriter:
    """Writes batches of a table into files, one open at a time, and returns each file when it is complete."""

    def __init__(self, target: WriteTarget, node: int | None = None) -> None:
        row_id = (Column(STORED_ROW_ID, "int64", STORED_ROW_ID_FIELD),) if target.keeps_row_ids else ()
        self._columns = (*target.schema, *row_id, *target.extra)
        self._keys = PartitionKeys.of(target.partitioning, target.schema)
        self._target = target
        self._node = node
        self._open: _OpenFile | None = None
        self._paths: list[str] = []

    def write(self, batch: pa.RecordBatch) -> Iterator[WrittenFile]:
        """Write rows; yield the files that are complete."""
        for key, part in self._keys.split(to_file(batch, self._columns)):
            for start in range(0, part.num_rows, self._target.row_group_rows):
                if self._open and (self._open.key != key or self._open.bytes >= self._target.target_bytes):
                    yield from self.close()
                if self._open is None:
                    self._open = self._create(key)
                self._open.add(part.slice(start, self._target.row_group_rows))

    def close(self) -> Iterator[WrittenFile]:
        """Complete the open file, if any."""
        if self._open is not None:
            complete, self._open = self._open, None
            yield complete.close()

    def abandon(self) -> None:
        """Try to remove every file of this writer."""
        if self._open is not None:
            self._open.drop()
            self._open = None
        for path in self._paths:
            with suppress(LakeError):
                storage.delete(path)

    def _create(self, key: Key) -> _OpenFile:
        path = f"{self._target.location}{self._keys.folder(key)}ducklake-{uuid7(self._node)}.parquet"
        self._paths.append(path)
        return _OpenFile(path, key, self._target, self._columns)


class _OpenFile:
    """A data file that is being written."""

    def __init__(self, path: str, key: Key, target: WriteTarget, columns: Sequence[Column]) -> None:
        self.path = path
        self.key = key
        self._target = target
        self._group_rows = target.row_group_rows
        self._floating = [column for column in target.schema if any(leaf.type in FLOATS for leaf in column.leaves())]
        self._floats: defaultdict[int, FloatBounds] = defaultdict(FloatBounds)
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0
        self._rows = 0
        self._footers: list[pq.FileMetaData] = []
        self._sink = storage.create(path)
        # This creates the file, which fails if the disk is full.
        with storage.file_errors(path):
            self._writer = pq.ParquetWriter(
                self._sink, file_schema(columns), metadata_collector=self._footers, **_writer_options(target, columns)
            )

    @property
    def bytes(self) -> int:
        """The number of bytes written, without rows that are buffered for their row group."""
        return int(self._sink.tell())

    def add(self, rows: pa.RecordBatch) -> None:
        room = self._group_rows - self._waiting_rows
        for part in (rows.slice(0, room), rows.slice(room)):
            if part.num_rows:
                self._waiting.append(part)
                self._waiting_rows += part.num_rows
                self._waiting_bytes += part.nbytes
            if self._waiting_rows >= self._group_rows or self._waiting_bytes >= ROW_GROUP_BYTES:
                self._flush()

    def close(self) -> WrittenFile:
        with storage.file_errors(self.path):
            self._flush()
            self._writer.close()
            size = self.bytes
            self._sink.close()
        footer = self._footers[0]
        partitioning = self._target.partitioning
        return WrittenFile(
            path=self.path,
            records=self._rows,
            bytes=size,
            footer_bytes=_footer_bytes(footer),
            stats=file_stats(footer, self._target.schema.leaves(), self._floats),
            partition_id=partitioning.id if partitioning else None,
            partition_values=self.key,
        )

    def drop(self) -> None:
        _discard(self._writer)
        with suppress(OSError, pa.ArrowException):
            self._sink.close()

    def _flush(self) -> None:
        if not self._waiting_rows:
            return
        table = pa.Table.from_batches(self._waiting)
        for column in self._floating:
            for chunk in table.column(column.name).chunks:
                for field_id, values in _float_leaves(chunk, column):
                    self._floats[field_id].add(values)
        with storage.file_errors(self.path):
            self._writer.write_table(table, row_group_size=self._group_rows)
        self._rows += self._waiting_rows
        self._waiting, self._waiting_rows, self._waiting_bytes = [], 0, 0


def write_delete_file(
    path: str, data_path: str, positions: npt.ArrayLike, snapshots: npt.ArrayLike | None = None
) -> tuple[int, int]:
    """Write the positions deleted from a data file, with the snapshot of each if given; return file and footer sizes."""
    order = np.argsort(np.asarray(positions, np.int64), kind="stable")
    columns = {
        (DELETE_PATH, DELETE_PATH_FIELD): pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(len(order), np.int32)), [data_path]
        ).cast(pa.string()),
        (DELETE_POSITION, DELETE_POSITION_FIELD): pa.array(np.asarray(positions, np.int64)[order]),
    }
    if snapshots is not None:
        columns[(SNAPSHOT_ID, SNAPSHOT_ID_FIELD)] = pa.array(np.asarray(snapshots, np.int64)[order])
    schema = pa.schema(
        [pa.field(name, array.type, metadata={FIELD_ID: str(id).encode()}) for (name, id), array in columns.items()]
    )
    footers: list[pq.FileMetaData] = []
    sink = storage.create(path)
    with storage.file_errors(path):
        writer = pq.ParquetWriter(sink, schema, store_schema=False, metadata_collector=footers)
        try:
            writer.write_table(pa.table(list(columns.values()), schema=schema), row_group_size=ROW_GROUP_ROWS)
            writer.close()
        except BaseException:
            _discard(writer)
            with suppress(OSError):
                sink.close()
            raise
        size = int(sink.tell())
        sink.close()
    return size, _footer_bytes(footers[0])


def _discard(writer: pq.ParquetWriter) -> None:
    """Give up a file: closing its writer would fail once more, now or when it is collected."""
    writer.is_open = False


def read_delete_file(path: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64] | None]:
    """The positions of a delete file, and the snapshot of each if the file embeds them."""
    with storage.open_input(path) as source, storage.file_errors(path):
        file = pq.ParquetFile(source)
        embedded = SNAPSHOT_ID in file.schema_arrow.names
        table = file.read([DELETE_POSITION, SNAPSHOT_ID] if embedded else [DELETE_POSITION])
    positions = table.column(DELETE_POSITION).to_numpy()
    return positions, table.column(SNAPSHOT_ID).to_numpy() if embedded else None


def unsigned_types(path: str) -> dict[int, str]:
    """The DuckLake types of a data file's unsigned leaf columns by field id, from its footer."""
    with storage.file_errors(path), storage.open_input(path) as stream:
        schema = pq.ParquetFile(stream).schema_arrow
    found: dict[int, str] = {}

    def visit(field: pa.Field) -> None:
        for place in range(field.type.num_fields):
            visit(field.type.field(place))
        if pa.types.is_unsigned_integer(field.type) and FIELD_ID in (field.metadata or {}):
            found[int(field.metadata[FIELD_ID])] = f"uint{field.type.bit_width}"

    for field in schema:
        visit(field)
    return found


def _writer_options(target: WriteTarget, columns: Sequence[Column]) -> dict[str, Any]:
    leaves = [leaf for column in columns for leaf in _leaf_paths(column)]
    exact = [path for path, leaf in leaves if leaf.type not in FLOATS]
    # Format 2.6 has unsigned types; pages have version 1, which every reader supports.
    return {
        "version": "2.6",
        "data_page_version": "1.0",
        "compression": _COMPRESSION.get(target.compression.lower(), target.compression.lower()),
        "compression_level": target.compression_level,
        # Parquet's bounds exclude NaN, but Spark and DuckDB order NaN last and skip row groups by the bounds.
        "write_statistics": True if len(exact) == len(leaves) else exact,
        "store_schema": False,
        "store_decimal_as_integer": True,
        "write_page_index": True,
        # Small dictionaries only: large ones are slower and save no space.
        "dictionary_pagesize_limit": 128 * 1024,
    }


def _footer_bytes(footer: pq.FileMetaData) -> int:
    """The length of the Thrift footer: that of a metadata file without its magic numbers and its length field."""
    serialized = io.BytesIO()
    footer.write_metadata_file(serialized)
    return serialized.tell() - 12


def _float_leaves(array: pa.Array, column: Column) -> Iterator[tuple[int, pa.Array]]:
    """The arrays of floats inside a column, by field id."""
    match column.type:
        case "struct":
            for part, child in zip(array.flatten(), column.children, strict=True):
                yield from _float_leaves(part, child)
        case "list":
            yield from _float_leaves(array.flatten(), column.children[0])
        case "map":
            for part, child in zip((array.keys, array.items), column.children, strict=True):
                yield from _float_leaves(part, child)
        case "float32" | "float64":
            yield column.field_id, array


def _leaf_paths(column: Column, above: str = "") -> Iterator[tuple[str, Column]]:
    """The leaves of a column with their paths in the Parquet schema."""
    path = above + column.name
    match column.type:
        case "struct":
            for child in column.children:
                yield from _leaf_paths(child, f"{path}.")
        case "list":
            yield from _leaf_paths(column.children[0], f"{path}.list.")
        case "map":
            for child in column.children:
                yield from _leaf_paths(child, f"{path}.key_value.")
        case _:
            yield path, column
