"""Create the engine of refreshes and compaction, on a warehouse."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial

from headwater.core.errors import InvalidRequest
from headwater.core.warehouse import Warehouse, find_warehouse
from headwater.lake.site import Site
from headwater.maintain.compact import TableCompactor
from headwater.maintain.compactor import Compactor
from headwater.refresh.compute import Compute
from headwater.refresh.engine import Engine
from headwater.refresh.progress import Waiting, Watch
from headwater.service.compute_client import SharedCompute
from headwater.service.compute_server import Driver
from headwater.service.frames import Frames

# The warehouse whose driver this process uses, once it is bound.
_bound: Warehouse | None = None
# Where this process finds a driver of another process, if it may use one.
_shared: SharedCompute | None = None
_short_lived = False
# Seconds that the tasks of a command that has gone may take to end.
GRACE = 15.0


def spark_compute(
    warehouses: tuple[Warehouse, ...] = (Warehouse(),), timeout: float | None = None, watch: Watch | None = None
) -> Compute:
    """Spark on these warehouses, with a timeout for refreshes."""
    return Compute(lambda: _started_engine(warehouses, watch), warehouses, timeout, watch, is_started=_runs_spark)


def bind_driver(warehouses: Iterable[Warehouse], name: str | None = None) -> Warehouse:
    """Bind this process to a warehouse's driver, by default the current one; it can't use two drivers."""
    global _bound
    wanted = find_warehouse(warehouses, name) if name or _bound is None else _bound
    if _bound is not None and _bound.driver != wanted.driver:
        raise InvalidRequest(
            f'this process computes on warehouse "{_bound.name}" and can\'t change to "{wanted.name}"',
            detail="A process has one Spark driver, and these warehouses have different drivers.",
            hint="Use another process, or a worker of that warehouse.",
        )
    _bound = wanted
    return wanted


def compute_briefly(shared: SharedCompute | None = None) -> None:
    """Have Spark start quickly rather than compute quickly in this process, or use the process that `shared` finds."""
    global _shared, _short_lived
    _shared, _short_lived = shared, True


def spark_driver(warehouses: Iterable[Warehouse]) -> Driver:
    """This process's Spark, for commands of other processes."""

    def start() -> tuple[int, str]:
        from headwater.execute.session import driver_address

        _prepare_spark(warehouses)
        return driver_address()

    def cancel(tag: str) -> bool:
        from headwater.execute.job_progress import cancel_and_wait

        return cancel_and_wait(tag, GRACE)

    return Driver(start, cancel)


def make_class_archive() -> None:
    """Make the archive of Java classes with which Spark starts faster, unless there is one."""
    from headwater.execute.class_archive import make_archive

    make_archive()


def spark_engine(warehouses: Iterable[Warehouse]) -> Engine:
    """Spark, imported and started here: commands that read only metadata don't need it."""
    from headwater.execute.spark_engine import SparkEngine

    _prepare_spark(warehouses)
    spark_version()
    return SparkEngine()


def _started_engine(warehouses: Iterable[Warehouse], watch: Watch | None) -> Engine:
    """Spark for a caller that waits for it, and that learns so if it is not running yet."""
    if watch is None or _runs_spark():
        return spark_engine(warehouses)
    watch(Waiting("starting Spark …"))
    try:
        return spark_engine(warehouses)
    finally:
        watch(Waiting())


def _runs_spark() -> bool:
    """Whether this process has a live session; PySpark is imported by its start alone."""
    session = sys.modules.get("headwater.execute.session")
    return session is not None and bool(session.is_running())


def spark_compactor(warehouses: Iterable[Warehouse]) -> Compactor:
    """Spark for compaction."""
    from headwater.execute.spark_compactor import SparkCompactor

    _prepare_spark(warehouses)
    return SparkCompactor()


def spark_frames() -> Frames:
    """Spark for DataFrames of tables."""
    from headwater.execute.frames import SparkFrames

    return SparkFrames()


def spark_version() -> str:
    """The version of Spark, after it has started."""
    from headwater.execute.session import spark_session

    return str(spark_session().version)


def table_compactor(site: Site, warehouses: Iterable[Warehouse]) -> TableCompactor:
    """Compaction of a lake's tables, of large ones on Spark."""
    # Imported here because it loads Arrow, which commands that only read metadata don't need.
    from headwater.maintain.arrow_compactor import ArrowCompactor

    return TableCompactor(site, lambda: ArrowCompactor(lambda: spark_compactor(warehouses)))


def _prepare_spark(warehouses: Iterable[Warehouse]) -> None:
    from headwater.execute.session import prepare

    warehouse = bind_driver(warehouses)
    find = partial(_shared.find_driver, warehouse) if _shared is not None else None
    # By default Spark gives all free cores to the refresh that began first.
    prepare({"spark.scheduler.mode": "FAIR", **warehouse.settings}, find, short_lived=_short_lived)
