"""Read small changes of a table with Arrow, without an engine.

Only row groups with changed rows are read. The engine reads larger changes, and files that this module does not support:
those mapped by name instead of field ids, and nested types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.core.schema import Column
from headwater.core.types import decimal_parts
from headwater.lake import storage
from headwater.lake.arrow import FIELD_ID, arrow_type, to_table
from headwater.lake.find_changes import FEW_CHANGES, rows_listed
from headwater.lake.parquet import read_delete_file
from headwater.lake.value_text import parse
from headwater.lake.values import (
    SNAPSHOT_ID_FIELD,
    STORED_ROW_ID_FIELD,
    DataFile,
    FileAt,
    InlinedRows,
    TableAt,
    TableChanges,
)

ROWS = FEW_CHANGES
BYTES = 512 * 1024 * 1024

# Types whose values Arrow and Spark read alike.
_PLAIN = frozenset(
    {"boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "float32", "float64", "varchar", "blob"}
    | {"date", "timestamp", "timestamptz"}
)

Mask = npt.NDArray[np.bool_]


def read_changes_arrow(changes: TableChanges, *, rowid: str, weight: str) -> pa.Table | None:
    """The changed rows, their ids, and a weight of −1 or +1 for each; None if an engine must read them.

    Rows that were only moved from one file to another are not included.
    """
    columns = changes.schema.columns
    if rows_listed(changes) > ROWS or not all(
        column.type in _PLAIN or decimal_parts(column.type) for column in columns
    ):
        return None
    if any(diff.file.mapping_id is not None for diff in changes.files):
        return None
    parts = [
        _inlined(columns, changes.inlined_added, 1, rowid, weight),
        _inlined(columns, changes.inlined_removed, -1, rowid, weight),
    ]
    room = BYTES
    for diff in changes.files:
        with _Opened(diff.file) as opened:
            before, after = opened.visible(diff.before, changes.start), opened.visible(diff.after, changes.end)
            moved = np.flatnonzero(before != after)
            wanted = opened.wanted(columns)
            room -= opened.cost(moved, wanted)
            if room < 0 or any("." in name for name in wanted.values()):
                return None
            signs = np.where(after[moved], 1, -1).astype(np.int32)
            rows = opened.rows(columns, wanted, moved)
            parts.append(rows.append_column(rowid, opened.ids(moved)).append_column(weight, pa.array(signs)))
    return _consolidated(pa.concat_tables(parts), rowid, weight)


def read_whole(at: TableAt, extra: Sequence[Column], *, rowid: str, since: str | None) -> pa.Table | None:
    """All visible rows of a table's files; None if an engine must read them.

    The uncatalogued `extra` columns, the row id, and, with `since`, the begin snapshot of each row follow the table's columns.
    """
    columns = (*at.schema.columns, *extra)
    known = all(column.type in _PLAIN or decimal_parts(column.type) for column in columns)
    if not known or at.inlined.rows or any(each.file.mapping_id is not None for each in at.files):
        return None
    parts = []
    for each in at.files:
        with _Opened(each.file) as opened:
            wanted = opened.wanted(columns)
            # Arrow reads a dot in a name as access to a struct field.
            if any("." in name for name in wanted.values()):
                return None
            places = np.flatnonzero(opened.visible(each, at.snapshot))
            rows = opened.rows(columns, wanted, places).append_column(rowid, opened.ids(places))
            parts.append(rows if since is None else rows.append_column(since, opened.since(places)))
    return pa.concat_tables(parts)


def visible_deletes(at: FileAt, snapshot: int) -> npt.NDArray[np.int64]:
    """The positions that are deleted from a file at a snapshot."""
    held = np.asarray(at.inlined_deletes, np.int64)
    if at.deletes is None:
        return held
    positions, since = read_delete_file(at.deletes.path)
    if since is not None:
        # A position without a snapshot is always deleted: NaN is not greater.
        positions = positions[~(since > snapshot)]
    return np.concatenate([positions, held])


class _Opened:
    """A data file, open for reading."""

    def __init__(self, file: DataFile) -> None:
        self._file = file
        self._stream = storage.open_input(file.path)
        with storage.file_errors(file.path):
            self._parquet = pq.ParquetFile(self._stream)
        footer = self._parquet.metadata
        sizes = [footer.row_group(group).num_rows for group in range(footer.num_row_groups)]
        self._ends = np.cumsum([0, *sizes])
        if footer.num_rows != file.records:
            raise storage.damaged(file.path, f"it has {footer.num_rows} rows instead of {file.records}")
        self._names = {
            int(field.metadata[FIELD_ID]): field.name
            for field in self._parquet.schema_arrow
            if FIELD_ID in (field.metadata or {})
        }

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def visible(self, at: FileAt | None, snapshot: int) -> Mask:
        """Which rows are visible at a snapshot."""
        if at is None:
            return np.zeros(self._file.records, bool)
        shown = np.ones(self._file.records, bool)
        if self._file.partial_max is not None and self._file.partial_max > snapshot:
            since = self._embedded(SNAPSHOT_ID_FIELD, np.arange(self._file.records))
            if since is not None:
                shown = pc.less_equal(since, snapshot).fill_null(True).to_numpy(zero_copy_only=False).copy()
        shown[visible_deletes(at, snapshot)] = False
        return shown

    def wanted(self, columns: Sequence[Column]) -> dict[int, str]:
        """The names in the file of the columns that it has, by field id."""
        return {c.field_id: self._names[c.field_id] for c in columns if c.field_id in self._names}

    def cost(self, positions: npt.NDArray[np.int64], wanted: dict[int, str]) -> int:
        """How many bytes must be read for these rows."""
        footer, names = self._parquet.metadata, set(wanted.values())
        chunks = (
            footer.row_group(group).column(place)
            for group, _ in self._groups(positions)
            for place in range(footer.num_columns)
        )
        return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema in names)

    def rows(self, columns: Sequence[Column], wanted: dict[int, str], positions: npt.NDArray[np.int64]) -> pa.Table:
        """The rows at these positions, in the types of an engine."""
        read = self._read(list(wanted.values()), positions)
        arrays = []
        for column in columns:
            kind = arrow_type(column)
            if column.field_id in wanted:
                arrays.append(read.column(wanted[column.field_id]).cast(kind))
            elif column.initial_default is not None and column.field_id in self._file.absent:
                value = to_table((column,), [(parse(column, column.initial_default),)]).column(0)
                arrays.append(value.take(np.zeros(len(positions), np.int64)))
            else:
                arrays.append(pa.chunked_array([pa.nulls(len(positions), kind)]))
        return pa.table(arrays, names=[column.name for column in columns])

    def ids(self, positions: npt.NDArray[np.int64]) -> pa.Array | pa.ChunkedArray:
        """The ids of the rows at these positions."""
        start = self._file.row_id_start
        counted = pa.array(positions + start) if start is not None else pa.nulls(len(positions), pa.int64())
        embedded = self._embedded(STORED_ROW_ID_FIELD, positions)
        return counted if embedded is None else pc.coalesce(embedded, counted)

    def since(self, positions: npt.NDArray[np.int64]) -> pa.Array | pa.ChunkedArray:
        """The begin snapshots of the rows at these positions."""
        first = pa.array(np.full(len(positions), self._file.begin, np.int64))
        embedded = self._embedded(SNAPSHOT_ID_FIELD, positions)
        return first if embedded is None else pc.coalesce(embedded, first)

    def _embedded(self, field_id: int, positions: npt.NDArray[np.int64]) -> pa.ChunkedArray | None:
        name = self._names.get(field_id)
        return None if name is None else self._read([name], positions).column(0)

    def _read(self, names: list[str], positions: npt.NDArray[np.int64]) -> pa.Table:
        with storage.file_errors(self._file.path):
            parts = [
                self._parquet.read_row_group(group, names).take(places) for group, places in self._groups(positions)
            ]
            empty = self._parquet.schema_arrow.empty_table().select(names)
        return pa.concat_tables([empty, *parts])

    def _groups(self, positions: npt.NDArray[np.int64]) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
        """The row groups that contain ascending positions, with the positions inside each."""
        cuts = np.searchsorted(positions, self._ends)
        for group, (start, end) in enumerate(pairwise(cuts)):
            if start < end:
                yield group, positions[start:end] - self._ends[group]


def _inlined(columns: Sequence[Column], inlined: InlinedRows, sign: int, rowid: str, weight: str) -> pa.Table:
    rows = to_table(columns, [values for _, values in inlined.rows])
    ids = pa.array([row_id for row_id, _ in inlined.rows], pa.int64())
    return rows.append_column(rowid, ids).append_column(weight, pa.array([sign] * len(inlined.rows), pa.int32()))


def _consolidated(rows: pa.Table, rowid: str, weight: str) -> pa.Table:
    """The changes without pairs of an inserted and a deleted row of the same id and values."""
    ids, signs = rows.column(rowid), rows.column(weight).to_numpy()
    went, came = np.flatnonzero(signs < 0), np.flatnonzero(signs > 0)
    if not len(went) or not len(came) or ids.null_count:
        return rows
    numbers = ids.to_numpy()
    _, left, right = np.intersect1d(numbers[went], numbers[came], return_indices=True)
    left, right = went[left], came[right]
    same = np.ones(len(left), bool)
    for name in rows.column_names:
        if name not in (rowid, weight):
            same &= _equal(rows.column(name).take(left), rows.column(name).take(right))
    stays = np.ones(rows.num_rows, bool)
    stays[left[same]] = stays[right[same]] = False
    return rows.filter(pa.array(stays))


def _equal(one: pa.ChunkedArray, other: pa.ChunkedArray) -> Mask:
    arrays = [_bits(side.combine_chunks()) for side in (one, other)]
    empty = pc.and_(*(array.is_null() for array in arrays))
    return pc.or_(pc.equal(*arrays).fill_null(False), empty).to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def _bits(array: pa.Array) -> pa.Array:
    """Floats as their bits: NaN equals NaN, and 0.0 differs from -0.0."""
    return (
        array.view(pa.int64() if array.type == pa.float64() else pa.int32())
        if pa.types.is_floating(array.type)
        else array
    )
