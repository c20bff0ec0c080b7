"""For the same operations our commits leave the catalog rows that the DuckDB extension leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import sqlalchemy as sa

import headwater
from headwater.lake import catalog as c
from headwater.maintain.choose_files import Policy
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.catalog.dump import dump
from tests.duck import Duck
from tests.fix_db import Catalog

Step = str | tuple[str, Callable[[Lake], object]]


@dataclass(frozen=True)
class Pair:
    """The same lake twice: one that DuckDB changes, one that Headwater changes."""

    theirs: Lake
    ours: Lake
    duck: Duck

    def run(self, *steps: Step) -> None:
        """Do each step on both sides, and compare the catalogs after each."""
        for step in steps:
            text, mine = (step, lambda lake, sql=step: lake.sql(sql)) if isinstance(step, str) else step
            self.duck.execute(text)
            mine(self.ours)
            theirs, ours = dump(self.theirs), dump(self.ours)
            for table in theirs:
                assert ours[table] == theirs[table], f"{table} differs after: {text}"


@pytest.fixture
def pair(catalog_kind: str, new_catalog: Callable[[str], Catalog], duck: Duck) -> Iterator[Pair]:
    theirs, mine = new_catalog(catalog_kind), new_catalog(catalog_kind)
    duck.attach(theirs.duck_uri, theirs.data_path)
    with headwater.connect(mine.url, mine.data_path) as ours, headwater.connect(theirs.url, theirs.data_path) as seen:
        yield Pair(seen, ours, duck)


def test_a_new_lake(pair: Pair) -> None:
    assert dump(pair.ours) == dump(pair.theirs)


def test_tables_of_every_type(pair: Pair) -> None:
    pair.run(
        "CREATE TABLE scalars(b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, i128 HUGEINT, u8 UTINYINT, "
        "u16 USMALLINT, u32 UINTEGER, u64 UBIGINT, f FLOAT, d DOUBLE, c DECIMAL(10,2), v VARCHAR, bl BLOB, u UUID, da DATE, "
        "t TIME, ts TIMESTAMP, tz TIMESTAMPTZ, tms TIMESTAMP_MS, tss TIMESTAMP_S, tns TIMESTAMP_NS, j JSON, iv INTERVAL)",
        "CREATE TABLE nested(l INT[], ll VARCHAR[][], s STRUCT(a INT, b STRUCT(c VARCHAR)), m MAP(VARCHAR, INT[]))",
        "CREATE TABLE constraints(a INT NOT NULL, b INT DEFAULT 7, c VARCHAR DEFAULT 'it''s')",
        'CREATE TABLE "we ird"("co lumn" INT)',
    )


def test_schemas_and_views(pair: Pair) -> None:
    pair.run(
        "CREATE SCHEMA s",
        'CREATE SCHEMA "s 2"',
        "CREATE TABLE s.t(i INT)",
        "CREATE VIEW s.v AS SELECT i FROM s.t",
        "CREATE OR REPLACE VIEW s.v AS SELECT 1 AS one",
        'CREATE VIEW s.named(a, "b c") AS SELECT 1, 2',
        "ALTER VIEW s.v RENAME TO w",
        "DROP VIEW s.w",
        "DROP SCHEMA s CASCADE",
        'DROP SCHEMA "s 2"',
    )


def test_changes_of_columns_and_names(pair: Pair) -> None:
    pair.run(
        "CREATE TABLE t(a INT, b VARCHAR, f FLOAT, u UTINYINT)",
        "ALTER TABLE t ADD COLUMN c INT DEFAULT 42",
        "ALTER TABLE t ADD COLUMN s STRUCT(x INT, y VARCHAR[])",
        "ALTER TABLE t RENAME COLUMN b TO bb",
        "ALTER TABLE t ALTER a TYPE BIGINT",
        "ALTER TABLE t ALTER f TYPE DOUBLE",
        "ALTER TABLE t ALTER u TYPE UINTEGER",
        "ALTER TABLE t ALTER c SET DEFAULT 43",
        "ALTER TABLE t ALTER c DROP DEFAULT",
        "ALTER TABLE t DROP COLUMN s",
        "ALTER TABLE t DROP COLUMN bb",
        "ALTER TABLE t ADD COLUMN bb INT",
        "ALTER TABLE t RENAME TO t2",
        "COMMENT ON TABLE t2 IS 'hello'",
        "COMMENT ON TABLE t2 IS 'again'",
        "COMMENT ON COLUMN t2.a IS 'a column'",
        "COMMENT ON TABLE t2 IS NULL",
        "CREATE OR REPLACE TABLE t2(z INT)",
        "DROP TABLE t2",
    )


def test_partitioning_and_sorting(pair: Pair) -> None:
    pair.run(
        "CREATE TABLE t(k VARCHAR, ts TIMESTAMP, i INT)",
        "ALTER TABLE t SET PARTITIONED BY (k, year(ts), month(ts))",
        "ALTER TABLE t SET SORTED BY (i DESC, k ASC NULLS FIRST)",
        "ALTER TABLE t SET PARTITIONED BY (bucket(8, i))",
        "ALTER TABLE t RESET PARTITIONED BY",
        "ALTER TABLE t RESET SORTED BY",
    )


@pytest.fixture
def rows(pair: Pair) -> Pair:
    """We never inline rows, so the extension must not either."""
    pair.duck.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    option = sa.insert(c.ducklake_metadata).values(key="data_inlining_row_limit", value="0")
    pair.ours.database.write(lambda connection: connection.execute(option))
    return pair


def _appending(*rows: tuple[object, ...]) -> Callable[[Lake], object]:
    return lambda lake: arrow_lake.append(lake, "t", rows)


def _deleting(**positions: list[int]) -> Callable[[Lake], object]:
    """Delete positions of the n-th file of the table, given as f0=[…]."""

    def work(lake: Lake) -> object:
        files = sorted(entry.file.id for entry in lake.describe("t").files)
        return arrow_lake.delete(lake, "t", {files[int(name[1:])]: at for name, at in positions.items()})

    return work


def test_rows_come_and_go(rows: Pair) -> None:
    rows.run(
        "CREATE TABLE t(i INT, v VARCHAR, d DOUBLE)",
        (
            "INSERT INTO t VALUES (1, 'a', 1.5), (2, NULL, 2.5), (3, 'c', -1)",
            _appending((1, "a", 1.5), (2, None, 2.5), (3, "c", -1.0)),
        ),
        ("INSERT INTO t VALUES (10, 'b', 7), (-5, 'zz', 0)", _appending((10, "b", 7.0), (-5, "zz", 0.0))),
        ("DELETE FROM t WHERE i = 1", _deleting(f0=[0])),
        ("DELETE FROM t WHERE i = 2", _deleting(f0=[1])),
        ("DELETE FROM t WHERE i IN (10, -5)", _deleting(f1=[0, 1])),
        ("DELETE FROM t WHERE i = 3", _deleting(f0=[2])),
        ("INSERT INTO t VALUES (NULL, NULL, NULL)", _appending((None, None, None))),
        ("INSERT INTO t VALUES (6, 'x', 'inf')", _appending((6, "x", float("inf")))),
        ("TRUNCATE TABLE t", lambda lake: arrow_lake.replace(lake, "t", [])),
        # Last, because the extension forgets the bounds here and adopts those of the next file; ours stay unknown.
        ("INSERT INTO t VALUES (5, 'x', 'nan')", _appending((5, "x", float("nan")))),
    )


def test_columns_that_begin_all_null(rows: Pair) -> None:
    rows.run(
        "CREATE TABLE t(i INT, v VARCHAR, d DOUBLE)",
        ("INSERT INTO t VALUES (NULL, NULL, NULL)", _appending((None, None, None))),
        ("INSERT INTO t VALUES (1, 'a', 1)", _appending((1, "a", 1.0))),
        ("INSERT INTO t VALUES (2, 'b', 'nan')", _appending((2, "b", float("nan")))),
    )


def test_updates_keep_row_ids(rows: Pair) -> None:
    def update(lake: Lake) -> object:
        (file,) = (entry.file.id for entry in lake.describe("t").files)
        return arrow_lake.update(lake, "t", {file: [1]}, [(2, "new")], [1])

    rows.run(
        "CREATE TABLE t(i INT, v VARCHAR)",
        ("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", _appending((1, "a"), (2, "b"), (3, "c"))),
        ("UPDATE t SET v = 'new' WHERE i = 2", update),
    )


def test_a_column_without_nulls_can_forbid_them(rows: Pair) -> None:
    rows.run(
        "CREATE TABLE t(i INT, v VARCHAR)",
        ("INSERT INTO t VALUES (1, 'a')", _appending((1, "a"))),
        "ALTER TABLE t ALTER i SET NOT NULL",
        "ALTER TABLE t ALTER i DROP NOT NULL",
    )


def test_long_strings_have_short_bounds(rows: Pair) -> None:
    long = "y" * 300 + "z"
    rows.run(
        "CREATE TABLE t(v VARCHAR)",
        (f"INSERT INTO t VALUES ('{long}')", _appending((long,))),
        ("INSERT INTO t VALUES ('a')", _appending(("a",))),
    )


def test_partitioned_rows(rows: Pair) -> None:
    first = 1577836800000000  # 2020-01-01
    rows.run(
        "CREATE TABLE t(k VARCHAR, ts TIMESTAMP)",
        "ALTER TABLE t SET PARTITIONED BY (k, year(ts), month(ts), day(ts), hour(ts))",
        ("INSERT INTO t VALUES ('x y', TIMESTAMP '2020-01-01')", _appending(("x y", first))),
        ("INSERT INTO t VALUES (NULL, NULL)", _appending((None, None))),
    )


def test_a_dropped_table_with_rows(rows: Pair) -> None:
    rows.run(
        "CREATE TABLE t(i INT)",
        "COMMENT ON TABLE t IS 'x'",
        ("INSERT INTO t VALUES (1), (2)", _appending((1,), (2,))),
        ("DELETE FROM t WHERE i = 1", _deleting(f0=[0])),
        "DROP TABLE t",
    )


MERGE = ("CALL ducklake_merge_adjacent_files('lake', 't')", lambda lake: arrow_lake.compact(lake, "t"))


def test_merged_files(rows: Pair) -> None:
    def update(lake: Lake) -> object:
        files = sorted(entry.file.id for entry in lake.describe("t").files)
        return arrow_lake.update(lake, "t", {files[2]: [0]}, [(4, "x")], [3])

    rows.run(
        "CREATE TABLE t(i INT, v VARCHAR)",
        ("INSERT INTO t VALUES (1, 'a'), (2, NULL)", _appending((1, "a"), (2, None))),
        ("INSERT INTO t VALUES (3, 'c')", _appending((3, "c"))),
        ("INSERT INTO t VALUES (4, 'd'), (5, 'e')", _appending((4, "d"), (5, "e"))),
    )
    # The file with a deleted row stays: ours would be rewritten first, and the extension does not.
    rows.run(("UPDATE t SET v = 'x' WHERE i = 4", update))
    whole = Policy(min_files=2, deleted_share=2.0)
    rows.run((MERGE[0], lambda lake: arrow_lake.compact(lake, "t", whole)))
    rows.run(
        ("INSERT INTO t VALUES (6, 'f')", _appending((6, "f"))),
        (MERGE[0], lambda lake: arrow_lake.compact(lake, "t", whole)),
        ("DELETE FROM t WHERE i = 1", _deleting(f1=[0])),
        ("INSERT INTO t VALUES (7, 'g')", _appending((7, "g"))),
    )


def test_merged_files_of_partitions_and_of_one_schema(rows: Pair) -> None:
    rows.run(
        "CREATE TABLE t(k INT, v VARCHAR)",
        ("INSERT INTO t VALUES (1, 'a')", _appending((1, "a"))),
        ("INSERT INTO t VALUES (2, 'b')", _appending((2, "b"))),
        "ALTER TABLE t SET PARTITIONED BY (k)",
        ("INSERT INTO t VALUES (1, 'c')", _appending((1, "c"))),
        ("INSERT INTO t VALUES (1, 'd')", _appending((1, "d"))),
        ("INSERT INTO t VALUES (2, 'e')", _appending((2, "e"))),
        "ALTER TABLE t RENAME COLUMN v TO w",
        ("INSERT INTO t VALUES (1, 'f')", _appending((1, "f"))),
        ("INSERT INTO t VALUES (1, 'g')", _appending((1, "g"))),
    )
    rows.duck.execute(MERGE[0])
    MERGE[1](rows.ours)
    # The extension numbers the new files in no certain order, and embeds no row ids where they follow one another.
    theirs, ours = (_files_but(lake, "data_file_id", "row_id_start") for lake in (rows.theirs, rows.ours))
    assert ours == theirs


def _files_but(lake: Lake, *left_out: str) -> list[str]:
    rows = dump(lake)["ducklake_data_file"]
    return sorted(repr([(name, value) for name, value in row if name not in left_out]) for row in rows)


def test_rewritten_files(rows: Pair) -> None:
    rewrite = "CALL ducklake_rewrite_data_files('lake', 't', delete_threshold => 0.01)"
    # No row at a bound goes: the extension narrows the table's bounds then, which older snapshots are read by as well.
    rows.run(
        "CREATE TABLE t(i INT, v VARCHAR)",
        (
            "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'z')",
            _appending((1, "a"), (2, "b"), (3, "c"), (4, "z")),
        ),
        ("DELETE FROM t WHERE i = 2", _deleting(f0=[1])),
        (rewrite, lambda lake: arrow_lake.compact(lake, "t")),
        ("INSERT INTO t VALUES (9, 'i')", _appending((9, "i"))),
        ("DELETE FROM t WHERE i = 3", _deleting(f0=[1])),
        (rewrite, lambda lake: arrow_lake.compact(lake, "t", Policy(min_files=9, deleted_share=0.01))),
    )


def test_catalog_tables_for_inlined_rows_follow_our_changes_of_columns(catalog: Catalog, duck: Duck) -> None:
    types = "b BOOLEAN, i8 TINYINT, u8 UTINYINT, i INT, u32 UINTEGER, u64 UBIGINT, f FLOAT, d DOUBLE, c DECIMAL(10,2), "
    types += (
        "v VARCHAR, bl BLOB, u UUID, da DATE, t TIME, ts TIMESTAMP, tz TIMESTAMPTZ, j JSON, l INT[], s STRUCT(a INT)"
    )
    duck.attach(catalog.duck_uri, catalog.data_path)
    duck.execute(f"CREATE TABLE t({types})")
    duck.execute("INSERT INTO t(i, v) VALUES (1, 'before')")
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.sql("ALTER TABLE t ADD COLUMN n INT DEFAULT 7")
        with lake.reader() as reader:
            old, new = (inspected(reader.connection, version) for version in (1, 2))
        assert new[: len(old)] == old
        duck.execute("INSERT INTO t(i, v, n) VALUES (2, 'after', 8)")
        lake.sql("ALTER TABLE t RENAME COLUMN v TO w")
        duck.execute("UPDATE t SET w = 'both' WHERE n = 7")
    assert duck.execute("SELECT i, w, n FROM t ORDER BY i") == [(1, "both", 7), (2, "after", 8)]


def inspected(connection: sa.Connection, version: int) -> list[tuple[str, str]]:
    columns = sa.inspect(connection).get_columns(f"ducklake_inlined_data_1_{version}")
    return [(column["name"], str(column["type"])) for column in columns]
