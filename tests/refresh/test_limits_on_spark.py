"""Spark's jobs end when a refresh must, and what they wrote goes with them; a Spark that died is started anew."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.core.errors import EngineError, EngineLost, RefreshFailed
from headwater.execute.spark_engine import SparkEngine
from headwater.refresh import lease_watch
from headwater.service.lake import Lake
from tests.fix_db import Catalog
from tests.processes import run_all

PAIRS = "SELECT a.i, b.i AS j FROM nums a CROSS JOIN nums b"
MANY = "INSERT INTO nums SELECT CAST(i AS INTEGER) FROM range(60000) t(i)"


@pytest.fixture
def lake(new_catalog: Callable[[str], Catalog], spark: SparkSession) -> Iterator[Lake]:
    """The table pairs over few numbers, which are many now."""
    catalog = new_catalog("sqlite")
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        opened.sql("CREATE TABLE nums (i INTEGER)")
        opened.sql(f"CREATE DYNAMIC TABLE pairs REFRESH_MODE = FULL AS {PAIRS}")
        opened.sql(MANY)
        yield opened


def test_the_jobs_of_a_refresh_that_takes_too_long_end(
    lake: Lake, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_watch, "BEAT", 0.2)
    lake.refresh_timeout = 1.5
    with pytest.raises(RefreshFailed, match="pairs") as refused:
        lake.refresh("pairs")
    assert refused.value.detail is not None
    assert refused.value.detail.startswith("the refresh ran longer than 1.5 seconds")
    assert [(row.state, row.trigger) for row in lake.history("pairs")][:1] == [("FAILED", "MANUAL")]
    _is_as_before(lake, spark)


def test_the_jobs_of_a_cancelled_refresh_end(lake: Lake, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_watch, "BEAT", 0.2)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(lake.refresh, "pairs")
        _wait_for(spark.sparkContext.statusTracker().getActiveStageIds)
        assert lake.cancel("pairs")
        assert [outcome.state for outcome in running.result(60)] == ["CANCELLED"]
    _is_as_before(lake, spark)


def test_what_cancelled_tasks_wrote_is_removed(lake: Lake, spark: SparkSession) -> None:
    engine = SparkEngine()

    def append() -> None:
        with engine.track_jobs("mine", None):
            lake.append("nums", spark.range(0, 10**10, 1, 2).selectExpr("CAST(id % 1000 AS INT) AS i"))

    with ThreadPoolExecutor(1) as pool:
        before = set(_files(lake, "nums"))
        running = pool.submit(append)
        _wait_for(lambda: set(_files(lake, "nums")) > before)
        engine.cancel("another")
        engine.cancel("mine")
        assert isinstance(running.exception(60), EngineError)
    assert set(_files(lake, "nums")) == before
    time.sleep(0.5)
    assert set(_files(lake, "nums")) == before


def _wait_for(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_as_before(lake: Lake, spark: SparkSession) -> None:
    """Nothing runs any more, nothing is left over, and the table can be refreshed."""
    assert list(spark.sparkContext.statusTracker().getActiveStageIds()) == []
    time.sleep(0.5)
    assert _files(lake) == []
    assert lake.verify("pairs").equal
    lake.sql("DELETE FROM nums WHERE i > 4; INSERT INTO nums VALUES (NULL), (1)")
    lake.refresh_timeout = None
    assert [(o.state, o.rows_inserted) for o in lake.refresh("pairs")] == [("SUCCEED", 7**2)]
    assert lake.verify("pairs").equal


def _files(lake: Lake, name: str = "pairs") -> list[str]:
    return [str(path) for path in Path(lake.data_path, "main", name).rglob("*.parquet")]


@pytest.mark.skipif(not os.environ.get("HEADWATER_LONG"), reason="it starts Spark twice; HEADWATER_LONG=1 runs it")
def test_a_spark_that_died_is_started_anew(tmp_path: Path) -> None:
    run_all(_outlive_java, [(str(tmp_path),)])


def _outlive_java(folder: str) -> None:
    """In a process of its own: others share theirs."""
    from pyspark import SparkContext

    from headwater.core.warehouse import Warehouse

    with headwater.connect(folder) as lake:
        lake.warehouses = (Warehouse(memory="700m"),)
        lake.sql("CREATE TABLE nums (i INTEGER)")
        lake.sql(f"CREATE DYNAMIC TABLE pairs REFRESH_MODE = FULL AS {PAIRS}")
        lake.sql(MANY)
        first = SparkContext._gateway.proc
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(lake.refresh, "pairs")
            _wait_for(SparkContext._active_spark_context.statusTracker().getActiveStageIds)
            os.kill(first.pid, 9)
            error = running.exception(60)
        assert isinstance(error, RefreshFailed)
        assert error.detail is not None
        assert error.detail.startswith("the Spark process has ended")
        assert lake.history("pairs")[0].state == "FAILED"
        assert _files(lake) == []
        lake.sql("DELETE FROM nums WHERE i > 4; INSERT INTO nums VALUES (NULL), (1)")
        assert [(o.state, o.rows_inserted) for o in lake.refresh("pairs")] == [("SUCCEED", 7**2)]
        assert lake.verify("pairs").equal
        assert SparkContext._gateway.proc.pid != first.pid
        context = SparkContext._active_spark_context
        assert context.getConf().get("spark.driver.memory") == "700m"
        context.stop()


@pytest.mark.skipif(not os.environ.get("HEADWATER_LONG"), reason="it starts Spark twice; HEADWATER_LONG=1 runs it")
def test_a_spark_that_dies_while_it_is_started_is_started_again(tmp_path: Path) -> None:
    run_all(_outlive_start, [(str(tmp_path),)])


def _outlive_start(folder: str) -> None:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    real = SparkSession.Builder.getOrCreate

    def dying(self: SparkSession.Builder) -> SparkSession:
        SparkContext._ensure_initialized()
        SparkContext._gateway.proc.kill()
        SparkContext._gateway.proc.wait()
        SparkSession.Builder.getOrCreate = real  # type: ignore[method-assign]
        return real(self)

    SparkSession.Builder.getOrCreate = dying  # type: ignore[method-assign]
    with headwater.connect(folder) as lake:
        lake.sql("CREATE TABLE nums (i INTEGER)")
        lake.sql("INSERT INTO nums VALUES (1), (2), (NULL)")
        with pytest.raises(EngineLost, match="did not start"):
            lake.sql(f"CREATE DYNAMIC TABLE pairs AS {PAIRS}")
        lake.sql(f"CREATE DYNAMIC TABLE pairs AS {PAIRS}")
        assert lake.verify("pairs").equal
        SparkContext._active_spark_context.stop()
