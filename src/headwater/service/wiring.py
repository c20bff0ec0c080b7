"""Who plays which role: the engine behind refreshes, the DuckDB behind queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.maintain.compact import Tidier
from headwater.maintain.compactor import Compactor
from headwater.refresh.engine import Engine
from headwater.refresh.run import Refresher

if TYPE_CHECKING:
    from headwater.service.lake import Lake


def spark_engine(lake: Lake) -> Engine:
    """Spark, imported and started when it is first needed: commands that read only metadata do without."""
    from headwater.execute.engine import SparkEngine
    from headwater.execute.session import prepare

    prepare(lake.warehouses[0].settings)
    return SparkEngine()


def spark_compactor() -> Compactor:
    """Spark again, for files that are written anew."""
    from headwater.execute.compact import SparkCompactor

    return SparkCompactor()


def tidier(lake: Lake) -> Tidier:
    """Compaction of a lake's tables: what is large on Spark."""
    # It loads Arrow, which whoever only looks does without.
    from headwater.maintain.nearby import NearbyCompactor

    return Tidier(lake.database, lake.data_path, lambda: NearbyCompactor(spark_compactor), lake.clock)


def refresher(lake: Lake) -> Refresher:
    """Refreshes of a lake's tables, computed by Spark."""
    return Refresher(
        lake.database, lake.data_path, lambda: spark_engine(lake), lake.clock, lake.watch, lake.refresh_timeout
    )
