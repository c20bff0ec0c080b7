"""Others see how far a refresh is: it is set up, waits for Spark and for its cores, runs, and ends."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from pyspark.sql import SparkSession

import headwater
from headwater.cli.brief import status_row
from headwater.core import crash
from headwater.core.refresh_record import RefreshTrigger
from headwater.execute import job_progress
from headwater.refresh.compute import Compute
from headwater.refresh.run import Refresher
from headwater.registry import tables
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.fakes.copied_table import check_copy, make_copied_table
from tests.fakes.copy_engine import CopyEngine
from tests.fix_db import Catalog

Check = Callable[[Lake, str, str], None]
SUMS = "SELECT k, sum(i) AS s FROM nums GROUP BY k"


@contextmanager
def _seen_by_others(catalog: Catalog) -> Iterator[list[str]]:
    """The states of the newest refresh that another connection sees when the refresh enters one."""
    seen: list[str] = []
    with headwater.connect(catalog.url, catalog.data_path) as other:

        def look(point: str) -> None:
            if point in ("announced", "state-entered"):
                seen.append(other.history()[0].state)

        crash.tell(look)
        try:
            yield seen
        finally:
            crash.tell(None)


def test_a_refresh_is_set_up_waits_for_the_engine_and_runs(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = make_copied_table(lake)
        arrow_lake.append(lake, "t", [(1, "a")])
        started: list[CopyEngine] = []

        def engine() -> CopyEngine:
            if not started:
                assert seen == ["SETUP", "RESUMING_CLUSTER"]
                started.append(CopyEngine())
            return started[0]

        tool = Refresher(lake.site, Compute(engine, is_started=lambda: bool(started)))
        with _seen_by_others(catalog) as seen:
            done = tool.refresh(table_id, lake.snapshots()[-1].id, datetime.now(UTC), RefreshTrigger.MANUAL)
        assert seen == ["SETUP", "RESUMING_CLUSTER", "RUNNING"]
        assert [(row.id, row.state) for row in lake.history("d")] == [(done.id, "SUCCEED")]
        check_copy(lake, table_id)


def test_the_status_tells_since_when_a_table_is_refreshed_while_its_process_lives(catalog: Catalog) -> None:
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        table_id = make_copied_table(lake)
        arrow_lake.append(lake, "t", [(1, "a")])
        seen: list[tuple[object, ...]] = []

        def look(point: str) -> None:
            if point == "state-entered":
                (status,) = other.status()
                result = other.sql("SHOW DYNAMIC TABLES")
                shown = dict(zip(result.columns, result.rows[0], strict=True))
                begun = other.history()[0].started_at
                brief = status_row(status, begun + timedelta(seconds=17))
                seen.append(
                    (status.last_state, status.refreshing_since == shown["refreshing_since"] == begun, *brief[3:])
                )

        with headwater.connect(catalog.url, catalog.data_path) as other:
            crash.tell(look)
            try:
                tool = Refresher(lake.site, Compute(CopyEngine, is_started=lambda: True))
                tool.refresh(table_id, lake.snapshots()[-1].id, datetime.now(UTC), RefreshTrigger.MANUAL)
            finally:
                crash.tell(None)
            assert seen == [("RUNNING", True, "running for 17 s", "RUNNING: REINITIALIZE")]
            check_copy(lake, table_id)
            (status,) = other.status()
            assert (status.last_state, status.refreshing_since) == ("SUCCEED", None)
            # The row of a process that ended without closing it has no lease.
            lake.database.execute(sa.update(tables.refresh).values(state="RUNNING", ended_at=None))
            (status,) = other.status()
            assert (status.last_state, status.refreshing_since) == ("RUNNING", None)
            assert status_row(status, datetime.now(UTC))[3].endswith(" ago")


def test_a_refresh_is_queued_while_others_have_all_cores(
    catalog: Catalog, lake: Lake, spark: SparkSession, fresh: Check, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(job_progress, "PAUSE", 0.05)
    lake.sql("CREATE TABLE nums AS SELECT i, i % 3 AS k FROM range(10) t(i)")
    lake.sql(f"CREATE DYNAMIC TABLE sums AS {SUMS}")
    lake.sql("INSERT INTO nums VALUES (10, NULL); DELETE FROM nums WHERE i = 3")
    free = tmp_path / "free"
    with _busy(spark, free), _seen_by_others(catalog) as seen:
        refresh = threading.Thread(target=lake.refresh, args=("sums",))
        refresh.start()
        deadline = time.monotonic() + 60
        while "QUEUED" not in seen:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert [row.state for row in lake.history("sums", limit=1)] == ["QUEUED"]
        free.touch()
        refresh.join()
    assert seen == ["SETUP", "RUNNING", "QUEUED", "RUNNING"]
    (row, _) = lake.history("sums")
    assert (row.state, row.action) == ("SUCCEED", "INCREMENTAL")
    fresh(lake, "sums", SUMS)


@contextmanager
def _busy(spark: SparkSession, free: Path) -> Iterator[None]:
    """All cores are taken until the file `free` exists."""
    path, context = str(free), spark.sparkContext
    cores = context.defaultParallelism

    def wait(_: int) -> None:
        while not os.path.exists(path):
            time.sleep(0.02)

    others = threading.Thread(target=lambda: context.parallelize(range(cores), cores).foreach(wait))
    others.start()
    try:
        while not _running(spark, cores):
            time.sleep(0.02)
        yield
    finally:
        free.touch()
        others.join()


def _running(spark: SparkSession, tasks: int) -> bool:
    tracker = spark.sparkContext.statusTracker()
    found = [tracker.getStageInfo(id) for id in tracker.getActiveStageIds()]
    return sum(stage.numActiveTasks for stage in found if stage) >= tasks
