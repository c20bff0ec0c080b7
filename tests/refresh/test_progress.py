"""Whoever listens hears how far refreshes are."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from headwater.core.names import TableName
from headwater.execute import job_progress
from headwater.refresh.engine import Work
from headwater.refresh.progress import Board, Elsewhere, Ended, Progress, ProgressEvent
from headwater.service.lake import Lake

Check = Callable[[Lake, str, str], None]
ROWS = "SELECT CAST(i AS INTEGER) AS i, CAST(i % 7 AS INTEGER) AS k FROM range({rows}) t(i)"
PAIRS = "SELECT a.k, count(*) AS n, sum(b.i) AS s FROM nums a JOIN nums b ON a.k = b.k GROUP BY a.k"


def test_progress_reads_as_one_line() -> None:
    name = TableName("shop", "orders_by_day")
    assert str(Progress("1", name, "FULL")) == "shop.orders_by_day  FULL"
    begun = Progress("1", name, "FULL", Work(2, 5, 42, 200))
    assert str(begun) == "shop.orders_by_day  FULL  stage 3/5, 42 of 200 tasks"
    done = Progress("1", name, "FULL", Work(5, 5, 200, 200, 1_204_000))
    assert str(done) == "shop.orders_by_day  FULL  stage 5/5, 200 of 200 tasks, 1,204,000 rows read"


def test_a_board_holds_what_goes_on_now() -> None:
    board = Board()
    one, other = (Progress(id, TableName("main", id), "FULL") for id in ("one", "other"))
    for event in (one, other, Elsewhere(("worker h:1  busy",)), Ended("one"), Ended("never")):
        board(event)
    assert board.lines == ("main.other  FULL", "worker h:1  busy")
    for event in (Elsewhere(), Ended("other")):
        board(event)
    assert board.lines == ()


def test_refreshes_and_creations_tell_how_far_they_are(
    lake: Lake, spark: SparkSession, fresh: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_progress, "PAUSE", 0.01)
    lake.sql(f"CREATE TABLE nums AS {ROWS.format(rows=5000)}")
    heard: list[ProgressEvent] = []
    with lake.watched(heard.append):
        lake.sql(f"CREATE DYNAMIC TABLE pairs REFRESH_MODE = FULL AS {PAIRS}")
        created = _told(heard)
        lake.sql("CREATE DYNAMIC TABLE many REFRESH_MODE = FULL AS SELECT count(*) AS n FROM nums")
        lake.sql("INSERT INTO nums VALUES (5000, 1), (5000, 1), (NULL, NULL); DELETE FROM nums WHERE i < 10")
        heard.clear()
        lake.refresh()
    refreshed = _told(heard)
    assert {(p.table.name, p.action) for p in created} == {("pairs", "REINITIALIZE")}
    assert {(p.table.name, p.action) for p in refreshed} == {("pairs", "FULL"), ("many", "FULL")}
    for found in (created, refreshed):
        most = max((p for p in found if p.table.name == "pairs"), key=lambda p: p.work.tasks_done).work
        assert most.stages_done >= 2
        assert most.tasks >= most.tasks_done >= most.stages_done
        # The query reads its source twice.
        assert most.rows_read >= 5000
    assert list(spark.sparkContext.getJobTags()) == []
    fresh(lake, "pairs", PAIRS)
    heard.clear()
    assert [outcome.action for outcome in lake.refresh("pairs", "many")] == ["NO_DATA", "NO_DATA"]
    assert (heard, lake.compute.watch) == ([], None)


def test_a_refresh_that_fails_has_ended(lake: Lake, spark: SparkSession) -> None:
    lake.sql("CREATE TABLE t (i INTEGER)")
    lake.sql("CREATE DYNAMIC TABLE d AS SELECT 1 / i AS x FROM t")
    lake.sql("INSERT INTO t VALUES (0)")
    board = Board()
    with lake.watched(board):
        with pytest.raises(Exception, match="failed"):
            lake.refresh("d")
        assert board.lines == ()
    assert not [thread for thread in threading.enumerate() if thread.name == "headwater-progress"]


def _told(events: list[ProgressEvent]) -> list[Progress]:
    """What was told, in the right order: it begins with nothing done, goes on, and ends once."""
    by_refresh: dict[str, list[ProgressEvent]] = defaultdict(list)
    for event in events:
        assert not isinstance(event, Elsewhere)
        by_refresh[event.refresh_id].append(event)
    told: list[Progress] = []
    for begun, *further, ended in by_refresh.values():
        assert isinstance(begun, Progress)
        assert begun.work == Work()
        assert isinstance(ended, Ended)
        told += [begun, *(event for event in further if isinstance(event, Progress))]
    assert len(told) + len(by_refresh) == len(events)
    return told
