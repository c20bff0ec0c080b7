"""Tables read by Spark."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater.core.errors import EngineError, FeatureRefused, FileDamaged, FileMissing, NotFound
from headwater.core.internal_columns import FILE_ID, POSITION
from headwater.core.schema import Column, Schema, number
from headwater.execute import deletes
from headwater.execute.read_table import read_table
from headwater.execute.tags import spark_url, tag
from headwater.execute.translate_errors import engine_errors, translate
from headwater.lake.arrow import to_table
from headwater.lake.values import FileAt, NamedColumn, NameMapping
from tests.lake.every_type import ROWS, SCHEMA
from tests.spark.tables import Maker, of


def rows(df: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in df.collect()), key=str)


def plan(df: DataFrame) -> str:
    return str(df._jdf.queryExecution().optimizedPlan().toString())


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path, of(i="int32", s="varchar"))


def test_every_type_comes_from_files_and_from_the_catalog_alike(spark: SparkSession, tmp_path: Path) -> None:
    maker = Maker(tmp_path, SCHEMA)
    filed = read_table(spark, maker.at(1, maker.file(ROWS)), rowid="r").toArrow()
    inlined = read_table(spark, maker.at(1, inlined=list(enumerate(ROWS))), rowid="r").toArrow()
    wanted = to_table((*SCHEMA, Column("r", "int64")), [(*row, i) for i, row in enumerate(ROWS)])
    assert str(filed.to_pylist()) == str(inlined.to_pylist()) == str(wanted.to_pylist())
    assert filed.schema.types == inlined.schema.types


def test_an_empty_table_has_its_schema(spark: SparkSession, tmp_path: Path) -> None:
    df = read_table(
        spark, Maker(tmp_path, SCHEMA).at(1), rowid="r", positions=True, extra=(Column("_hw_x", "int64", 99),)
    )
    assert df.columns == [*SCHEMA.names, "_hw_x", "r", FILE_ID, POSITION]
    assert df.collect() == []


def test_files_without_deletes_are_scanned_without_a_join(spark: SparkSession, maker: Maker) -> None:
    clean, other = maker.file([(1, "a")]), maker.file([(2, "b"), (3, "c")])
    assert "Join" not in plan(read_table(spark, maker.at(5, clean, other)))
    df = read_table(spark, maker.at(5, clean, FileAt(other, maker.deletes(other, [0]))))
    assert plan(df).count("Join LeftAnti") == 1
    assert plan(df).count("Relation") == 3, "one scan of each kind of file, one of delete files"
    assert rows(df) == [(1, "a"), (3, "c")]


def test_deleted_positions_are_gone_from_the_snapshot_that_deleted_them(spark: SparkSession, maker: Maker) -> None:
    data = [(i, str(i)) for i in range(10)]
    first, second, third = maker.file(data), maker.file(data), maker.file(data)
    embedded = maker.deletes(second, [1, 2, 3], since=[3, 5, 4])
    plain = maker.deletes(third, [0])
    for snapshot, gone in ((2, set()), (3, {1}), (4, {1, 3}), (5, {1, 2, 3})):
        at = maker.at(snapshot, FileAt(first, None, (9, 8)), FileAt(second, embedded, (7,)), FileAt(third, plain))
        wanted = [
            *(row for row in data if row[0] not in (8, 9)),
            *(row for row in data if row[0] not in gone | {7}),
            *data[1:],
        ]
        assert rows(read_table(spark, at)) == sorted(wanted, key=str)


def test_large_sets_of_deletes_are_not_broadcast(
    spark: SparkSession, maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = maker.file([(i, "") for i in range(100)])
    at = maker.at(5, FileAt(file, maker.deletes(file, range(0, 100, 2))))
    assert "strategy=broadcast" in plan(read_table(spark, at))
    monkeypatch.setattr(deletes, "BROADCAST_KEYS", 10)
    monkeypatch.setattr(deletes, "LOCAL_KEYS", 10)
    df = read_table(spark, at)
    assert "strategy=broadcast" not in plan(df)
    assert rows(df.select("i")) == sorted(((i,) for i in range(1, 100, 2)), key=str)


def test_rows_of_later_snapshots_are_left_out_of_partial_files(spark: SparkSession, maker: Maker) -> None:
    file = maker.file([(i, "") for i in range(4)], since=[1, 3, None, 5])
    for snapshot, wanted in ((1, [0, 2]), (4, [0, 1, 2]), (5, [0, 1, 2, 3])):
        at = maker.at(snapshot, FileAt(file, maker.deletes(file, [0], since=[4])))
        kept = [i for i in wanted if not (i == 0 and snapshot >= 4)]
        assert [row[0] for row in rows(read_table(spark, at))] == kept


def test_row_ids_are_embedded_or_counted_from_the_start(spark: SparkSession, maker: Maker) -> None:
    maker.next_row_id = 100
    counted = maker.file([(1, "a"), (2, "b")])
    embedded = maker.file([(3, "c"), (4, "d"), (5, "e")], row_ids=[7, None, 9])
    merged = maker.file([(6, "f")], row_ids=[50], row_id_start=None)
    at = maker.at(9, counted, FileAt(embedded, maker.deletes(embedded, [0])), merged, inlined=[(77, (8, "h"))])
    df = read_table(spark, at, columns=["i"], rowid="id")
    assert dict(df.collect()) == {1: 100, 2: 101, 4: 103, 5: 9, 6: 50, 8: 77}
    only_merged = read_table(spark, maker.at(9, merged), rowid="id")
    assert "Join" not in plan(only_merged)
    assert rows(only_merged) == [(6, "f", 50)]


def test_positions_say_where_each_row_lies(spark: SparkSession, maker: Maker) -> None:
    one, two = maker.file([(1, "a"), (2, "b")]), maker.file([(3, "c"), (4, "d")])
    at = maker.at(9, one, FileAt(two, None, (0,)), inlined=[(77, (8, "h"))])
    df = read_table(spark, at, columns=["i"], positions=True)
    assert rows(df) == [(1, one.id, 0), (2, one.id, 1), (4, two.id, 1), (8, None, 77)]


def test_positions_hold_when_row_groups_are_pruned(spark: SparkSession, maker: Maker) -> None:
    file = maker.file([(i, "x" * 50) for i in range(300_000)])
    at = maker.at(9, FileAt(file, maker.deletes(file, [250_001])))
    df = read_table(spark, at, columns=["i"], rowid="id", positions=True).where("i > 250000 and i < 250005")
    assert rows(df) == [(i, i, file.id, i) for i in (250_002, 250_003, 250_004)]


def test_columns_are_chosen_by_name_in_any_case_and_order(spark: SparkSession, maker: Maker) -> None:
    at = maker.at(9, maker.file([(1, "a")]), inlined=[(7, (2, "b"))])
    df = read_table(spark, at, columns=["S", "i"])
    assert df.columns == ["s", "i"]
    assert rows(df) == [("a", 1), ("b", 2)]
    with pytest.raises(NotFound, match='column "nope"'):
        read_table(spark, at, columns=["nope"])


def test_uncatalogued_columns_are_read_and_null_where_a_file_lacks_them(spark: SparkSession, maker: Maker) -> None:
    extra = (Column("_hw_n", "int64", 1_000_000_001),)
    at = maker.at(9, maker.file([(1, "a", 5)], extra=extra), maker.file([(2, "b")]), inlined=[(7, (3, "c"))])
    assert rows(read_table(spark, at, extra=extra)) == [(1, "a", 5), (2, "b", None), (3, "c", None)]


@pytest.mark.parametrize("reused", [None, frozenset({1, 2})])
def test_a_filter_on_names_that_were_swapped_finds_its_rows(
    spark: SparkSession, tmp_path: Path, reused: frozenset[int] | None
) -> None:
    maker = Maker(tmp_path, of(a="int64", b="int64"))
    file = maker.file([(i, 100 + i) for i in range(10)])
    swapped = Schema((Column("b", "int64", 1), Column("a", "int64", 2)))
    df = read_table(spark, maker.at(9, file, schema=swapped, reused=reused))
    assert rows(df.where("a = 105")) == [(5, 105)]


def test_filters_reach_parquet_where_names_are_unique(spark: SparkSession, maker: Maker) -> None:
    at = maker.at(9, maker.file([(1, "a")]))
    df = read_table(spark, at).where("i = 1")
    assert "PushedFilters: [IsNotNull(i), EqualTo(i,1)]" in df._jdf.queryExecution().executedPlan().toString()


def test_renamed_absent_and_widened_columns(spark: SparkSession, tmp_path: Path) -> None:
    maker = Maker(tmp_path, of(a="int32", n="uint32", f="float32", tiny="uint8"))
    old = maker.file([(1, 2**32 - 1, 0.5, 255), (None, None, None, None)])
    schema = Schema(
        (
            Column("renamed", "int64", 1),
            Column("n", "uint64", 2),
            Column("f", "float64", 3),
            Column("tiny", "uint64", 4),
            Column("plain", "varchar", 5),
            Column("filled", "varchar", 6, initial_default="x, y"),
            Column("day", "date", 7, initial_default="2021-02-03"),
        )
    )
    older_types = ((1, "int32"), (2, "uint32"), (3, "float32"), (4, "uint8"))
    old = replace(old, absent=frozenset({5, 6, 7}), older_types=older_types)
    new = maker.file([(2**40, 2**64 - 1, 0.1, 2**63, "p", None, 0)], schema=schema)
    got = [str(row) for row in rows(read_table(spark, maker.at(9, old, new, schema=schema)))]
    assert got == [
        "(1, Decimal('4294967295'), 0.5, Decimal('255'), None, 'x, y', datetime.date(2021, 2, 3))",
        "(1099511627776, Decimal('18446744073709551615'), 0.1, Decimal('9223372036854775808'), 'p', None, "
        "datetime.date(1970, 1, 1))",
        "(None, None, None, None, None, 'x, y', datetime.date(2021, 2, 3))",
    ]


DEFAULTS = {
    "boolean": "true",
    "int8": "-1",
    "uint64": "18446744073709551615",
    "float32": "0.1",
    "float64": "nan",
    "decimal(10,2)": "-1.25",
    "varchar": "it's",
    "json": '{"a": 1}',
    "uuid": "12345678-1234-1234-1234-1234567890ab",
    "blob": r"\x00a",
    "date": "1582-10-10",
    "time": "01:02:03.5",
    "timestamp": "0001-01-01 00:00:00.5",
    "timestamptz": "2021-02-03 04:05:06+00",
    "timestamp_s": "2021-02-03 04:05:06",
    "timestamp_ms": "2021-02-03 04:05:06.5",
}


def test_initial_defaults_of_every_type_equal_stored_values(spark: SparkSession, tmp_path: Path) -> None:
    from headwater.lake.value_text import parse

    first = Column("id", "int32", 1)
    scalars = [Column(f"c{i}", name, i + 2, initial_default=text) for i, (name, text) in enumerate(DEFAULTS.items())]
    nested = (
        Column("li", "list", 50, (Column("element", "varchar", 51),), initial_default="[x, NULL]"),
        Column(
            "st",
            "struct",
            52,
            (Column("a", "int32", 53), Column("b", "date", 54)),
            initial_default="{'a': 1, 'b': NULL}",
        ),
        Column("m", "map", 55, (Column("key", "varchar", 56), Column("value", "int32", 57)), initial_default="{k=1}"),
    )
    schema = Schema((first, *scalars, *nested))
    maker = Maker(tmp_path, Schema((first,)))
    old = replace(maker.file([(1,)]), absent=frozenset(c.field_id for c in schema.columns[1:]))
    stored = maker.file([(1, *(parse(c, c.initial_default or "") for c in schema.columns[1:]))], schema=schema)
    ours, theirs = (read_table(spark, maker.at(9, file, schema=schema)).toArrow() for file in (old, stored))
    assert str(ours.to_pylist()) == str(theirs.to_pylist())
    assert ours.schema.types == theirs.schema.types


def test_name_mapped_files_are_read_by_name_and_path(spark: SparkSession, tmp_path: Path) -> None:
    parts = (Column("a", "int32"), Column("gone", "varchar"), Column("u", "uuid"))
    nested = (
        Column("st", "struct", children=parts),
        Column("li", "list", children=(Column("element", "struct", children=(Column("x", "int64"),)),)),
    )
    late = Column("late", "varchar", 20, initial_default="dflt")
    schema = Schema((*number((Column("i", "int32"), Column("day", "date"), *nested)), late))
    st, li = schema.columns[2], schema.columns[3]
    source = pa.table(
        {
            "Number": pa.array([1, 2], pa.int32()),
            "s": pa.array([{"B": "12345678-1234-1234-1234-1234567890ab", "A": 5}, None]),
            "l": pa.array([[{"y": 1}, None], []], pa.list_(pa.struct([("y", pa.int64())]))),
        }
    )
    uuids = pa.array([b"\x12\x34\x56\x78\x12\x34\x12\x34\x12\x34\x12\x34\x56\x78\x90\xab", None], pa.uuid())
    mask = source["s"].combine_chunks().is_null()
    numbers = pa.array([5, None], pa.int32())
    source = source.set_column(1, "s", pa.StructArray.from_arrays([uuids, numbers], names=["B", "A"], mask=mask))
    for folder in ("day=2021-02-03", "day=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / folder).mkdir()
        pq.write_table(source, tmp_path / folder / "part-0.parquet")
    mapping = NameMapping(
        4,
        (
            NamedColumn(schema.columns[0].field_id, "Number"),
            NamedColumn(schema.columns[1].field_id, "day", is_partition=True),
            NamedColumn(
                st.field_id,
                "s",
                children=(NamedColumn(st.children[0].field_id, "A"), NamedColumn(st.children[2].field_id, "B")),
            ),
            NamedColumn(
                li.field_id,
                "l",
                children=(
                    NamedColumn(
                        li.children[0].field_id,
                        "element",
                        children=(NamedColumn(li.children[0].children[0].field_id, "y"),),
                    ),
                ),
            ),
        ),
    )
    maker = Maker(tmp_path, schema)
    native = maker.file([(7, 0, {"a": 1, "gone": "g", "u": None}, [{"x": 2}], "n")])
    mapped = [
        replace(
            native, id=50 + n, path=str(tmp_path / folder / "part-0.parquet"), mapping_id=4, row_id_start=100 + 10 * n
        )
        for n, folder in enumerate(("day=2021-02-03", "day=__HIVE_DEFAULT_PARTITION__"))
    ]
    at = maker.at(9, native, mapped[0], FileAt(mapped[1], None, (0,)), mappings=(mapping,))
    text = "12345678-1234-1234-1234-1234567890ab"
    got = [str(row) for row in read_table(spark, at, rowid="id").orderBy("id").toArrow().to_pylist()]
    assert got == [
        "{'i': 7, 'day': datetime.date(1970, 1, 1), 'st': {'a': 1, 'gone': 'g', 'u': None}, 'li': [{'x': 2}], "
        "'late': 'n', 'id': 0}",
        f"{{'i': 1, 'day': datetime.date(2021, 2, 3), 'st': {{'a': 5, 'gone': None, 'u': '{text}'}}, 'li': [{{'x': 1}}, None], "
        "'late': 'dflt', 'id': 100}",
        "{'i': 2, 'day': datetime.date(2021, 2, 3), 'st': None, 'li': [], 'late': 'dflt', 'id': 101}",
        "{'i': 2, 'day': None, 'st': None, 'li': [], 'late': 'dflt', 'id': 111}",
    ]


ODD = "sp ace/k=x%20y/ünï=ä/[q]{z}*?#/a b%20+ä#?;@&=$,!~'()*[]{}\u00a0x.parquet"


def test_paths_with_any_characters(spark: SparkSession, maker: Maker) -> None:
    odd = maker.file([(1, "a"), (2, "b")], name=ODD)
    at = maker.at(9, FileAt(odd, None, (0,)), inlined=[])
    assert rows(read_table(spark, at, rowid="id", positions=True)) == [(2, "b", 1, odd.id, 1)]
    scan = spark.read.option("__globPaths__", "false").parquet(odd.path)
    assert scan.select("_metadata.file_path").distinct().collect() == [(spark_url(odd.path),)]


def test_files_of_one_name_in_several_folders_keep_their_rows_apart(spark: SparkSession, maker: Maker) -> None:
    files = [maker.file([(n, "a"), (n, "b")], name=f"k={n} %20ä/part-0.parquet") for n in range(3)]
    at = maker.at(9, files[0], FileAt(files[1], maker.deletes(files[1], [1])), FileAt(files[2], None, (0,)))
    assert rows(read_table(spark, at, rowid="id")) == [(0, "a", 0), (0, "b", 1), (1, "a", 2), (2, "b", 5)]


def test_tags_that_collide_make_two_sets() -> None:
    # Two names with one CRC-32.
    pair = ["/a/plumless", "/a/buckeroo"]
    assert len(tag(pair)) == 2
    assert Counter(path for tags in tag(pair) for path in tags.of) == Counter(pair)


def test_a_file_that_spark_would_skip_is_refused(spark: SparkSession, maker: Maker) -> None:
    for name in ("_x.parquet", ".x.parquet"):
        with pytest.raises(FeatureRefused, match="Spark skips"):
            read_table(spark, maker.at(9, maker.file([(1, "a")], name=name)))


def test_columns_with_odd_names(spark: SparkSession, tmp_path: Path) -> None:
    names = {"_metadata": "int32", "a.b": "int32", "c`d": "int32", "e f": "int32", "": "int32"}
    maker = Maker(tmp_path, of(**{name: type_name for name, type_name in names.items() if name}))
    file = maker.file([(1, 2, 3, 4)])
    at = maker.at(9, FileAt(file, None, (7,)))
    df = read_table(spark, at, rowid="id")
    assert df.columns == ["_metadata", "a.b", "c`d", "e f", "id"]
    assert rows(df) == [(1, 2, 3, 4, 0)]


def test_a_missing_file_is_named(spark: SparkSession, maker: Maker) -> None:
    file, other = maker.file([(1, "a")]), maker.file([(1, "a")])
    os.remove(file.path)
    with pytest.raises(FileMissing) as caught:
        read_table(spark, maker.at(9, file, other))
    assert file.path in caught.value.message
    df = read_table(spark, maker.at(9, other))
    os.remove(other.path)
    with pytest.raises(FileMissing) as caught, engine_errors():
        df.collect()
    assert other.path in caught.value.message


@pytest.mark.parametrize("how", ["cut", "empty", "nonsense", "overwritten"])
def test_a_damaged_file_is_named(spark: SparkSession, maker: Maker, how: str) -> None:
    def damage(path: str) -> None:
        raw = Path(path).read_bytes()
        broken = {
            "cut": raw[:-20],
            "empty": b"",
            "nonsense": b"PAR1 nonsense PAR1",
            "overwritten": raw[:4] + b"\xff" * 30 + raw[34:],
        }
        Path(path).write_bytes(broken[how])

    file, good = maker.file([(i, "a" * i) for i in range(1000)]), maker.file([(1, "a"), (2, "b")])
    damage(file.path)
    with pytest.raises(FileDamaged) as caught, engine_errors():
        read_table(spark, maker.at(9, file, good)).collect()
    assert file.path in caught.value.message
    assert "\n" not in (caught.value.detail or "")
    if how == "overwritten":
        return  # in a delete file that is a column that nobody reads
    gone = maker.deletes(good, [0])
    damage(gone.path)
    with pytest.raises(FileDamaged) as caught, engine_errors():
        read_table(spark, maker.at(9, FileAt(good, gone)), columns=["i"]).collect()
    assert gone.path in caught.value.message


def test_any_other_failure_of_spark_is_one_line(spark: SparkSession, maker: Maker) -> None:
    df = read_table(spark, maker.at(9, maker.file([(0, "a")])))
    with pytest.raises(EngineError) as caught, engine_errors():
        df.selectExpr("1 / i").collect()
    assert "DIVIDE_BY_ZERO" in caught.value.message
    assert "\n" not in (caught.value.detail or "")
    assert translate(caught.value) is caught.value


def test_many_files_are_told_apart_as_few_are(
    spark: SparkSession, maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [maker.file([(n, "a"), (n, "b"), (n, "c")]) for n in range(4)]
    at = maker.at(9, *(FileAt(file, maker.deletes(file, [file.id % 3])) for file in files))
    few = read_table(spark, at, rowid="id", positions=True)
    assert plan(few).count("Join") == 1
    wanted = rows(few)
    for module in ("scan_files", "deletes"):
        monkeypatch.setattr(f"headwater.execute.{module}.FEW", 2)
    monkeypatch.setattr(deletes, "LOCAL_KEYS", 0)
    many = read_table(spark, at, rowid="id", positions=True)
    assert plan(many).count("Join") == 3
    assert rows(many) == wanted
    assert [row[2] for row in wanted] == [1, 2, 3, 5, 6, 7, 10, 11]


def test_a_filter_on_parts_whose_names_were_swapped_finds_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    def struct(*parts: Column) -> Schema:
        return Schema((Column("s", "struct", 1, parts),))

    maker = Maker(tmp_path, struct(Column("a", "int64", 2), Column("b", "int64", 3)))
    file = maker.file([({"a": i, "b": 100 + i},) for i in range(10)])
    swapped = struct(Column("b", "int64", 2), Column("a", "int64", 3))
    df = read_table(spark, maker.at(9, file, schema=swapped)).where("s.a = 105")
    assert [row.s.asDict() for row in df.collect()] == [{"b": 5, "a": 105}]


@pytest.mark.parametrize("reused", [None, frozenset()])
def test_a_part_of_a_renamed_struct_is_read(spark: SparkSession, tmp_path: Path, reused: frozenset[int] | None) -> None:
    def named(name: str, *parts: Column) -> Schema:
        return Schema((Column("i", "int32", 9), Column(name, "struct", 1, parts)))

    maker = Maker(tmp_path, named("s", Column("a", "int64", 2), Column("b", "int64", 3)))
    file = maker.file([(1, {"a": 5, "b": 105}), (2, None)])
    schema = named("renamed", Column("b", "int64", 2), Column("a", "int64", 3), Column("new", "int64", 4))
    df = read_table(spark, maker.at(9, file, schema=schema, reused=reused))
    assert rows(df.select("i", "renamed.a")) == [(1, 105), (2, None)]
    assert rows(df.where("renamed is not null").select("renamed.b", "renamed.new")) == [(5, None)]


def test_parts_inside_lists_and_maps_are_found_by_field_id(spark: SparkSession, tmp_path: Path) -> None:
    def nested(*parts: Column) -> Schema:
        element = Column("element", "struct", 2, parts)
        value = Column("value", "struct", 7, tuple(replace(part, field_id=part.field_id + 5) for part in parts))
        pair = (Column("key", "varchar", 6), value)
        return Schema((Column("li", "list", 1, (element,)), Column("m", "map", 5, pair)))

    maker = Maker(tmp_path, nested(Column("a", "int64", 3), Column("b", "int64", 4)))
    file = maker.file([([{"a": 1, "b": 2}, None], [("k", {"a": 3, "b": 4})])])
    swapped = nested(Column("b", "int64", 3), Column("a", "int64", 4), Column("new", "int64", 10))
    df = read_table(spark, maker.at(9, file, schema=swapped))
    assert rows(df.selectExpr("li[0].a", "li[0].new", "m['k'].b", "size(li)")) == [(2, None, 3, 2)]
    assert rows(df.selectExpr("transform(li, x -> x.b)", "map_values(m).a")) == [([1, None], [4])]


@pytest.mark.parametrize("reused", [None, frozenset({2, 3})])
def test_a_field_that_takes_the_old_name_of_another_is_not_mistaken_for_it(
    spark: SparkSession, tmp_path: Path, reused: frozenset[int] | None
) -> None:
    def struct(*parts: Column) -> Schema:
        return Schema((Column("s", "struct", 1, parts),))

    maker = Maker(tmp_path, struct(Column("f", "float32", 2)))
    file = maker.file([({"f": 0.5},), (None,)])
    later = struct(Column("g", "float32", 2), Column("f", "int64", 3))
    df = read_table(spark, maker.at(9, file, schema=later, reused=reused))
    assert df.toArrow().to_pylist() == [{"s": {"g": 0.5, "f": None}}, {"s": None}]


def test_columns_that_nobody_asks_for_stay_in_the_files(spark: SparkSession, maker: Maker) -> None:
    clean, other = maker.file([(1, "a")]), maker.file([(2, "b"), (3, "c")])
    at = maker.at(1, clean, FileAt(other, inlined_deletes=(0,)), inlined=[(9, (4, "d"))])
    df = read_table(spark, at).selectExpr("sum(i)")
    read = df._jdf.queryExecution().executedPlan().toString()
    assert read.count("ReadSchema: struct<i:int") == read.count("ReadSchema") == 2
    assert "s:string" not in read
    assert rows(df) == [(8,)]
