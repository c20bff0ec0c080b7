"""Changes between two snapshots, as Spark reads them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater.core.schema import Column, Schema, number
from headwater.execute.read_changes import changes_in_memory, read_changes
from headwater.execute.read_table import read_table
from headwater.lake import read_arrow as nearby_module
from headwater.lake.read_arrow import read_changes_arrow
from headwater.lake.values import DataFile, DeleteFile, FileAt, FileDiff, InlinedRows, TableAt, TableChanges
from tests.lake.every_type import ROWS, SCHEMA
from tests.spark.tables import Maker, of


def signed(df: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in df.collect()), key=str)


def plan(df: DataFrame) -> str:
    return str(df._jdf.queryExecution().optimizedPlan().toString())


def changes(
    maker: Maker,
    start: int,
    end: int,
    *diffs: FileDiff,
    added: Iterable[tuple[int, tuple[Any, ...]]] = (),
    removed: Iterable[tuple[int, tuple[Any, ...]]] = (),
) -> TableChanges:
    inlined = (InlinedRows(tuple(added)), InlinedRows(tuple(removed)))
    return TableChanges(maker.table, start, end, maker.schema, diffs, *inlined, reused=frozenset())


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path, of(i="int32", s="varchar"))


def test_new_files_gain_and_ended_files_lose_their_visible_rows(spark: SparkSession, maker: Maker) -> None:
    old, new = maker.file([(1, "a"), (2, "b")]), maker.file([(3, "c"), (4, "d")])
    diffs = (
        FileDiff(FileAt(old, maker.deletes(old, [0, 1], since=[2, 9])), None),
        FileDiff(None, FileAt(new, None, (1,))),
    )
    df = read_changes(spark, changes(maker, 5, 8, *diffs))
    assert df.columns == ["i", "s", "rowid", "__w"]
    assert signed(df) == [(2, "b", 1, -1), (3, "c", 2, 1)]


def test_rows_that_only_moved_are_not_there(spark: SparkSession, maker: Maker) -> None:
    old = maker.file([(1, "a"), (2, None), (3, "c")])
    new = maker.file([(1, "a"), (2, None), (3, "C")], row_ids=[0, 1, 2])
    df = read_changes(spark, changes(maker, 1, 2, FileDiff(FileAt(old), None), FileDiff(None, FileAt(new))))
    assert signed(df) == [(3, "C", 2, 1), (3, "c", 2, -1)]


def test_one_sign_needs_no_grouping(spark: SparkSession, maker: Maker) -> None:
    one, two = maker.file([(1, "a")]), maker.file([(2, "b"), (3, "c")])
    inserts = read_changes(spark, changes(maker, 1, 2, FileDiff(None, FileAt(one)), added=[(9, (4, "d"))]))
    assert "Aggregate" not in plan(inserts)
    assert signed(inserts) == [(1, "a", 0, 1), (4, "d", 9, 1)]
    gone = maker.deletes(two, [1])
    deletes = read_changes(
        spark, changes(maker, 1, 2, FileDiff(FileAt(two), FileAt(two, gone)), removed=[(9, (4, "d"))])
    )
    assert "Aggregate" not in plan(deletes)
    assert signed(deletes) == [(3, "c", 2, -1), (4, "d", 9, -1)]


def test_deletes_between_the_snapshots_are_found_in_whatever_store(spark: SparkSession, maker: Maker) -> None:
    data = [(i, str(i)) for i in range(6)]
    files = [maker.file(data) for _ in range(5)]
    first, second = maker.deletes(files[0], [0, 1]), maker.deletes(files[0], [0, 1, 2])
    partial = maker.deletes(files[1], [0, 1, 2, 3], since=[1, 5, 6, 9])
    flushed = maker.deletes(files[3], [4, 5], since=[2, 7])
    diffs = (
        FileDiff(FileAt(files[0], first), FileAt(files[0], second)),
        FileDiff(FileAt(files[1], partial), FileAt(files[1], partial)),
        FileDiff(FileAt(files[2], None, (1,)), FileAt(files[2], None, (1, 3))),
        FileDiff(FileAt(files[3], None, (4,)), FileAt(files[3], flushed)),
        FileDiff(FileAt(files[4]), FileAt(files[4], maker.deletes(files[4], [5]), (0,))),
    )
    df = read_changes(spark, changes(maker, 4, 8, *diffs))
    wanted = [(0, 2), (1, 1), (1, 2), (2, 3), (3, 5), (4, 5), (4, 0)]
    assert signed(df) == sorted(((p, str(p), 6 * n + p, -1) for n, p in wanted), key=str)


def test_rows_that_a_partial_file_gained_count_from_their_snapshot(spark: SparkSession, maker: Maker) -> None:
    file = maker.file(
        [(i, "") for i in range(6)], since=[1, 2, 5, 6, 7, 9], row_ids=list(range(50, 56)), row_id_start=None
    )
    gone = maker.deletes(file, [0, 1, 2, 4], since=[2, 6, 7, 9])
    diff = FileDiff(FileAt(file, gone), FileAt(file, gone))
    assert signed(read_changes(spark, changes(maker, 4, 8, diff))) == [(1, "", 51, -1), (3, "", 53, 1), (4, "", 54, 1)]
    bare = FileDiff(FileAt(file), FileAt(file))
    assert signed(read_changes(spark, changes(maker, 4, 6, bare))) == [(2, "", 52, 1), (3, "", 53, 1)]


def test_no_change_is_an_empty_bag_with_its_schema(spark: SparkSession, maker: Maker) -> None:
    df = read_changes(spark, changes(maker, 1, 2), rowid="id", weight="w", extra=(Column("_hw_n", "int64", 77),))
    assert df.columns == ["i", "s", "_hw_n", "id", "w"]
    assert df.collect() == []


def test_uncatalogued_columns_tell_rows_apart(spark: SparkSession, maker: Maker) -> None:
    extra = (Column("_hw_n", "int64", 1_000_000_001),)
    old = maker.file([(1, "a", 5), (2, "b", 6)], extra=extra)
    new = maker.file([(1, "a", 5), (2, "b", 7)], extra=extra, row_ids=[0, 1])
    diffs = (FileDiff(FileAt(old), None), FileDiff(None, FileAt(new)))
    assert signed(read_changes(spark, changes(maker, 1, 2, *diffs), extra=extra)) == [
        (2, "b", 6, 1, -1),
        (2, "b", 7, 1, 1),
    ]
    assert signed(read_changes(spark, changes(maker, 1, 2, *diffs))) == []


def test_every_type_consolidates(spark: SparkSession, tmp_path: Path) -> None:
    maker = Maker(tmp_path, SCHEMA)
    old, new = maker.file(ROWS), maker.file(ROWS, row_ids=[0, 1, 2])
    df = read_changes(spark, changes(maker, 1, 2, FileDiff(FileAt(old), None), FileDiff(None, FileAt(new))))
    assert df.collect() == []


def test_changes_in_memory_are_those_that_spark_reads_whatever_the_type(spark: SparkSession, tmp_path: Path) -> None:
    left_to_spark = set()
    for place, column in enumerate(SCHEMA.columns):
        maker = Maker(tmp_path / column.name, Schema(number((Column("n", "int32"), replace(column, field_id=0)))))
        maker.folder.mkdir()
        rows = [(n, row[place]) for n, row in enumerate(ROWS)]
        old, new = maker.file(rows), maker.file([(7, rows[1][1])], row_ids=[1])
        here = FileAt(old, maker.deletes(old, [1]))
        change = changes(maker, 1, 2, FileDiff(FileAt(old), here), FileDiff(None, FileAt(new)), removed=[(9, rows[0])])
        nearby, read = read_changes_arrow(change, rowid="rowid", weight="__w"), read_changes(spark, change)
        if nearby is None:
            left_to_spark.add(column.name)
            continue
        frame = changes_in_memory(spark, change, nearby)
        assert [field.dataType for field in frame.schema] == [field.dataType for field in read.schema], column
        assert str(signed(frame)) == str(signed(read)), column
    assert left_to_spark >= {"u64", "j", "u", "clock", "st", "li"}
    assert not left_to_spark & {"b", "i8", "i64", "u32", "f", "d", "small", "large", "s", "blob", "day", "ts", "tz"}


def test_changes_in_memory_know_defaults_and_older_types(spark: SparkSession, maker: Maker) -> None:
    wide = Schema((replace(maker.schema.columns[0], type="int64"), *maker.schema.columns[1:]))
    late = Column("late", "decimal(6,2)", 3, initial_default="1.50")
    schema = Schema((*wide, late, Column("later", "varchar", 4)))
    old = maker.file([(1, "a"), (2, "b")], absent=frozenset({3, 4}), older_types=((1, "int32"),))
    maker.schema = schema
    change = changes(maker, 1, 2, FileDiff(None, FileAt(old)))
    nearby = read_changes_arrow(change, rowid="rowid", weight="__w")
    assert nearby is not None
    assert signed(changes_in_memory(spark, change, nearby)) == signed(read_changes(spark, change))
    assert nearby.column("late").to_pylist() == [Decimal("1.50")] * 2
    assert nearby.column("later").to_pylist() == [None, None]


def test_of_large_changes_none_are_at_hand(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    file = maker.file([(n, "x" * 20) for n in range(50)])
    change = changes(maker, 1, 2, FileDiff(None, FileAt(file)))
    assert read_changes_arrow(change, rowid="rowid", weight="__w") is not None
    monkeypatch.setattr(nearby_module, "BYTES", 10)
    assert read_changes_arrow(change, rowid="rowid", weight="__w") is None
    monkeypatch.undo()
    monkeypatch.setattr(nearby_module, "ROWS", 49)
    assert read_changes_arrow(change, rowid="rowid", weight="__w") is None


def test_changes_in_memory_are_read_from_the_row_groups_that_hold_them(
    maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = maker.file([(n, f"{n:020}") for n in range(100)])
    pq.write_table(pq.read_table(file.path), file.path, row_group_size=10)
    opened: list[int] = []
    read = pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile, "read_row_group", lambda self, i, *rest: opened.append(i) or read(self, i, *rest)
    )
    diff = FileDiff(FileAt(file), FileAt(file, maker.deletes(file, [0, 99])))
    nearby = read_changes_arrow(changes(maker, 1, 2, diff), rowid="rowid", weight="__w")
    assert nearby is not None
    assert nearby.column("i").to_pylist() == [0, 99]
    assert opened == [0, 9]


class History:
    """A table that changes at random, and what each snapshot of it shows."""

    def __init__(self, maker: Maker, seed: int) -> None:
        self.maker = maker
        self.random = random.Random(seed)
        self.snapshot = 0
        self.files: list[DataFile] = []
        self.deletes: list[DeleteFile] = []
        self.inlined: list[tuple[int, int, int]] = []  # file id, position, snapshot
        self.embedded: dict[int, dict[int, int]] = {}  # file id to position to snapshot
        self.rows: list[tuple[int, int, int | None, tuple[Any, ...]]] = []  # row id, begin, end, values

    def step(self) -> None:
        self.snapshot += 1
        action = self.random.choice(("insert", "insert", "inline", "delete", "delete", "drop", "merge"))
        live = [file for file in self.files if file.end is None]
        if action == "insert" or not live:
            rows = [(self.random.choice((None, 0, 1)), "x") for _ in range(self.random.randint(1, 5))]
            self.files.append(self.maker.file(rows, begin=self.snapshot))
        elif action == "inline":
            self.rows.append((1000 + self.snapshot, self.snapshot, None, (self.snapshot, "in")))
        elif action == "drop":
            self._end(self.random.choice(live))
        elif action == "merge" and len(live) > 1:
            self._merge(live[:2])
        else:
            self._delete(self.random.choice(live))

    def at(self, snapshot: int) -> TableAt:
        files = [self.file_at(file, snapshot) for file in self.files]
        rows = [
            (id, values)
            for id, begin, end, values in self.rows
            if begin <= snapshot and (end is None or snapshot < end)
        ]
        return self.maker.at(snapshot, *(at for at in files if at), inlined=rows)

    def changes(self, start: int, end: int) -> TableChanges:
        before, after = self.at(start), self.at(end)
        diffs = []
        for file in self.files:
            sides = (self.file_at(file, start), self.file_at(file, end))
            if any(sides):
                diffs.append(FileDiff(*sides))
        old, new = set(before.inlined.rows), set(after.inlined.rows)
        return changes(self.maker, start, end, *diffs, added=sorted(new - old), removed=sorted(old - new))

    def file_at(self, file: DataFile, snapshot: int) -> FileAt | None:
        if file.begin > snapshot or (file.end is not None and snapshot >= file.end):
            return None
        held = [d for d in self.deletes if d.data_file_id == file.id and d.begin <= snapshot]
        held = [d for d in held if d.end is None or snapshot < d.end]
        inlined = tuple(p for id, p, since in self.inlined if id == file.id and since <= snapshot)
        return FileAt(file, held[-1] if held else None, inlined)

    def _end(self, file: DataFile) -> None:
        self.files = [replace(f, end=self.snapshot) if f.id == file.id else f for f in self.files]

    def _delete(self, file: DataFile) -> None:
        gone = self.embedded.setdefault(file.id, {})
        taken = set(gone) | {p for id, p, _ in self.inlined if id == file.id}
        free = [p for p in range(file.records) if p not in taken]
        if not free:
            return
        chosen = self.random.sample(free, self.random.randint(1, len(free)))
        if self.random.random() < 0.4:
            self.inlined += [(file.id, p, self.snapshot) for p in chosen]
            return
        gone.update(dict.fromkeys(chosen, self.snapshot))
        first = min(gone.values())
        made = self.maker.deletes(file, list(gone), since=list(gone.values()), begin=first)
        self.deletes = [d for d in self.deletes if d.data_file_id != file.id] + [made]

    def _merge(self, files: list[DataFile]) -> None:
        """As merge_adjacent does: the new file takes the place of the old ones for every snapshot."""
        if any(self.embedded.get(f.id) or any(id == f.id for id, *_ in self.inlined) for f in files):
            return
        rows, ids, since = [], [], []
        for file in files:
            read = [tuple(r) for r in self.maker_rows(file)]
            rows += [r[:2] for r in read]
            ids += [r[2] for r in read]
            since += [file.begin if r[3] is None else r[3] for r in read]
        begin = min(file.begin for file in files)
        merged = self.maker.file(rows, row_ids=ids, since=since, begin=begin, row_id_start=None)
        self.files = [f for f in self.files if f not in files] + [merged]

    def maker_rows(self, file: DataFile) -> list[tuple[Any, ...]]:
        import pyarrow.parquet as pq

        held = pq.read_table(file.path).to_pylist()
        return [
            (
                row["i"],
                row["s"],
                row.get("_ducklake_internal_row_id", (file.row_id_start or 0) + n),
                row.get("_ducklake_internal_snapshot_id"),
            )
            for n, row in enumerate(held)
        ]


@pytest.mark.parametrize("seed", range(4))
def test_old_plus_changes_is_new(spark: SparkSession, maker: Maker, seed: int) -> None:
    history = History(maker, seed)
    for _ in range(12):
        history.step()
    states = {s: _bag(read_table(spark, history.at(s), rowid="rowid")) for s in range(0, 13, 2)}
    for start, end in ((0, 12), (2, 8), (4, 10), (6, 8), (8, 12)):
        wanted = Counter(states[end])
        wanted.subtract(states[start])
        nearby = read_changes_arrow(history.changes(start, end), rowid="rowid", weight="__w")
        assert nearby is not None
        read = read_changes(spark, history.changes(start, end)).collect()
        for rows in (read, changes_in_memory(spark, history.changes(start, end), nearby).collect()):
            delta = Counter()
            for row in rows:
                delta[tuple(row)[:-1]] += row[-1]
            assert +delta == +wanted
            assert -delta == -wanted
        assert nearby.num_rows == len(read)


def _bag(df: DataFrame) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row) for row in df.collect())


def test_schema_of_changes_is_that_of_the_table(spark: SparkSession, maker: Maker) -> None:
    assert isinstance(maker.schema, Schema)
    file = maker.file([(1, "a")])
    table = read_table(spark, maker.at(1, file), rowid="rowid")
    delta = read_changes(spark, changes(maker, 0, 1, FileDiff(None, FileAt(file))))
    assert delta.columns == [*table.columns, "__w"]
    assert [f.dataType for f in delta.schema][:3] == [f.dataType for f in table.schema]
