"""Commits per second of one-file appends: Headwater against the DuckDB extension, processes side by side on one PostgreSQL.

Also: what one commit costs in statements and milliseconds, and how long planning a scan of 10,000 files takes.

    make bench NAME=commits
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier

from sqlalchemy import event

import headwater
from bench.machine import machine, postgres_server
from headwater.commit.commit import Commit
from headwater.lake.operations import StagedChange
from headwater.lake.parquet import write_batches
from headwater.lake.values import WriteTarget
from tests import arrow_lake
from tests.duck import Duck, DuckError

PROCESSES = 4
COMMITS = 150
FILES = 10_000
Span = tuple[float, float]


_barrier: Barrier


def enter(barrier: Barrier) -> None:
    """Keep the barrier at which all processes start together."""
    global _barrier
    _barrier = barrier


def ours(url: str, data_path: str) -> Span:
    """Append one row in one file per commit, a fixed number of times."""
    with headwater.connect(url, data_path) as lake:
        at = lake.describe("t")
        arrow_lake.stage(lake, at, [(0, "warm")])
        target = WriteTarget(at.table.location, at.schema)
        base = at.snapshot
        _barrier.wait()
        began = time.time()
        for number in range(COMMITS):
            files = tuple(write_batches(target, [arrow_lake.batch(at.schema.columns, [(number, "x")])]))
            base = lake.commit(Commit(base, (StagedChange(at.table.id, files),))).snapshot_id
        return began, time.time()


def theirs(uri: str, data_path: str) -> Span:
    """The same through the extension, one file per commit as well, tried again when it gives up."""
    with Duck(uri, data_path, options={"DATA_INLINING_ROW_LIMIT": 0}) as duck:
        duck.execute("SELECT count(*) FROM t")
        _barrier.wait()
        began = time.time()
        for number in range(COMMITS):
            while True:
                try:
                    duck.execute(f"INSERT INTO t VALUES ({number}, 'x')")
                    break
                except DuckError:
                    continue
        return began, time.time()


def race(work: Callable[[str, str], Span], address: str, data_path: str, processes: int) -> float:
    """Commits per second of so many processes together, from the first start to the last end."""
    context = get_context("spawn")
    with context.Pool(processes, initializer=enter, initargs=(context.Barrier(processes),)) as pool:
        spans = pool.starmap(work, [(address, data_path)] * processes, chunksize=1)
    return COMMITS * processes / (max(end for _, end in spans) - min(began for began, _ in spans))


def one_commit(lake: headwater.service.lake.Lake) -> tuple[float, int]:
    """Milliseconds that the database needs for one commit of one file (the median), and its statements."""
    spent: list[float] = []
    statements = 0
    engine = lake.database._engine

    def before(*_: object) -> None:
        nonlocal began
        began = time.perf_counter()

    def after(*_: object) -> None:
        nonlocal total, statements
        total += time.perf_counter() - began
        statements += 1

    began = total = 0.0
    event.listen(engine, "before_cursor_execute", before)
    event.listen(engine, "after_cursor_execute", after)
    for _ in range(50):
        at = lake.describe("t")
        files = arrow_lake.stage(lake, at, [(1, "x")])
        total, statements = 0.0, 0
        lake.commit(Commit(at.snapshot, (StagedChange(at.table.id, files),)))
        spent.append(total)
    event.remove(engine, "before_cursor_execute", before)
    event.remove(engine, "after_cursor_execute", after)
    return sorted(spent)[len(spent) // 2] * 1000, statements


def planning(lake: headwater.service.lake.Lake) -> float:
    """Seconds to list a table of 10,000 files with everything that a reader needs."""
    lake.sql("CREATE TABLE many(i INT, v VARCHAR)")
    at = lake.describe("many")
    (file,) = arrow_lake.stage(lake, at, [(1, "x")])
    lake.commit(Commit(at.snapshot, (StagedChange(at.table.id, (file,) * FILES),)))
    began = time.perf_counter()
    assert len(lake.describe("many").files) == FILES
    return time.perf_counter() - began


def main() -> None:
    results: dict[str, object] = {"machine": machine()}
    with tempfile.TemporaryDirectory() as folder, postgres_server() as server:
        for kind in ("ours", "theirs"):
            for processes in (1, PROCESSES):
                name = server.new_database()
                data_path = f"{folder}/{name}/"
                with headwater.connect(server.url(name), data_path) as lake:
                    lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
                address = server.url(name) if kind == "ours" else server.duck_uri(name)
                rate = race(ours if kind == "ours" else theirs, address, data_path, processes)
                results[f"{kind}, {processes} processes, commits per second"] = round(rate, 1)
                print(f"{kind:7} {processes} processes: {rate:8.1f} commits/s", flush=True)
        for label, address in (("PostgreSQL", server.url(server.new_database())), ("SQLite", f"{folder}/embedded")):
            data = f"{folder}/plan-{label}/" if label == "PostgreSQL" else None
            with headwater.connect(address, data) as lake:
                lake.sql("CREATE TABLE t(i INT, v VARCHAR)")
                millis, statements = one_commit(lake)
                seconds = planning(lake)
            results[f"{label}: database time of one commit, ms"] = round(millis, 2)
            results[f"{label}: statements of one commit"] = statements
            results[f"{label}: planning {FILES} files, s"] = round(seconds, 3)
            print(
                f"{label}: one commit {millis:.1f} ms in {statements} statements; planning {FILES} files {seconds:.2f} s"
            )
    ratio = float(str(results[f"ours, {PROCESSES} processes, commits per second"])) / float(
        str(results[f"theirs, {PROCESSES} processes, commits per second"])
    )
    results["ratio with 4 processes"] = round(ratio, 1)
    print(f"ratio with {PROCESSES} processes: {ratio:.1f}")
    json.dump(results, sys.stderr, indent=2)


if __name__ == "__main__":
    main()
