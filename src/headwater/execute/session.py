"""The Spark session, with settings under which every run of a definition has the same result."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from headwater.core.errors import EngineLost, HeadwaterError
from headwater.core.semantics import SEMANTICS
from headwater.execute.attach import RemoteDriver, attach
from headwater.execute.class_archive import archive_options
from headwater.execute.java import java_home
from headwater.execute.translate_errors import translate

_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_running: SparkSession | None = None
# The settings of the running session, or of the next one.
_wanted: Mapping[str, str] = {}
# Finds a driver of another process to use instead of an own one.
_find_driver: Callable[[], RemoteDriver | None] | None = None
_driver: RemoteDriver | None = None
_short_lived = False
_FIRST_COMPILER = "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"
_starting = threading.RLock()
_LOGGING = Path(__file__).with_name("log4j2.properties")


def spark_session(settings: Mapping[str, str] = {}) -> SparkSession:
    """The session of this process, started if there is none or its Java has ended. `settings` override the defaults."""
    if not settings and _running is not None and _is_alive(_running):
        return _running
    with _starting:
        if not settings and _running is not None and _is_alive(_running):
            return _running
        if settings:
            prepare(settings)
        if not _has_java():
            _discard_dead_session()
        return _start(_wanted)


def is_running() -> bool:
    """Whether this process has a session whose Java runs."""
    return _running is not None and _is_alive(_running)


def prepare(
    settings: Mapping[str, str],
    find_driver: Callable[[], RemoteDriver | None] | None = None,
    *,
    short_lived: bool = False,
) -> None:
    """Set the settings of the next session, and where it may find a running driver; a running session keeps its own.

    A short-lived process is sooner done with code that is compiled quickly than with code that runs quickly.
    """
    global _wanted, _find_driver, _short_lived
    if _running is None or not _is_alive(_running):
        _wanted, _find_driver, _short_lived = dict(settings), find_driver, short_lived


def job_tags() -> tuple[str, ...]:
    """The tags of all jobs of this process in a driver that it shares."""
    return () if _driver is None else (_driver.tag,)


def driver_address() -> tuple[int, str]:
    """The port and secret by which other processes can use the running driver."""
    parameters = spark_session().sparkContext._gateway.gateway_parameters  # type: ignore[union-attr]
    return parameters.port, parameters.auth_token


def _is_alive(session: SparkSession) -> bool:
    # A stopped context has no Java object. This check is local; a call to Spark would take a round trip.
    return session.sparkContext._jsc is not None and _has_java()


def _has_java() -> bool:
    """Whether Spark's Java process runs; true if there is none yet."""
    process = getattr(SparkContext._gateway, "proc", None)
    return process is None or process.poll() is None


def _discard_dead_session() -> None:
    """Reset PySpark after its Java process ended, possibly during startup; otherwise PySpark would still use it."""
    if _running is not None:
        with suppress(Exception):  # stop() may fail in any way without Java
            _running.sparkContext.stop()
    if SparkContext._gateway is not None:
        with suppress(Py4JError, OSError):
            SparkContext._gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None


def _start(settings: Mapping[str, str]) -> SparkSession:
    global _running, _driver
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    try:
        _driver = _find_driver() if _find_driver else None
        session = _launch(settings) if _driver is None else attach(_driver)
    except (PySparkException, Py4JError, OSError) as error:
        raise _not_started(error) from error
    # PySpark logs every failed analysis as JSON with a stack trace; the exception has the same facts.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    _running = session
    return session


def _launch(settings: Mapping[str, str]) -> SparkSession:
    os.environ["JAVA_HOME"] = str(java_home())
    builder = SparkSession.builder.appName("headwater")
    java = (f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}", _java_options(), settings.get(_JAVA_OPTIONS, ""))
    options = " ".join(each for each in java if each)
    for name, value in {**_defaults(settings), **SEMANTICS, **settings, _JAVA_OPTIONS: options}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _java_options() -> str:
    """How Java starts: with an archive of its classes if there is one."""
    return f"{archive_options()} {_FIRST_COMPILER if _short_lived else ''}".strip()


def _not_started(error: Exception) -> HeadwaterError:
    """The error for a session that did not start: Java ended, or rejected the settings."""
    if _has_java() and not (isinstance(error, PySparkException) and error.getCondition() == "JAVA_GATEWAY_EXITED"):
        return translate(error)
    _discard_dead_session()
    return EngineLost(
        "Spark did not start",
        detail="Its process ended during startup.",
        hint="The next refresh tries again. If the error repeats, check Spark's output and the setting spark_memory.",
    )


def _defaults(settings: Mapping[str, str]) -> dict[str, str]:
    cores = os.cpu_count() or 1
    defaults = {
        "spark.master": "local[*]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Spark retains finished jobs for its web page, which is off; a worker may run for months.
        "spark.ui.retainedJobs": "50",
        "spark.ui.retainedStages": "50",
        "spark.ui.retainedTasks": "1000",
        "spark.sql.ui.retainedExecutions": "5",
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.execution.arrow.pyspark.fallback.enabled": "false",
        "spark.sql.catalogImplementation": "in-memory",
        # A refresh generates about thirty classes, which the next one reuses. Spark's default cache has room for 100.
        "spark.sql.codegen.cache.maxEntries": "5000",
        # Spark's metrics miss the bytes of vectored reads, which are not faster on local disks.
        "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
        # The catalog has the list of files, so Spark needs no job to list them.
        "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",
    }
    if settings.get("spark.master", "local").startswith("local"):
        defaults |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": _driver_memory(),
            "spark.sql.shuffle.partitions": str(4 * cores),
        }
    return defaults


def _driver_memory() -> str:
    """Half of the machine's memory, but no more than 8 GB: in local mode the driver does all the work."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{min(8192, max(1024, total // 2**21))}m"
