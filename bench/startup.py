"""How long commands take on a small lake: without Spark, with a Spark of their own, and with a compute process.

`make bench NAME=startup`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from bench.machine import machine

_SPARK = """
import json, sys, time
began = time.monotonic()
import pyarrow as pa
from headwater.execute.session import prepare, spark_session
prepare({}, short_lived=json.loads(sys.argv[1]))
spark = spark_session()
started = time.monotonic() - began
for _ in range(2):
    spark.createDataFrame(pa.table({"k": [1, 2, 2], "v": [1, 2, 3]})).createOrReplaceTempView("t")
    spark.sql("SELECT k, sum(v) FROM t GROUP BY k ORDER BY k").toArrow()
print(started, time.monotonic() - began)
"""


def main() -> None:
    print(machine())
    for short_lived in (False, True):
        ran = subprocess.run(
            [sys.executable, "-c", _SPARK, json.dumps(short_lived)], capture_output=True, text=True, check=True
        )
        started, over = map(float, ran.stdout.split())
        print(f"Spark started {started:.1f} s, with two small queries {over:.1f} s ({short_lived=})")
    for idle in ("0", "60"):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"HEADWATER_COMPUTE_IDLE": idle}
            print(f"compute_idle = {idle}")
            for arguments in (
                ("init",),
                ("sql", "CREATE TABLE t AS SELECT i, i % 7 AS k FROM range(1000) r(i)"),
                ("create", "CREATE DYNAMIC TABLE d AS SELECT k, count(*) AS n FROM t GROUP BY k"),
                ("sql", "INSERT INTO t VALUES (5, 5)"),
                ("refresh",),
                ("sql", "INSERT INTO t VALUES (6, 6)"),
                ("refresh",),
                ("verify", "d"),
                ("status",),
                ("status",),
                ("--version",),
            ):
                began = time.monotonic()
                command = [sys.executable, "-m", "headwater", *arguments]
                subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
                print(f"  {time.monotonic() - began:6.2f} s  headwater {' '.join(arguments)[:60]}")


if __name__ == "__main__":
    main()
