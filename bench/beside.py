"""How much a slow refresh holds up quick ones in the same Spark: by turns, and first come first served.

    make bench NAME=beside
    ROWS=1000000 make bench NAME=beside

A large self-join is computed for a minute, while a small table is changed and refreshed again and again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import headwater
from bench.machine import machine
from headwater.core.warehouse import Warehouse

ROWS = int(os.environ.get("ROWS", "2000000"))
SECONDS = 60
SLOW = "SELECT a.k, sum(a.v * b.v % 7) AS s FROM big a JOIN big b ON a.k = b.k GROUP BY a.k"
QUICK = "SELECT k, count(*) AS n FROM small GROUP BY k"


def main() -> None:
    if len(sys.argv) > 1:
        measure(sys.argv[1])
        return
    print(machine(), flush=True)
    for mode in ("FIFO", "FAIR", "FIFO", "FAIR"):
        subprocess.run([sys.executable, "-m", "bench.beside", mode], check=True)


def measure(mode: str) -> None:
    with tempfile.TemporaryDirectory() as folder, headwater.connect(f"{folder}/lake") as lake:
        lake.warehouses = (Warehouse(conf=(("spark.scheduler.mode", mode),)),)
        lake.sql("CREATE TABLE big (k INTEGER, v INTEGER); CREATE TABLE small (k INTEGER)")
        lake.sql(f"INSERT INTO big SELECT i % 997, i % 1000 FROM range({ROWS}) r(i)")
        lake.sql(f"CREATE DYNAMIC TABLE slow INITIALIZE = ON_SCHEDULE REFRESH_MODE = FULL AS {SLOW}")
        lake.sql(f"CREATE DYNAMIC TABLE quick REFRESH_MODE = FULL AS {QUICK}")

        def once() -> float:
            lake.sql("INSERT INTO small SELECT i % 10 FROM range(100) r(i)")
            began = time.perf_counter()
            lake.refresh("quick")
            return time.perf_counter() - began

        alone = [once() for _ in range(8)][3:]
        with ThreadPoolExecutor(1) as pool:
            slow = pool.submit(lake.refresh, "slow")
            until = time.monotonic() + SECONDS
            time.sleep(3.0)
            beside = []
            while time.monotonic() < until:
                beside.append(once())
            assert not slow.done(), "it was not slow enough"
            lake.cancel("slow")
            slow.exception()
        assert lake.verify("quick").equal
    told = f"{len(beside)} times, median {median(beside):.1f} s, longest {max(beside):.1f} s"
    print(f"{mode}: quick alone {median(alone):.1f} s; beside the slow one {told}", flush=True)


if __name__ == "__main__":
    main()
