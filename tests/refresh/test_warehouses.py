"""Tables of a warehouse are computed in its pool, and by the workers that serve it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from pyspark.sql import SparkSession

import headwater
from headwater.core.errors import InvalidRequest
from headwater.core.warehouse import Warehouse
from headwater.execute.job_progress import followed
from headwater.registry import workers
from headwater.registry.workers import Worker
from headwater.service.lake import Lake
from tests.fakes.clock import FakeClock
from tests.fix_db import Catalog

DEFAULT, NIGHTLY = Warehouse(), Warehouse("nightly", pool="batch")
FAR = Warehouse("far", "spark://nowhere:7077")


@pytest.fixture
def lake(new_catalog: Callable[[str], Catalog], spark: SparkSession) -> Iterator[Lake]:
    """The table up of the warehouse nightly, and down that reads it in the default one."""
    catalog = new_catalog("sqlite")
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        opened.clock = FakeClock()
        opened.warehouses = (DEFAULT, NIGHTLY, FAR)
        opened.sql("CREATE TABLE t (i INTEGER)")
        opened.sql("CREATE DYNAMIC TABLE up TARGET_LAG = '1 minute' WAREHOUSE = Nightly AS SELECT i FROM t")
        opened.sql("CREATE DYNAMIC TABLE down TARGET_LAG = '1 minute' AS SELECT i, count(*) AS n FROM up GROUP BY i")
        opened.sql("INSERT INTO t VALUES (1), (1), (NULL)")
        opened.clock.ahead += timedelta(seconds=60)
        yield opened


def test_jobs_run_in_the_pool_of_their_warehouse(lake: Lake, spark: SparkSession) -> None:
    context = spark.sparkContext
    with followed(context, "tag", None, "batch"):
        assert context.getLocalProperty("spark.scheduler.pool") == "batch"
    assert context.getLocalProperty("spark.scheduler.pool") is None
    assert [outcome.warehouse for outcome in lake.refresh("up", "down")] == ["nightly", "default"]
    assert [lake.verify(name).equal for name in ("up", "down")] == [True, True]


def test_unknown_warehouses_are_refused_with_those_that_are_known(lake: Lake) -> None:
    for statement in (
        "CREATE DYNAMIC TABLE x WAREHOUSE = other AS SELECT i FROM t",
        "ALTER DYNAMIC TABLE up SET WAREHOUSE = other",
    ):
        with pytest.raises(InvalidRequest, match='warehouse "other" is not known') as refused:
            lake.sql(statement)
        assert refused.value.hint == "The warehouses are default, nightly, far."
    with pytest.raises(InvalidRequest, match="can't change"):
        lake.sql("CREATE DYNAMIC TABLE x VCLUSTER far AS SELECT i FROM t")


def test_a_worker_leaves_other_warehouses_alone(lake: Lake) -> None:
    lake.served = (DEFAULT,)
    # What down reads is computed elsewhere: down waits for that, and says nothing in the history.
    before = len(lake.history())
    assert lake.tick().outcomes == ()
    assert len(lake.history()) == before
    lake.served = (NIGHTLY,)
    assert [(o.name.name, o.state) for o in lake.tick().outcomes] == [("up", "SUCCEED")]
    lake.sql("INSERT INTO t VALUES (2); DELETE FROM t WHERE i IS NULL")
    lake.clock.sleep(60)
    lake.served = (DEFAULT,)
    # Stale again as up is, down goes as far as up has got.
    assert [(o.name.name, o.state) for o in lake.tick().outcomes] == [("down", "SUCCEED")]
    assert lake.tick().outcomes == ()
    assert [lake.verify(name).equal for name in ("up", "down")] == [True, True]
    lake.served = None
    lake.refresh()
    assert [lake.verify(name).equal for name in ("up", "down")] == [True, True]


def test_a_table_that_no_worker_serves_says_so(lake: Lake) -> None:
    def reasons() -> list[str | None]:
        return [each.waiting_reason for each in lake.status()]

    none = 'no running worker serves warehouse "nightly"'
    assert reasons() == [None, none]
    me = Worker("w", "elsewhere", 1, "0", lake.clock.now() - timedelta(hours=1))
    lake.database.execute(workers.register_stmt(me, lake.database.kind))
    assert reasons() == [None, none]
    assert ("# waiting_reason", none, None) in lake.sql("DESC DYNAMIC TABLE up").rows
    lake.database.execute(
        workers.register_stmt(
            Worker("v", "elsewhere", 2, "0", me.started_at, None, ("far", "nightly")), lake.database.kind
        )
    )
    assert reasons() == [None, None]
    lake.database.execute(workers.unregister_stmt("w"))
    assert reasons() == ['no running worker serves warehouse "default"', None]
