"""Many writers at once: every acknowledged commit is there, and no two of them undo each other."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

import headwater
from headwater.commit.commit import Commit
from headwater.core.errors import AlreadyExists, CommitConflict, InvalidRequest
from headwater.lake import operations as op
from headwater.lake import storage
from headwater.store import sqlite
from tests import arrow_lake
from tests.duck import Duck, DuckError
from tests.fix_db import Catalog
from tests.processes import run_all

PROCESSES, COMMITS = 8, 10


def append_some(url: str, data_path: str, process: int) -> list[int]:
    """Commit one row at a time; the rows whose commit was acknowledged."""
    done = []
    with headwater.connect(url, data_path) as lake:
        for number in range(COMMITS):
            arrow_lake.append(lake, "t", [(process * 1000 + number,)])
            done.append(process * 1000 + number)
    return done


def test_appends_of_eight_processes_all_land(catalog: Catalog, duck: Duck) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.sql("CREATE TABLE t(i INT)")
        calls = [(catalog.url, catalog.data_path, process) for process in range(PROCESSES)]
        acknowledged = sorted(row for rows in run_all(append_some, calls) for row in rows)
        assert len(acknowledged) == PROCESSES * COMMITS
        duck.attach(catalog.duck_uri, catalog.data_path)
        assert duck.execute("SELECT i FROM t ORDER BY i") == [(row,) for row in acknowledged]
        assert duck.execute("SELECT count(DISTINCT rowid) FROM t") == [(PROCESSES * COMMITS,)]
        assert [s.id for s in lake.snapshots()] == list(range(2 + PROCESSES * COMMITS))


def test_lakes_are_made_once_when_many_processes_connect_first(catalog: Catalog) -> None:
    calls = [(catalog.url, catalog.data_path)] * PROCESSES
    assert run_all(connect_once, calls) == [1] * PROCESSES


def connect_once(url: str, data_path: str) -> int:
    """How many snapshots a lake has that all processes make at the same moment."""
    with headwater.connect(url, data_path) as lake:
        return len(lake.snapshots())


def delete_one(url: str, data_path: str, file: int, position: int, base: int) -> str:
    """Delete one position as computed on a base that others may have left behind."""
    with headwater.connect(url, data_path) as lake:
        try:
            arrow_lake.delete(lake, "t", {file: [position]}, base)
        except CommitConflict:
            return "conflict"
        return "landed"


@pytest.mark.parametrize("deleted_before", [False, True], ids=["first delete", "second delete"])
def test_of_two_deletes_on_one_file_one_wins(catalog: Catalog, duck: Duck, deleted_before: bool) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.sql("CREATE TABLE t(i INT)")
        base = arrow_lake.append(lake, "t", [(n,) for n in range(10)])
        (file,) = arrow_lake.live_positions(lake, "t")
        if deleted_before:
            base = arrow_lake.delete(lake, "t", {file: [9]})
        calls = [(catalog.url, catalog.data_path, file, position, base) for position in (0, 1)]
        outcomes = run_all(delete_one, calls)
        assert sorted(outcomes) == ["conflict", "landed"]
        gone = {outcomes.index("landed")} | ({9} if deleted_before else set())
        duck.attach(catalog.duck_uri, catalog.data_path)
        assert duck.execute("SELECT i FROM t ORDER BY i") == [(n,) for n in range(10) if n not in gone]


def test_writers_of_headwater_and_duckdb_take_turns(catalog: Catalog, duck: Duck) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.sql("CREATE TABLE ours(i INT); CREATE TABLE theirs(i INT)")
        duck.attach(catalog.duck_uri, catalog.data_path)
        failed: list[DuckError] = []

        def theirs() -> None:
            try:
                for n in range(20):
                    duck.execute(f"INSERT INTO theirs VALUES ({n})")
            except DuckError as error:
                failed.append(error)

        thread = threading.Thread(target=theirs)
        thread.start()
        for n in range(20):
            arrow_lake.append(lake, "ours", [(n,)])
        thread.join()
        if catalog.kind == "postgres":
            assert not failed
        # On SQLite the extension gives up when the file is locked; what it did commit must be there all the same.
        done = len(duck.execute("SELECT i FROM theirs"))
        assert failed or done == 20
        assert duck.execute("SELECT count(*), sum(i) FROM ours") == [(20, 190)]


def _stale(lake: headwater.service.lake.Lake, base: int, *operations: op.Operation) -> None:
    lake.commit(Commit(base, operations))


def test_changes_computed_on_an_older_snapshot_are_refused_where_they_collide(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.sql("CREATE SCHEMA s; CREATE TABLE t(i INT, v VARCHAR); CREATE TABLE other(i INT)")
        base = arrow_lake.append(lake, "t", [(n, "a") for n in range(5)])
        (file,) = arrow_lake.live_positions(lake, "t")
        table = lake.describe("t").table.id
        staged = arrow_lake.stage(lake, lake.describe("t"), [(9, "b")])

        arrow_lake.append(lake, "other", [(1,)])
        lake.commit(Commit(base, (op.StagedChange(table, staged),)))  # another table is in nobody's way

        arrow_lake.append(lake, "t", [(6, "c")])
        with pytest.raises(CommitConflict, match="inserted_into_table"):
            arrow_lake.delete(lake, "t", {file: [0]}, base)

        base = lake.snapshots()[-1].id
        staged = arrow_lake.stage(lake, lake.describe("t"), [(10, "b")])
        lake.sql("ALTER TABLE t ADD COLUMN n INT")
        with pytest.raises(CommitConflict, match="altered_table"):
            lake.commit(Commit(base, (op.StagedChange(table, staged),)))
        with pytest.raises(CommitConflict, match="altered_table"):
            _stale(lake, base, op.DropColumnOp(table, 2))

        base = lake.snapshots()[-1].id
        lake.sql("CREATE TABLE s.x(i INT)")
        with pytest.raises((CommitConflict, AlreadyExists)):
            _stale(lake, base, op.CreateViewOp(lake.tables()[-1], "SELECT 1"))
        with lake.reader() as reader:
            schema_id = reader.schemas(base)["s"]
        with pytest.raises(CommitConflict):
            _stale(lake, base, op.DropSchemaOp(schema_id))

        lake.sql("DROP TABLE t")
        with pytest.raises(CommitConflict):
            lake.commit(Commit(base, (op.StagedChange(table, ()), op.DropTableOp(table))))
        with pytest.raises(InvalidRequest):
            _stale(lake, base, op.CreateViewOp(headwater.core.names.TableName("gone", "v"), "SELECT 1"))


def test_a_commit_that_surely_did_not_land_leaves_no_files(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        lake.sql("CREATE TABLE t(i INT)")
        at = lake.describe("t")
        staged = arrow_lake.stage(lake, at, [(1,)])
        lake.sql("ALTER TABLE t ADD COLUMN n INT")
        with pytest.raises(CommitConflict):
            lake.commit(Commit(at.snapshot, (op.StagedChange(at.table.id, staged),)))
        assert not any(storage.exists(file.path) for file in staged)


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_a_client_that_reads_before_it_writes_is_let_finish(
    catalog: Catalog, duck: Duck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 60.0)
    with headwater.connect(catalog.url, catalog.data_path) as lake, ThreadPoolExecutor(1) as pool:
        lake.sql("CREATE TABLE t(i INT)")
        duck.attach(catalog.duck_uri, catalog.data_path)
        duck.execute("BEGIN")
        assert duck.execute("SELECT * FROM t") == []
        appended = pool.submit(arrow_lake.append, lake, "t", [(2,)])
        assert not wait([appended], 0.5).done
        duck.execute("INSERT INTO t VALUES (1)")
        duck.execute("COMMIT")
        appended.result(60)
        assert duck.execute("SELECT i FROM t ORDER BY i") == [(1,), (2,)]


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_readers_that_never_cease_do_not_keep_a_writer_waiting(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 0.2)
    with headwater.connect(catalog.url, catalog.data_path) as lake, ThreadPoolExecutor(3) as pool:
        lake.sql("CREATE TABLE t(i INT)")
        done = threading.Event()
        # One reads until another does, as long as that can, so that there is no moment without a reader.
        turns = [threading.Event(), threading.Event()]

        def read(mine: threading.Event, other: threading.Event) -> int:
            times = 0
            while not done.is_set():
                with lake.reader() as reader:
                    reader.latest()
                    times += 1
                    other.set()
                    mine.wait(1.0)
                    mine.clear()
            return times

        turns[0].set()
        reading = [pool.submit(read, *pair) for pair in (turns, turns[::-1])]
        try:
            arrow_lake.append(lake, "t", [(1,)])
        finally:
            done.set()
        assert all(each.result(60) for each in reading)
        assert lake.describe("t").rows == 1


@pytest.mark.parametrize("catalog_kind", ["sqlite"])
def test_where_readers_leave_no_moment_less_is_waited_for_the_next(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(sqlite, "time", SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append))
    monkeypatch.setattr(sqlite, "PAUSE", 0.05)
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        waited = []
        for reads in (True, True, True, False, True):
            pauses.clear()
            with lake.reader() if reads else nullcontext() as reader:
                if reader:
                    reader.latest()
                with pytest.raises(ZeroDivisionError):
                    lake.database.write(lambda _: 1 // 0)
            waited.append(round(sum(pauses), 1))
    assert waited == [2.0, 1.0, 0.5, 0.0, 0.5]
