"""Data files and delete files: what the extension writes for the same rows is the judge."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from headwater.core.errors import FileDamaged, FileDenied, FileMissing, InvalidRequest
from headwater.core.schema import Column, Schema, number
from headwater.lake import storage
from headwater.lake.arrow import to_table
from headwater.lake.parquet import read_delete_file, write_batches, write_delete_file
from headwater.lake.values import (
    STORED_ROW_ID,
    STORED_ROW_ID_FIELD,
    ColumnStats,
    PartitionField,
    Partitioning,
    WriteTarget,
    WrittenFile,
)
from tests.duck import Duck
from tests.lake.every_type import DUCK_COLUMNS, DUCK_ROWS, ROWS, SCHEMA

META = "__ducklake_metadata_lake"


def write(
    folder: Path, schema: Schema, rows: Sequence[Sequence[Any]], *, batch: int = 1000, **target: Any
) -> list[WrittenFile]:
    columns = (*schema, *target.get("extra", ()))
    if target.get("keeps_row_ids"):
        columns = (*columns, Column(STORED_ROW_ID, "int64"))
    batches = to_table(columns, rows).to_batches(max_chunksize=batch)
    return list(write_batches(WriteTarget(f"{folder}/", schema, **target), batches))


def of(*types: str) -> Schema:
    return Schema(number(tuple(Column(f"c{i}", name) for i, name in enumerate(types))))


def only(schema: Schema, rows: Sequence[Any], tmp_path: Path, **target: Any) -> ColumnStats:
    (file,) = write(tmp_path, schema, [(row,) for row in rows], **target)
    (stats,) = file.stats
    return stats


@pytest.fixture
def sqlite_lake(duck: Duck, tmp_path: Path) -> Duck:
    """The shared DuckDB with a lake of files only."""
    duck.attach(f"sqlite:{tmp_path}/catalog.sqlite", tmp_path / "data", options={"DATA_INLINING_ROW_LIMIT": 0})
    return duck


def test_statistics_equal_those_of_the_extension(sqlite_lake: Duck, tmp_path: Path) -> None:
    sqlite_lake.execute(f"CREATE TABLE t ({DUCK_COLUMNS}); INSERT INTO t VALUES {DUCK_ROWS}")
    theirs = sqlite_lake.execute(
        f"SELECT column_id, value_count, null_count, min_value, max_value, contains_nan "
        f"FROM {META}.ducklake_file_column_stats ORDER BY column_id"
    )
    (file,) = write(tmp_path / "ours", SCHEMA, ROWS)
    ours = [(s.field_id, s.values, s.nulls, s.min, s.max, s.has_nan) for s in file.stats]
    assert ours == [(*row[:5], None if row[5] is None else bool(row[5])) for row in theirs]


def test_duckdb_reads_the_values_back(sqlite_lake: Duck, tmp_path: Path) -> None:
    (file,) = write(tmp_path, SCHEMA, ROWS)
    sqlite_lake.execute(f"CREATE TABLE t ({DUCK_COLUMNS}); INSERT INTO t VALUES {DUCK_ROWS}")
    ours, theirs = sqlite_lake.batch([f"FROM '{file.path}'", "FROM t"])
    assert str(ours) == str(theirs)
    (extension_file,) = (tmp_path / "data").rglob("*.parquet")
    held, wanted = (sqlite_lake.columns(f"FROM '{path}'") for path in (file.path, extension_file))
    assert held == wanted


def test_the_footer_has_the_types_and_field_ids_of_the_extensions(sqlite_lake: Duck, tmp_path: Path) -> None:
    def leaves(path: Path | str) -> list[tuple[Any, ...]]:
        schema = pq.ParquetFile(path).schema
        return [
            (c.path, c.physical_type, str(c.logical_type), c.max_definition_level, c.max_repetition_level)
            for c in (schema.column(i) for i in range(len(schema)))
        ]

    def ids(path: Path | str) -> list[str]:
        return [
            line.split("field_id=")[1] for line in str(pq.ParquetFile(path).schema).splitlines() if "field_id=" in line
        ]

    sqlite_lake.execute(f"CREATE TABLE t ({DUCK_COLUMNS}); INSERT INTO t VALUES {DUCK_ROWS}")
    (theirs,) = (tmp_path / "data").rglob("*.parquet")
    (ours,) = write(tmp_path / "ours", SCHEMA, ROWS)
    # Plain signed types carry a redundant annotation in the extension's files, and long decimals 16 bytes.
    plain = {"Int(bitWidth=32, isSigned=true)": "None", "Int(bitWidth=64, isSigned=true)": "None"}
    assert [(*x[:2], plain.get(x[2], x[2]), *x[3:]) for x in leaves(theirs)] == leaves(ours.path)
    assert [x.split(" ")[0] for x in ids(theirs)] == [x.split(" ")[0] for x in ids(ours.path)]


PARTITIONED = Schema(
    number(
        (
            Column("k", "varchar"),
            Column("y", "timestamp"),
            Column("z", "timestamptz"),
            Column("v", "int32"),
            Column("f", "float64"),
            Column("d", "date"),
            Column("b", "boolean"),
            Column("dc", "decimal(10,2)"),
            Column("big", "decimal(25,3)"),
            Column("u", "uuid"),
            Column("ti", "time"),
            Column("n", "uint32"),
            Column("bl", "blob"),
            Column("s", "timestamp_s"),
            Column("ms", "timestamp_ms"),
            Column("x y", "int64"),
        )
    )
)
PARTITIONED_DUCK = (
    "k VARCHAR, y TIMESTAMP, z TIMESTAMPTZ, v INTEGER, f DOUBLE, d DATE, b BOOLEAN, dc DECIMAL(10,2), big DECIMAL(25,3), "
    'u UUID, ti TIME, n UINTEGER, bl BLOB, s TIMESTAMP_S, ms TIMESTAMP_MS, "x y" BIGINT'
)
PARTITIONED_TEXTS = (
    (
        "x y/ä=%#?:é", "2021-01-05 23:00:00.5", "2021-06-05 23:30:00+00", "1", "1.5", "2021-01-05", "true", "1.50", "14.200",
        "12345678-1234-1234-1234-1234567890ab", "01:02:03.5", "3", r"\xAB\x01", "2017-11-16 22:31:08",
        "2017-11-16 22:31:08.25", "-1",
    ),
    (
        "", "0001-01-01 00:00:00", "1969-12-31 23:59:59.5+00", "-7", "-2.5", "1969-12-31", "false", "-1.50", "-0.001",
        "ffffffff-1234-1234-1234-1234567890ab", "00:00:00", "4294967295", "plain", "1969-12-31 23:59:59",
        "1969-12-31 23:59:59.999", "9223372036854775807",
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    "keys",
    [
        *(
            (f"identity:{name}",)
            for name in ("k", "y", "z", "v", "f", "d", "b", "dc", "big", "u", "ti", "n", "s", "ms", "x y")
        ),
        ("year:y", "month:y", "day:y", "hour:y"),
        ("year:z", "month:z", "day:z", "hour:z"),
        ("year:d", "month:d", "day:d"),
        ("year:y", "year:d"),
        ("identity:k", "year:y", "bucket(4):v"),
        *((f"bucket(1000):{column.name}",) for column in PARTITIONED),
    ],
    ids=str,
)
def test_partitions_equal_those_of_the_extension(sqlite_lake: Duck, tmp_path: Path, keys: tuple[str, ...]) -> None:
    from headwater.lake.value_text import parse

    pairs = [key.split(":") for key in keys]
    ddl = ", ".join(
        f'"{name}"' if how == "identity" else f'{how.replace(")", ", ") if "(" in how else how + "("}"{name}")'
        for how, name in pairs
    )
    values = ", ".join(
        "(" + ", ".join("'" + text.replace("'", "''") + "'" for text in row) + ")" for row in PARTITIONED_TEXTS
    )
    nulls = ", ".join(["NULL"] * len(PARTITIONED))
    sqlite_lake.execute(
        f"CREATE TABLE t ({PARTITIONED_DUCK}); ALTER TABLE t SET PARTITIONED BY ({ddl}); "
        f"INSERT INTO t VALUES {values}, ({nulls})"
    )
    theirs = sqlite_lake.execute(
        f"SELECT regexp_replace(path, '[^/]*$', ''), list(partition_value ORDER BY partition_key_index) "
        f"FROM {META}.ducklake_data_file JOIN {META}.ducklake_file_partition_value USING (data_file_id) GROUP BY ALL"
    )
    rows = [tuple(parse(c, text) for c, text in zip(PARTITIONED, row, strict=True)) for row in PARTITIONED_TEXTS]
    fields = tuple(PartitionField(_field_id(name), how) for how, name in pairs)
    files = write(
        tmp_path / "ours", PARTITIONED, [*rows, (None,) * len(PARTITIONED)], partitioning=Partitioning(9, fields)
    )
    folder = f"{tmp_path}/ours/"
    ours = [(f.path.removeprefix(folder).rpartition("/")[0] + "/", list(f.partition_values)) for f in files]
    assert sorted(ours, key=str) == sorted(theirs, key=str)
    assert {file.partition_id for file in files} == {9}


def _field_id(name: str) -> int:
    found = PARTITIONED.find(name)
    assert found
    return found.field_id


def test_a_key_that_comes_back_opens_a_new_file_and_no_row_is_lost(tmp_path: Path) -> None:
    schema = of("int32", "int32")
    rows = [(i % 3, i) for i in range(30)]
    files = write(tmp_path, schema, rows, batch=10, partitioning=Partitioning(1, (PartitionField(1, "identity"),)))
    assert len(files) <= 9, "one for each key of each batch at most"
    for file in files:
        table = pq.read_table(file.path, partitioning=None)
        assert {str(v) for v in table["c0"].to_pylist()} == set(file.partition_values)
        assert table["c1"].to_pylist() == sorted(table["c1"].to_pylist())
    assert sorted(v for f in files for v in pq.read_table(f.path)["c1"].to_pylist()) == list(range(30))


def test_files_roll_over_at_the_target_size(tmp_path: Path) -> None:
    rows = [(i,) for i in range(1050)]
    files = write(tmp_path, of("int64"), rows, target_bytes=1000, row_group_rows=100, batch=130)
    assert len(files) > 3
    assert sum(file.records for file in files) == 1050
    groups = [pq.ParquetFile(file.path).metadata for file in files]
    assert all(group.row_group(i).num_rows == 100 for group in groups for i in range(group.num_row_groups - 1))
    assert [(f.stats[0].min, f.stats[0].max) for f in files] == [
        (str(column[0]), str(column[-1])) for column in (pq.read_table(f.path)["c0"].to_pylist() for f in files)
    ]


def test_sizes_are_those_of_the_file(tmp_path: Path) -> None:
    (file,) = write(tmp_path, SCHEMA, ROWS)
    raw = Path(file.path).read_bytes()
    assert (file.bytes, file.footer_bytes) == (len(raw), struct.unpack("<I", raw[-8:-4])[0])
    assert raw[-4:] == b"PAR1"
    group = pq.ParquetFile(file.path).metadata.row_group(0)
    assert [s.bytes for s in file.stats] == [group.column(i).total_compressed_size for i in range(group.num_columns)]
    assert {group.column(i).compression for i in range(group.num_columns)} == {"SNAPPY"}


def test_names_are_version_seven_uuids(tmp_path: Path) -> None:
    import uuid

    (file,) = write(tmp_path, of("int32"), [(1,)])
    name = file.path.rpartition("/")[2]
    assert uuid.UUID(name.removeprefix("ducklake-").removesuffix(".parquet")).version == 7


def test_row_ids_and_extra_columns_have_field_ids_and_no_statistics(tmp_path: Path) -> None:
    extra = (Column("_hw_n", "int64", 1_000_000_007),)
    (file,) = write(tmp_path, of("int32"), [(1, 5, 70), (2, None, 71)], extra=extra, keeps_row_ids=True)
    assert [stats.field_id for stats in file.stats] == [1]
    schema = pq.read_schema(file.path)
    assert [(f.name, int(f.metadata[b"PARQUET:field_id"])) for f in schema] == [
        ("c0", 1),
        (STORED_ROW_ID, STORED_ROW_ID_FIELD),
        ("_hw_n", 1_000_000_007),
    ]
    assert pq.read_table(file.path).to_pylist()[0] == {"c0": 1, STORED_ROW_ID: 70, "_hw_n": 5}


def test_no_rows_make_no_file(tmp_path: Path) -> None:
    assert write(tmp_path, of("int32"), []) == []
    assert list(storage.list_files(str(tmp_path))) == []


def test_nan_is_not_in_the_bounds_and_zeros_have_both_signs(tmp_path: Path) -> None:
    nan, inf = float("nan"), float("inf")
    cases = (
        ([nan, 1.5, None], "1.5", "1.5", True),
        ([nan, nan], None, None, True),
        ([-inf, inf], "-inf", "inf", False),
        ([0.0, -0.0], "0.0", "0.0", False),
        ([None], None, None, False),
    )
    for values, low, high, has_nan in cases:
        for type_name in ("float32", "float64"):
            stats = only(of(type_name), values, tmp_path)
            assert (stats.min, stats.max, stats.has_nan) == (low, high, has_nan)


def test_nan_is_found_in_nested_columns_and_in_later_row_groups(tmp_path: Path) -> None:
    parts = (Column("a", "float64"), Column("b", "float32"))
    nested = Column("l", "list", children=(Column("element", "struct", children=parts),))
    rows = [([{"a": 1.0, "b": 1.0}],), (None,), ([],), ([{"a": float("nan"), "b": 2.0}, None],)]
    (file,) = write(tmp_path, Schema(number((nested,))), rows, row_group_rows=2)
    assert [(s.has_nan, s.min, s.max) for s in file.stats] == [(True, "1.0", "1.0"), (False, "1.0", "2.0")]


@pytest.mark.parametrize("low", ["", "a", "a\0b", "ä" * 200, "x" * 5000])
@pytest.mark.parametrize("high", ["z", "z\0b", "z" * 257, "zä" * 200, "\U0010ffff" * 60, "z" * 5000])
def test_bounds_of_texts_bound_and_can_be_stored(tmp_path: Path, low: str, high: str) -> None:
    stats = only(of("varchar"), [high, None, low], tmp_path)
    assert stats.min is not None
    assert stats.max is not None
    assert stats.min.encode() <= low.encode()
    assert stats.max.encode() >= high.encode()
    for bound in (stats.min, stats.max):
        assert "\0" not in bound
        assert len(bound.encode()) <= 256 + 4


def test_unsigned_bounds_are_compared_as_unsigned_over_row_groups(tmp_path: Path) -> None:
    stats = only(of("uint32"), [5, 2**32 - 1, 7], tmp_path, row_group_rows=1)
    assert (stats.min, stats.max, stats.values) == ("5", "4294967295", 3)
    long = only(of("decimal(30,2)"), [-5, 3, 2], tmp_path, row_group_rows=1)
    assert (long.min, long.max) == ("-5.00", "3.00")


def test_years_beyond_python_have_bounds(tmp_path: Path) -> None:
    from headwater.lake.value_text import parse

    for type_name, texts in (
        ("date", ["0044-03-15 (BC)", "12021-01-05"]),
        ("timestamp", ["0044-03-15 (BC) 01:02:03", "infinity"]),
        ("timestamptz", ["-infinity", "12021-01-05 00:00:00.5+00"]),
    ):
        stats = only(of(type_name), [parse(Column("c", type_name), text) for text in texts], tmp_path)
        assert [stats.min, stats.max] == texts


def test_a_failure_leaves_no_file_behind(tmp_path: Path) -> None:
    schema = Schema((Column("c", "int32", 1, nullable=False),))
    batches = to_table(schema.columns, [(1,), (2,), (None,)]).to_batches(max_chunksize=1)
    target = WriteTarget(f"{tmp_path}/", schema, partitioning=Partitioning(1, (PartitionField(1, "identity"),)))
    with pytest.raises(InvalidRequest):
        list(write_batches(target, batches))
    assert list(storage.list_files(str(tmp_path))) == []


def test_delete_files_are_as_the_extension_writes_them(sqlite_lake: Duck, tmp_path: Path) -> None:
    sqlite_lake.execute("CREATE TABLE t (i INT); INSERT INTO t FROM range(100); DELETE FROM t WHERE i IN (3, 1)")
    sqlite_lake.execute("DELETE FROM t WHERE i = 2")
    found = (tmp_path / "data").rglob("*-delete.parquet")
    (theirs,) = (path for path in found if len(pq.read_schema(path)) == 3)
    ours = tmp_path / "ours" / "ducklake-x-delete.parquet"
    positions, snapshots = read_delete_file(str(theirs))
    assert snapshots is not None
    assert (positions.tolist(), len(set(snapshots.tolist()))) == ([1, 2, 3], 2)
    data_path = pq.read_table(theirs)["file_path"][0].as_py()
    size, footer = write_delete_file(str(ours), data_path, [3, 1, 2], snapshots[[2, 0, 1]])
    assert pq.read_table(ours).equals(pq.read_table(theirs))
    assert pq.read_schema(ours).equals(pq.read_schema(theirs), check_metadata=True)
    raw = ours.read_bytes()
    assert (size, footer) == (len(raw), struct.unpack("<I", raw[-8:-4])[0])


def test_a_delete_file_without_snapshots_has_two_columns(tmp_path: Path) -> None:
    path = f"{tmp_path}/d.parquet"
    write_delete_file(path, "/data.parquet", [2, 0])
    positions, snapshots = read_delete_file(path)
    assert (positions.tolist(), snapshots) == ([0, 2], None)
    assert pq.read_schema(path).names == ["file_path", "pos"]


def test_missing_and_damaged_files_are_told_apart(tmp_path: Path) -> None:
    path = f"{tmp_path}/d.parquet"
    with pytest.raises(FileMissing, match="is missing"):
        read_delete_file(path)
    write_delete_file(path, "/data.parquet", [1])
    whole = Path(path).read_bytes()
    for broken in (whole[:-20], whole[:10], b""):
        Path(path).write_bytes(broken)
        with pytest.raises(FileDamaged, match="is damaged"):
            read_delete_file(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="root makes the child that is not root")
def test_a_folder_that_may_not_be_written_is_denied() -> None:
    import tempfile

    code = (
        "import os, numpy.lib, pyarrow.parquet, pyarrow.fs\n"
        "from headwater.core.errors import FileDenied\n"
        "from headwater.lake.parquet import write_delete_file\n"
        "os.setuid(65534)\n"
        "try: write_delete_file('{0}/no/d.parquet', '/x', [1])\n"
        "except FileDenied as error: print(error.code)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        done = subprocess.run([sys.executable, "-c", code.format(folder)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == FileDenied.code, done.stderr[-500:]


def test_storage_lists_and_deletes(tmp_path: Path) -> None:
    path = f"{tmp_path}/a b/k=x%20y/ä.parquet"
    write_delete_file(path, "/x", [1])
    (found,) = storage.list_files(str(tmp_path))
    assert found.path == path
    assert found.bytes == os.path.getsize(path)
    assert found.modified_at is not None
    assert storage.exists(path)
    storage.delete(path)
    storage.delete(path)
    assert not storage.exists(path)
    assert list(storage.list_files(f"{tmp_path}/nowhere")) == []
