"""A thousand dynamic tables on PostgreSQL with three workers: what a look costs, and what workers cost that have nothing to do.

    make bench NAME=many

The tables are those of `bench.ticks`, each with twenty refreshes in the history; an engine without Spark refreshes them.
"""

from __future__ import annotations

import os
import signal
import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.connection import Connection

import sqlalchemy as sa

import headwater
from bench.machine import machine, postgres_server
from bench.ticks import TABLES, fill
from headwater.refresh.find import all_tables
from headwater.registry import tables as t
from headwater.schedule.due import due
from headwater.service.lake import Lake
from headwater.service.worker_jobs import run_worker
from headwater.worker.table_states import load_table_inputs
from tests import arrow_lake
from tests.fakes.log import FakeLog
from tests.faults.scene import Hasty
from tests.processes import Partner
from tests.simulation.lake import Quick, playing

WORKERS, ROUNDS, HISTORY = 3, 10, 20
WARM, WATCHED = 12.0, 40.0


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as folder, postgres_server() as server:
        told = (server.url(server.new_database()), f"{folder}/data/")
        with headwater.connect(*told) as lake:
            fill(lake)
            _remember(lake)
            lake.tick()
            _report("a pass over all tables, nothing changed", lake.tick)
            arrow_lake.append(lake, "s0", [(1, 1), (2, 2)])
            lake.tick()
            _report("a pass over all tables, one base table changed, nothing due yet", lake.tick)
            _report("of that, looking at all tables", lambda: _look(lake))
            lake.clock = Hasty(120.0)
            with playing(Quick()):
                began = time.perf_counter()
                done = lake.tick().outcomes
                print(
                    f"{'a pass that refreshes what reads it':>64}: {len(done)} tables, {time.perf_counter() - began:.1f} s"
                )
        idle = [Partner(stay, told) for _ in range(WORKERS)]
        shares = [each.hear() for each in idle]
        print(f"{f'{WORKERS} workers with nothing to do, CPU of each':>64}: {', '.join(f'{s:.1%}' for s in shares)}")


def stay(talk: Connection, url: str, data_path: str) -> None:
    """Be a worker for a while; the share of a core that it took once it had started."""

    def watch() -> None:
        time.sleep(WARM)
        before = time.process_time()
        time.sleep(WATCHED)
        talk.send((time.process_time() - before) / WATCHED)
        os.kill(os.getpid(), signal.SIGTERM)

    with headwater.connect(url, data_path) as lake, playing(Quick()):
        threading.Thread(target=watch, daemon=True).start()
        run_worker(lake.site, lake.compute, FakeLog())


def _remember(lake: Lake) -> None:
    """Twenty refreshes of each table, as if one had been made every minute."""
    with lake.reader() as reader:
        tables = all_tables(reader)
    now = lake.clock.now()
    rows = [
        {
            "id": str(uuid.uuid4()),
            "table_id": table.id,
            "schema_name": table.name.schema,
            "table_name": table.name.name,
            "warehouse": "default",
            "state": "SUCCEED",
            "trigger": "LH_SCHEDULED",
            "action": "INCREMENTAL",
            "started_at": now - timedelta(minutes=number + 1),
            "ended_at": now - timedelta(minutes=number + 1) + timedelta(seconds=2),
            "sources": '[["main", "s0"]]',
            "profile": '{"plan_seconds": 0.01, "jobs": 3}',
            "runs": 1,
        }
        for table in tables
        for number in range(HISTORY)
    ]
    lake.database.write(lambda connection: connection.execute(sa.insert(t.refresh), rows))


def _look(lake: Lake) -> None:
    with lake.reader() as reader:
        _, observed = load_table_inputs(reader)
    due((each.state for each in observed), lake.clock.now())


def _report(what: str, run: Callable[[], object]) -> None:
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    print(f"{f'{TABLES} tables: {what}':>64}: {statistics.median(seconds) * 1000:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
