"""What it costs to reach a SQLite catalog through the child process, against opening it in this process.

    make bench NAME=sqlite_child

Medians; both ways by turns, so that they meet the same noise.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from statistics import median

import sqlalchemy as sa

from bench.machine import machine
from headwater.service.connect import connect
from headwater.store import sqlite
from headwater.store.database import Database

TIMES = int(os.environ.get("TIMES", "1000"))
WAYS = ("in this process", "in the child process")
_INSERT, _LAST = sa.text("INSERT INTO t VALUES (NULL, 1)"), sa.text("SELECT * FROM t ORDER BY a DESC LIMIT 1")


def main() -> None:
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        databases = {}
        for way in WAYS:
            sqlite._directly = way == WAYS[0]
            databases[way] = Database(sa.URL.create("sqlite", database=f"{folder}/{way}"))
            databases[way].execute(sa.text("CREATE TABLE t (a INTEGER PRIMARY KEY, b)"))
            databases[way].execute(_INSERT)
        print("| | " + " | ".join(WAYS) + " |\n|---|---|---|")
        _line("one statement, one row", databases, TIMES, _statement)
        _line("`Database.read`, three statements", databases, TIMES, _read)
        _line("`Database.write`, three statements", databases, TIMES // 2, _write)
        lakes = {}
        for way in WAYS:
            sqlite._directly = way == WAYS[0]
            lakes[way] = connect(f"{folder}/lake {way}")
        numbers = iter(range(10**9))
        _line("CREATE TABLE", lakes, TIMES // 10, lambda lake: lake.sql(f"CREATE TABLE t{next(numbers)} (a INTEGER)"))


def _line(name: str, ways: dict[str, object], times: int, work: Callable[..., object]) -> None:
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(times):
        for way, on in ways.items():
            seconds[way].append(_timed(work, on))
    print(f"| {name} | " + " | ".join(f"{1000 * median(each):.3f} ms" for each in seconds.values()) + " |", flush=True)


def _timed(work: Callable[..., object], on: object) -> float:
    began = time.perf_counter()
    inner = work(on)
    return inner if isinstance(inner, float) else time.perf_counter() - began


def _statement(database: Database) -> float:
    with database.read() as connection:
        connection.execute(_LAST).all()
        began = time.perf_counter()
        connection.exec_driver_sql("SELECT * FROM t LIMIT 1").all()
        return time.perf_counter() - began


def _read(database: Database) -> None:
    with database.read() as connection:
        for _ in range(3):
            connection.execute(_LAST).all()


def _write(database: Database) -> None:
    database.execute(_INSERT, _INSERT, _INSERT)


if __name__ == "__main__":
    main()
