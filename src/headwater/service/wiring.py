"""Who plays which role: the engine behind refreshes, the DuckDB behind queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.core.errors import InvalidRequest
from headwater.core.warehouse import Warehouse, find_warehouse
from headwater.maintain.compact import Tidier
from headwater.maintain.compactor import Compactor
from headwater.refresh.engine import Engine
from headwater.refresh.run import Refresher

if TYPE_CHECKING:
    from headwater.service.lake import Lake


# The warehouse on whose driver this process computes, once it does.
_driving: Warehouse | None = None


def spark_engine(lake: Lake) -> Engine:
    """Spark, imported and started when it is first needed: commands that read only metadata do without."""
    from headwater.execute.engine import SparkEngine

    _prepare_spark(lake)
    return SparkEngine()


def _prepare_spark(lake: Lake) -> None:
    from headwater.execute.session import prepare

    # By default Spark gives every free core to the refresh that began first.
    prepare({"spark.scheduler.mode": "FAIR", **drive(lake).settings})


def drive(lake: Lake, name: str | None = None) -> Warehouse:
    """Have this process compute on a warehouse, by default the one that it is on already; it can't be on two drivers."""
    global _driving
    wanted = find_warehouse(lake.warehouses, name) if name or _driving is None else _driving
    if _driving is not None and _driving.driver != wanted.driver:
        raise InvalidRequest(
            f'this process computes on warehouse "{_driving.name}" and can\'t change to "{wanted.name}"',
            detail="A process has one Spark driver, and these have different ones.",
            hint="Use another process, or leave it to a worker of that warehouse.",
        )
    _driving = wanted
    return wanted


def spark_compactor(lake: Lake) -> Compactor:
    """Spark again, for files that are written anew."""
    from headwater.execute.compact import SparkCompactor

    _prepare_spark(lake)
    return SparkCompactor()


def tidier(lake: Lake) -> Tidier:
    """Compaction of a lake's tables: what is large on Spark."""
    # It loads Arrow, which whoever only looks does without.
    from headwater.maintain.nearby import NearbyCompactor

    return Tidier(lake.database, lake.data_path, lambda: NearbyCompactor(lambda: spark_compactor(lake)), lake.clock)


def refresher(lake: Lake) -> Refresher:
    """Refreshes of a lake's tables, computed by Spark."""
    pools = {each.name: each.pool for each in lake.warehouses}
    return Refresher(
        lake.database, lake.data_path, lambda: spark_engine(lake), lake.clock, lake.watch, lake.refresh_timeout, pools
    )
