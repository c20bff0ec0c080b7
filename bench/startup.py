"""How long commands take on a small lake: without Spark, with a Spark of their own, and with a compute process.

`make bench NAME=startup` measures all; `.venv/bin/python -m bench.startup reading`, `… spark` and `… commands` a part.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType

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


_SETUP = (
    ("init",),
    ("sql", "CREATE TABLE t AS SELECT i, i % 7 AS k FROM range(1000) r(i)"),
    ("create", "CREATE DYNAMIC TABLE d AS SELECT k, count(*) AS n FROM t GROUP BY k"),
)
_CHANGES = (
    ("sql", "INSERT INTO t VALUES (5, 5)"),
    ("refresh",),
    ("sql", "INSERT INTO t VALUES (6, 6)"),
    ("refresh",),
    ("verify", "d"),
    ("status",),
    ("status",),
    ("--version",),
)
_READING = (
    "list",
    "status",
    "history",
    "versions",
    "describe d",
    "graph",
    "profile --table d",
    "workers",
    "compute status",
    "--version",
)
_REPEATED = 10


def main() -> None:
    print(machine())
    wanted = sys.argv[1:] or ["reading", "spark", "commands"]
    if "reading" in wanted:
        _read_metadata()
    if "spark" in wanted:
        _start_spark()
    if "commands" in wanted:
        _run_commands()


def _read_metadata() -> None:
    """Commands that only read metadata: the least CPU time, which other programs disturb little, and the least elapsed time."""
    with tempfile.TemporaryDirectory() as folder:
        for arguments in _SETUP:
            _run(folder, arguments, {"HEADWATER_COMPUTE_IDLE": "0"})
        least = {each: [math.inf, math.inf] for each in _READING}
        for _ in range(_REPEATED):
            for each, (cpu, elapsed) in least.items():
                took = _run(folder, each.split())
                least[each] = [min(cpu, took[0]), min(elapsed, took[1])]
    print(f"CPU and elapsed, the least of {_REPEATED}")
    for each, (cpu, elapsed) in least.items():
        print(f"  {cpu:6.2f} s {elapsed:6.2f} s  headwater {each}")


def _start_spark() -> None:
    for short_lived in (False, True):
        ran = subprocess.run(
            [sys.executable, "-c", _SPARK, json.dumps(short_lived)], capture_output=True, text=True, check=True
        )
        started, over = map(float, ran.stdout.split())
        print(f"Spark started {started:.1f} s, with two small queries {over:.1f} s ({short_lived=})")


def _run_commands() -> None:
    for idle in ("0", "60"):
        with tempfile.TemporaryDirectory() as folder:
            print(f"compute_idle = {idle}")
            for arguments in (*_SETUP, *_CHANGES):
                _cpu, elapsed = _run(folder, arguments, {"HEADWATER_COMPUTE_IDLE": idle})
                print(f"  {elapsed:6.2f} s  headwater {' '.join(arguments)[:60]}")


def _run(
    folder: str, arguments: Sequence[str], environment: Mapping[str, str] = MappingProxyType({})
) -> tuple[float, float]:
    """The seconds of CPU time, of user and system, and the seconds that a command took."""
    # Python compiles nothing while a command starts: bytecode is there, as after an installation.
    changed = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began, used = time.monotonic(), _children()
    ran = subprocess.run(
        [sys.executable, "-m", "headwater", *arguments],
        cwd=folder,
        env=changed | dict(environment),
        capture_output=True,
        check=False,
    )
    # `compute status` without a process exits with 1.
    if ran.returncode and tuple(arguments) != ("compute", "status"):
        raise RuntimeError(ran.stderr.decode())
    return _children() - used, time.monotonic() - began


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
