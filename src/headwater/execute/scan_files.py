"""Scans of data files that share a layout."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from headwater.core.errors import FeatureRefused
from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.names import backquote, folded
from headwater.core.representable import check_representable
from headwater.core.schema import Column
from headwater.execute.file_columns import default, file_field, needs_reading_as_long, shown
from headwater.execute.spark_types import FIELD_ID, spark_schema, spark_type
from headwater.execute.tags import FEW, POSITION_BITS, Tags, tag
from headwater.lake import storage
from headwater.lake.arrow import to_table
from headwater.lake.partition import HIVE_NULL
from headwater.lake.value_text import parse
from headwater.lake.values import (
    SNAPSHOT_ID,
    SNAPSHOT_ID_FIELD,
    STORED_ROW_ID,
    STORED_ROW_ID_FIELD,
    DataFile,
    NamedColumn,
    NameMapping,
)

# Columns that scans add on request.
KEY = "__hw_key"
SINCE = "__hw_since"

_TAG = "__hw_tag"
_PLACE = "__hw_place"
_START = "__hw_start"


@dataclass(frozen=True, slots=True)
class Reading:
    """What to read of a table's files. `reused` are the columns whose name other columns have had; None if unknown."""

    columns: tuple[Column, ...]
    extra: tuple[Column, ...] = ()
    rowid: str | None = None
    positions: bool = False
    mappings: tuple[NameMapping, ...] = ()
    reused: frozenset[int] | None = None

    def __post_init__(self) -> None:
        check_representable(self.columns)

    def schema(self) -> t.StructType:
        """The columns of a scan, in order."""
        schema = spark_schema((*self.columns, *self.extra))
        if self.rowid:
            schema = schema.add(self.rowid, t.LongType())
        if self.positions:
            schema = schema.add(FILE_ID, t.LongType()).add(POSITION, t.LongType())
        return schema


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How files store the columns to read; files of one layout share a scan."""

    mapping: NameMapping | None = None
    defaults: frozenset[int] = frozenset()
    older_types: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files that share a scan, and the tags that identify them."""

    layout: FileLayout
    files: tuple[DataFile, ...]
    tags: Tags = field(compare=False)


def file_sets(files: Sequence[DataFile], reading: Reading) -> list[FileSet]:
    """The files in as few sets as their layouts allow."""
    by_layout: defaultdict[FileLayout, list[DataFile]] = defaultdict(list)
    for file in files:
        if file.records >= 1 << POSITION_BITS:
            raise FeatureRefused(
                f'file "{file.path}" holds more than two billion rows', hint="Rewrite the table's files."
            )
        by_layout[_layout(file, reading)].append(file)
    return [
        FileSet(layout, tuple(file for file in members if file.path in tags.of), tags)
        for layout, members in by_layout.items()
        for tags in tag(file.path for file in members)
    ]


def scan(
    spark: SparkSession, reading: Reading, files: FileSet, *, keyed: bool = False, dated: bool = False
) -> DataFrame:
    """All rows of the files: the columns of `reading`, then KEY if `keyed`, and SINCE (the row's begin snapshot) if `dated`."""
    layout = files.layout
    older_types = dict(layout.older_types)
    sources = {named.field_id: named for named in layout.mapping.columns} if layout.mapping else {}
    read: list[t.StructField] = []
    visible: list[str] = []
    in_path: list[tuple[Column, str]] = []
    for column in (*reading.columns, *reading.extra):
        source = sources.get(column.field_id)
        unmapped = layout.mapping is not None and source is None and column not in reading.extra
        if column.field_id in layout.defaults or (unmapped and column.initial_default is not None):
            assert column.initial_default is not None
            value = default(column, parse(column, column.initial_default))
        elif source and source.is_partition:
            in_path.append((column, source.source_name))
            value = backquote(column.name)
        else:
            name = source.source_name if source else _scan_name(column, reading, unmapped)
            by_name = source or (NamedColumn(column.field_id, name) if layout.mapping else None)
            read.append(file_field(name, column, older_types, by_name, reading.reused))
            value = shown(backquote(name), column, older_types, by_name, reading.reused)
        visible.append(f"{value} AS {backquote(column.name)}")

    if reading.rowid:
        read.append(_embedded(STORED_ROW_ID, STORED_ROW_ID_FIELD, layout))
    if dated:
        read.append(_embedded(SNAPSHOT_ID, SNAPSHOT_ID_FIELD, layout))
    rows = open_files(spark, t.StructType(read), [file.path for file in files.files])
    with_start = reading.rowid is not None and any(file.row_id_start is not None for file in files.files)
    place, key = "_metadata.row_index", files.tags.key()
    joined = with_start or reading.positions or bool(in_path)
    if joined or keyed:
        files.tags.check(rows)
    if joined and (in_path or len(files.files) > 1):
        # Spark's metadata columns are selected in a separate step, before the columns of the path are added.
        taken = [backquote(part.name) for part in read]
        taken += [f"{files.tags.expression()} AS {_TAG}", f"{place} AS {_PLACE}", f"{key} AS {KEY}"]
        rows, place, key = rows.selectExpr(*taken), _PLACE, KEY
    start, file_id = _START, FILE_ID
    if in_path or (joined and len(files.files) > FEW):
        rows = rows.join(f.broadcast(_constants(spark, files, in_path)), _TAG)
    elif joined:
        start = files.tags.choose(_TAG, {file.path: file.row_id_start for file in files.files})
        file_id = files.tags.choose(_TAG, {file.path: file.id for file in files.files})
    if reading.rowid:
        row_id = f"coalesce({STORED_ROW_ID}, {start} + {place})" if with_start else STORED_ROW_ID
        visible.append(f"{row_id} AS {backquote(reading.rowid)}")
    if reading.positions:
        visible += [f"{file_id} AS {FILE_ID}", f"{place} AS {POSITION}"]
    if keyed:
        visible.append(f"{key} AS {KEY}")
    if dated:
        visible.append(f"{SNAPSHOT_ID} AS {SINCE}")
    return rows.selectExpr(*visible)


