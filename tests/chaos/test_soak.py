"""A worker that runs for long: what it takes does not grow, and tables stay within their lags."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random
from statistics import mean

import pytest

import headwater
from headwater.registry import install
from tests.chaos.shop import QUERIES, change, open_shop
from tests.chaos.workers import WorkerProcess
from tests.duck import Duck
from tests.fix_db import Catalog

SECONDS = float(os.environ.get("HEADWATER_SOAK", "0"))
WARM = 0.25
# The smallest that Snowflake has. Nothing compacts the sources meanwhile: a write a second leaves hundreds of files.
LAG = "1 minute"


@pytest.mark.skipif(not SECONDS, reason="takes 20 minutes: make test-long SUITE=soak")
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("catalog_kind", ["postgres"])
def test_a_worker_does_not_grow(catalog: Catalog, duck: Duck, tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    # Of the worker, and of its Spark, whose heap has a limit that it grows to.
    memory: list[tuple[float, float]] = []
    files: list[int] = []
    within = looks = 0
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        install.install(lake.database)
        open_shop(lake, LAG)
        duck.attach(catalog.duck_uri, catalog.data_path)
        worker = WorkerProcess(catalog.url, tmp_path / "worker.log", short=False)
        began = time.monotonic()
        while time.monotonic() < began + SECONDS:
            duck.execute(change(random))
            time.sleep(1.0)
            assert worker.alive, worker.log.read_text()
            java = worker.java
            if java is not None and time.monotonic() > began + WARM * SECONDS:
                memory.append((_megabytes(worker.process.pid), _megabytes(java)))
                files.append(len(os.listdir(f"/proc/{worker.process.pid}/fd")))
                for status in lake.status():
                    looks += 1
                    within += not status.late
        assert worker.stop() == 0
        lake.refresh()
        for name in QUERIES:
            assert lake.verify(name).equal
    tenth = len(memory) // 10
    grown = [_growth([each[place] for each in memory], tenth) for place in (0, 1)]
    told = [
        f"{who} {first:.0f} to {last:.0f} MB" for who, (first, last) in zip(("worker", "Spark"), grown, strict=True)
    ]
    print(  # noqa: T201
        f"\nseed {seed}, {SECONDS:g} s: {', '.join(told)}, open files {files[0]} to {files[-1]} (most {max(files)}),"
        f" within the lag {within / looks:.2%} of {looks} looks"
    )
    for first, last in grown:
        assert last < 1.1 * first
    assert max(files[-tenth:]) <= max(files[:tenth]) + 5
    assert within / looks >= 0.99


def _growth(measured: list[float], some: int) -> tuple[float, float]:
    """The mean of the first and of the last so many."""
    return mean(measured[:some]), mean(measured[-some:])


def _megabytes(pid: int) -> float:
    """What a process holds in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
