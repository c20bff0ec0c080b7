"""How often DuckDB's writes fail beside a worker on SQLite, and how long they take.

    make bench NAME=neighbours
    WRITES=400 make bench NAME=neighbours

A worker keeps five tables fresh within two seconds, while DuckDB inserts a row, updates one and deletes one by turns, in a
transaction each.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from statistics import median

import headwater
from bench.machine import machine
from tests.duck import Duck, DuckError

WRITES = int(os.environ.get("WRITES", "200"))
PAUSE = 0.1
STATEMENTS = (
    "INSERT INTO lake.t VALUES ({i}, 1)",
    "UPDATE lake.t SET v = v + 1 WHERE k = {i} - 1",
    "DELETE FROM lake.t WHERE k = {i} - 2",
)


def main() -> None:
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/lake"
        with headwater.connect(place) as lake:
            lake.sql("CREATE TABLE t (k INTEGER, v INTEGER); INSERT INTO t SELECT i, i FROM range(1000) r(i)")
            for number in range(5):
                query = f"SELECT k % {number + 2} AS g, sum(v) AS s, count(*) AS n FROM t GROUP BY 1"
                lake.sql(f"CREATE DYNAMIC TABLE d{number} TARGET_LAG = '2 seconds' AS {query}")
            for word, worked in (("alone", False), ("beside a worker", True)):
                print(f"{word}: {_written(place, worked=worked)}", flush=True)
            lake.refresh()
            assert all(lake.verify(f"d{number}").equal for number in range(5))


def _written(place: str, *, worked: bool) -> str:
    command = [sys.executable, "-m", "headwater", "--lake", place, "worker", "--poll-interval", "0.5"]
    worker = subprocess.Popen(command, stderr=subprocess.DEVNULL) if worked else None
    taken, failed = [], 0
    try:
        if worker is not None:
            time.sleep(20.0)
        with Duck(f"sqlite:{place}/catalog.sqlite") as duck:
            for number in range(WRITES):
                began = time.perf_counter()
                try:
                    duck.execute(STATEMENTS[number % 3].format(i=10_000 + number))
                except DuckError as error:
                    if "locked" not in error.message:
                        raise
                    failed += 1
                taken.append(time.perf_counter() - began)
                time.sleep(PAUSE)
    finally:
        if worker is not None:
            worker.terminate()
            worker.wait()
    times = f"median {1000 * median(taken):.0f} ms, longest {1000 * max(taken):.0f} ms"
    return f"{failed} of {WRITES} writes failed, {times}"


if __name__ == "__main__":
    main()