def open_files(spark: SparkSession, schema: t.StructType, paths: Sequence[str]) -> DataFrame:
    """A scan of exactly these files."""
    for path in paths:
        # Spark skips empty files silently, which would lose rows or undo deletes.
        if "://" not in path and os.path.exists(path) and not os.path.getsize(path):
            raise storage.damaged(path, "the file is empty")
    return spark.read.schema(schema).option("__globPaths__", "false").parquet(*paths)


def _embedded(name: str, field_id: int, layout: FileLayout) -> t.StructField:
    """A column that DuckLake embeds in files; by name if the files have no field ids."""
    return t.StructField(name, t.LongType(), True, {} if layout.mapping else {FIELD_ID: field_id})


def _layout(file: DataFile, reading: Reading) -> FileLayout:
    mapping = None
    if file.mapping_id is not None:
        mapping = next((mapping for mapping in reading.mappings if mapping.id == file.mapping_id), None)
        if mapping is None:
            raise FeatureRefused(f'file "{file.path}" refers to a column mapping that the catalog does not hold')
    older_types = dict(file.older_types)
    leaves = [leaf for column in reading.columns for leaf in column.leaves()]
    return FileLayout(
        mapping=mapping,
        defaults=frozenset(
            column.field_id
            for column in reading.columns
            if column.field_id in file.absent and column.initial_default is not None
        ),
        older_types=tuple(
            (leaf.field_id, older_types[leaf.field_id]) for leaf in leaves if needs_reading_as_long(leaf, older_types)
        ),
    )


def _constants(spark: SparkSession, files: FileSet, in_path: Sequence[tuple[Column, str]]) -> DataFrame:
    """One row for each file: its tag, first row id, id, and the columns of its path."""
    numbers = tuple(Column(name, "int64") for name in (_TAG, _START, FILE_ID))
    columns = (*numbers, *(column for column, _ in in_path))
    rows = [
        (files.tags.of[file.path], file.row_id_start, file.id, *_path_values(file.path, in_path))
        for file in files.files
    ]
    return local_frame(spark, columns, rows)


def local_frame(spark: SparkSession, columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> DataFrame:
    """Rows of the driver as a local relation, whose size Spark knows."""
    schema = t.StructType([t.StructField(column.name, spark_type(column)) for column in columns])
    return arrow_frame(spark, to_table(columns, rows), schema)


def arrow_frame(spark: SparkSession, rows: pa.Table, schema: t.StructType | None = None) -> DataFrame:
    """An Arrow table as a local relation. Its chunks are combined, because Spark ignores those after an empty one."""
    return spark.createDataFrame(rows.combine_chunks(), schema=schema)  # type: ignore[arg-type]


def _path_values(path: str, in_path: Sequence[tuple[Column, str]]) -> list[Any]:
    if not in_path:
        return []
    pairs = (part.partition("=") for part in path.split("/")[:-1] if "=" in part)
    held = {folded(unquote(name)): value for name, _, value in pairs}
    values = []
    for column, name in in_path:
        text = held.get(folded(name), HIVE_NULL)
        # As in DuckDB, NULL is the word NULL in any case, and for types other than VARCHAR also the empty text.
        null = text == HIVE_NULL or text.casefold() == "null" or (not text and column.type != "varchar")
        values.append(None if null else parse(column, unquote(text)))
    return values


def _scan_name(column: Column, reading: Reading, unmapped: bool) -> str:
    """The name under which a scan reads a column by its field id.

    Spark pushes filters into Parquet by name, even if it reads by field id, and so would prune a file with another column of
    this name by the wrong values. Therefore the scan uses a column's name only if no other column has ever had it, and never
    that of a nested column, whose fields may have swapped names.
    """
    private = folded(column.name) == "_metadata" or column.name.startswith("__hw_")
    if unmapped or private or column.nested or reading.reused is None or column.field_id in reading.reused:
        return f"__hw_field_{column.field_id}"
    return column.name
