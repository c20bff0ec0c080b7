"""One Spark session for the run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Tests plan much and compute little: what Java's second compiler costs, and code made for one query, only long suites
# earn back. The processes that tests of the command line start run as users' do.
_LONG = bool(os.environ.get("HEADWATER_LONG"))
_COMPILER = "" if _LONG else "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"
_INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The session that all tests share, on two cores."""
    from headwater.execute.session import spark_session

    session = spark_session(
        {
            "spark.master": "local[2]",
            "spark.driver.memory": "3g",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.extraJavaOptions": f"-XX:+UseParallelGC {_COMPILER}",
            **({} if _LONG else _INTERPRETED),
        }
    )
    yield session
    session.stop()


@pytest.fixture
def small_spark(spark: SparkSession) -> Iterator[SparkSession]:
    """The session as it is fastest for many tiny queries: nothing is compiled, nothing planned twice."""
    tiny = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1", **_INTERPRETED}
    before = {name: spark.conf.get(name) for name in tiny}
    for name, value in tiny.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)
