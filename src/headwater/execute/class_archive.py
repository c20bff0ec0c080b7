"""An archive of the Java classes that Spark loads when it starts: with it, Java maps them instead of parsing them.

`python -m headwater.execute.class_archive` makes it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from headwater.core.errors import EngineError
from headwater.execute.java import cache_folder, java_home

# Java checks the archive against its own version and Spark's files, and goes on without it if they differ.
_QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off"
# Java writes the archive when it exits. The queries load what a small refresh needs.
_PROGRAM = """
import json, os, sys
from contextlib import suppress
import pyarrow as pa
from py4j.protocol import Py4JError
from headwater.execute.session import spark_session

spark = spark_session(json.loads(sys.argv[1]))
rows = pa.table({"k": [1, 2, 2], "v": [1.5, None, 2.0], "t": ["a", "b", None]})
for adaptive in ("true", "false"):
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    spark.createDataFrame(rows).createOrReplaceTempView("r")
    spark.sql("SELECT a.k, sum(a.v), count(b.t) FROM r a LEFT JOIN r b ON a.k = b.k GROUP BY a.k ORDER BY 1").toArrow()
    spark.sql("SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v) n FROM r) WHERE n = 1").toArrow()
    spark.read.parquet(*sys.argv[2:]).groupBy("k").count().toArrow()
spark.stop()
java = spark.sparkContext._gateway
with suppress(Py4JError, OSError):
    java.jvm.System.exit(0)
os._exit(java.proc.wait())
"""


def archive_options(environment: Mapping[str, str] = os.environ) -> str:
    """Options of Java to use the archive; none if there is no archive."""
    path = archive_path(environment)
    return f"-XX:SharedArchiveFile={path} {_QUIET}" if path.exists() else ""


def archive_path(environment: Mapping[str, str] = os.environ) -> Path:
    """The archive for this Java and this Spark, in the user's cache folder."""
    java = java_home(environment)
    known = f"{java} {sys.prefix} {version('pyspark')}".encode()
    return cache_folder(environment) / f"classes-{zlib.crc32(known):08x}.jsa"


def make_archive() -> Path:
    """Make the archive, in a process of its own, unless there is one; returns its path."""
    path = archive_path()
    if path.exists():
        return path
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={unfinished} {_QUIET}",
    }
    sample = _write_sample(path.with_name(f"sample.{os.getpid()}.parquet"))
    try:
        command = [sys.executable, "-c", _PROGRAM, json.dumps(settings), str(sample)]
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if ran.returncode or not unfinished.exists():
            raise EngineError(
                "the archive of Java classes can't be made",
                detail=ran.stderr.strip().rpartition("\n")[2] or None,
                hint="Headwater works without it; Spark starts more slowly.",
            )
        unfinished.replace(path)
    finally:
        sample.unlink(missing_ok=True)
        unfinished.unlink(missing_ok=True)
    return path


def _write_sample(path: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"k": [1, 2], "t": ["a", None]}), path)
    return path


if __name__ == "__main__":
    try:
        make_archive()
    except EngineError as error:
        print(error, file=sys.stderr)  # noqa: T201 - the program's output
