"""A clock that disagrees with the newest snapshot or with the database is reported with its effect."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import headwater
from headwater.core.clock import SystemClock
from headwater.lake.clock_check import clock_problem
from headwater.registry import install
from headwater.service.lake import Lake
from headwater.service.wiring import table_compactor
from headwater.service.worker_jobs import Plan, worker_jobs
from tests.fakes.clock import wrong_clock
from tests.fakes.log import FakeLog
from tests.fix_db import Catalog


def _lake(catalog: Catalog) -> Lake:
    lake = headwater.connect(catalog.url, catalog.data_path)
    lake.sql("CREATE TABLE t (i INT)")
    return lake


def test_a_clock_that_is_right_is_no_problem(catalog: Catalog) -> None:
    with _lake(catalog) as lake:
        assert clock_problem(lake.site) is None


def test_a_clock_behind_the_newest_snapshot_is_reported(catalog: Catalog) -> None:
    with _lake(catalog) as lake:
        lake.clock = wrong_clock(timedelta(hours=-2))
        problem = clock_problem(lake.site)
        assert problem is not None
        assert problem.startswith(("the clock is 1:59:5", "the clock is 2:00:0"))
        assert "behind the newest snapshot" in problem


@pytest.mark.parametrize("catalog_kind", ["postgres"])
def test_a_clock_ahead_of_the_database_is_reported(catalog: Catalog) -> None:
    with _lake(catalog) as lake:
        lake.clock = wrong_clock(timedelta(minutes=10))
        assert "ahead of the database's clock" in (clock_problem(lake.site) or "")


def test_a_lake_works_while_the_clock_is_behind_and_after_it_is_set(tmp_path: Path) -> None:
    with headwater.connect(tmp_path) as lake:
        lake.clock = wrong_clock(timedelta(days=400))
        lake.sql("CREATE TABLE t (i INT)")
        future = lake.snapshots()[-1].time
        lake.clock = SystemClock()
        lake.sql("CREATE TABLE u (i INT)")
        assert lake.snapshots()[-1].time == future
        lake.sql("INSERT INTO t VALUES (1)")
        assert lake.sql("SELECT * FROM t").rows == ((1,),)
        lake.maintain()
        assert lake.sql("SELECT * FROM t").rows == ((1,),)


def test_a_worker_warns_of_a_wrong_clock(tmp_path: Path) -> None:
    with headwater.connect(tmp_path) as lake:
        install.install(lake.database)
        lake.clock = wrong_clock(timedelta(hours=-3))
        log = FakeLog()
        (job,) = [
            job
            for job in worker_jobs(lake.site, table_compactor(lake.site, lake.warehouses), Plan())
            if job.kind == "clock"
        ]
        job.run(log, lambda: False)
        (facts,) = log.of("wrong clock")
        assert "behind the newest snapshot" in facts["reason"]
