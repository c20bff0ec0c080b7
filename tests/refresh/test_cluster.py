"""A warehouse on a standalone Spark cluster: a master and a worker on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import headwater
from tests.processes import run_all

LONG = pytest.mark.skipif(not os.environ.get("HEADWATER_LONG"), reason="it starts a cluster; HEADWATER_LONG=1 runs it")
QUERY = "SELECT k, count(*) AS n, sum(i) AS s FROM t GROUP BY k"


@LONG
def test_tables_are_computed_on_a_cluster(tmp_path: Path) -> None:
    with _cluster(tmp_path) as master:
        assert run_all(_refresh_there, [(str(tmp_path / "lake"), master)]) == [("spark", "INCREMENTAL")]


@contextmanager
def _cluster(folder: Path) -> Iterator[str]:
    import pyspark

    from headwater.execute.java import java_home

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path(pyspark.__file__).parent
    environment = os.environ | {"JAVA_HOME": str(java_home()), "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    master = f"spark://127.0.0.1:{port}"
    deploy = "org.apache.spark.deploy"
    commands = (
        (f"{deploy}.master.Master", "-h", "127.0.0.1", "-p", str(port), "--webui-port", "0"),
        (f"{deploy}.worker.Worker", "-c", "1", "-m", "1g", "-d", str(folder / "work"), "--webui-port", "0", master),
    )
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    started = [subprocess.Popen([home / "bin" / "spark-class", *words], **quiet) for words in commands]
    try:
        yield master
    finally:
        for process in started:
            process.kill()
            process.wait()


def _refresh_there(folder: str, master: str) -> tuple[str, str | None]:
    """In a process of its own, for a process has one driver: how it was computed, and where."""
    from pyspark import SparkContext

    from headwater.core.warehouse import Warehouse

    with headwater.connect(folder) as lake:
        near = (("spark.driver.bindAddress", "127.0.0.1"), ("spark.driver.host", "127.0.0.1"))
        lake.warehouses = (Warehouse(), Warehouse("far", master, "512m", conf=near))
        lake.sql("CREATE TABLE t (k INTEGER, i INTEGER)")
        lake.sql("INSERT INTO t VALUES (1, 10), (1, 10), (2, 5), (NULL, NULL)")
        lake.sql(f"CREATE DYNAMIC TABLE d WAREHOUSE = far REFRESH_MODE = INCREMENTAL AS {QUERY}")
        lake.sql("INSERT INTO t VALUES (3, 1); DELETE FROM t WHERE k = 2; UPDATE t SET i = 7 WHERE k IS NULL")
        (outcome,) = lake.refresh("d")
        assert lake.verify("d").equal
        context = SparkContext._active_spark_context
        found = context.master.partition(":")[0], outcome.action
        context.stop()
        return found
