"""Workers and their Spark killed at random while tables change: nothing lost, nothing doubled, nothing left behind."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

import headwater
from headwater.maintain.orphans import find_orphans, remove_orphans
from headwater.registry import install, tables
from headwater.service.lake import Lake
from tests.chaos.shop import QUERIES, change, expanded, open_shop
from tests.chaos.workers import WorkerProcess
from tests.duck import Duck
from tests.fix_db import Catalog

KILLS = int(os.environ.get("HEADWATER_KILLS", "0"))
WORKERS = 2


@pytest.mark.skipif(
    not KILLS, reason="tests/crash kills at every named point; this takes long: make test-long SUITE=kills"
)
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("catalog_kind", ["postgres"])
def test_workers_that_are_killed_lose_and_double_nothing(
    catalog: Catalog, duck: Duck, tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    with headwater.connect(catalog.url, catalog.data_path) as lake:
        install.install(lake.database)
        open_shop(lake)
        duck.attach(catalog.duck_uri, catalog.data_path)
        killed = _trouble(catalog, duck, tmp_path, random)
        worker = WorkerProcess(catalog.url, tmp_path / "last.log")
        try:
            _wait_until_fresh(lake, worker)
        finally:
            worker.stop()
        for name in QUERIES:
            assert lake.verify(name).equal, name
            assert duck.execute(f"({expanded(name)}) EXCEPT ALL SELECT * FROM {name}") == []
            assert duck.execute(f"SELECT * FROM {name} EXCEPT ALL ({expanded(name)})") == []
        _check_history(lake)
        now = datetime.now(UTC)
        swept = remove_orphans(lake.database, lake.data_path, now, timedelta(0))
        assert find_orphans(lake.database, lake.data_path, now, timedelta(0)) == ()
        done = Counter(row.action or row.state for row in lake.history())
        print(f"\nseed {seed}: {dict(killed)}, {len(swept)} orphans swept, {dict(done)}")  # noqa: T201


def _trouble(catalog: Catalog, duck: Duck, folder: Path, random: Random) -> Counter[str]:
    killed: Counter[str] = Counter()
    running: list[WorkerProcess] = []
    number = 0
    try:
        while killed.total() < KILLS:
            while len(running) < WORKERS:
                number += 1
                running.append(WorkerProcess(catalog.url, folder / f"worker{number}.log"))
            until = time.monotonic() + random.uniform(4, 16)
            while time.monotonic() < until:
                duck.execute(change(random))
                time.sleep(random.uniform(0.1, 0.5))
            victim = random.choice(running)
            if random.random() < 0.4:
                killed["Spark"] += victim.kill_spark()
            else:
                victim.kill()
                killed["workers"] += 1
            running = [worker for worker in running if worker.alive]
    finally:
        for worker in running:
            worker.kill()
    return killed


def _wait_until_fresh(lake: Lake, worker: WorkerProcess) -> None:
    deadline = time.monotonic() + 240
    while any(each.lag for each in lake.status()):
        assert worker.alive, worker.log.read_text()
        assert time.monotonic() < deadline, [(each.name, each.lag) for each in lake.status()]
        time.sleep(0.5)


def _check_history(lake: Lake) -> None:
    """Nothing runs, nobody holds a lease, and each refresh has made at most one snapshot."""
    with lake.reader() as reader:
        held = reader.connection.execute(sa.select(tables.lease).where(tables.lease.c.token.is_not(None))).all()
        texts = reader.connection.execute(sa.text("SELECT commit_extra_info FROM ducklake_snapshot_changes")).scalars()
        made = Counter(json.loads(text)["headwater"]["token"] for text in texts if text)
    assert held == []
    assert max(made.values()) == 1
    rows = lake.history()
    assert [row for row in rows if row.unfinished] == []
    wrote = Counter(row.lake_snapshot for row in rows if row.rows_inserted or row.rows_deleted)
    assert max(wrote.values()) == 1
    assert {row.id for row in rows if row.rows_inserted and row.trigger != "CREATION"} <= made.keys()
