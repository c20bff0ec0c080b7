"""What it costs that a lake's catalog and data folder are compared in each write transaction.

    make bench NAME=identity

Medians; all ways by turns, so that they meet the same noise. PG_URL, if set, names an empty PostgreSQL database.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median

import sqlalchemy as sa

from bench.machine import machine
from headwater.core.own_program import declare_own_program
from headwater.service.connect import connect
from headwater.service.lake import Lake

TIMES = int(os.environ.get("TIMES", "1000"))
_NOTHING = sa.text("DELETE FROM ducklake_macro WHERE macro_id = -1")


def main() -> None:
    print(machine(), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        lakes = {"SQLite in the child process": connect(f"{folder}/child")}
        _write(lakes["SQLite in the child process"])
        declare_own_program()
        lakes["SQLite in this process"] = connect(f"{folder}/direct")
        if url := os.environ.get("PG_URL"):
            lakes["PostgreSQL"] = connect(url, f"{folder}/postgres")
        print("| | " + " | ".join(lakes) + " |\n|---|" + "---|" * len(lakes))
        _line("the comparison alone, in a read transaction", lakes, _check)
        _line("a write transaction of one statement, not compared", lakes, _write_ungated)
        _line("a write transaction of one statement", lakes, _write)
        _line("the note of a snapshot", lakes, _note)
        for lake in lakes.values():
            lake.close()


def _line(name: str, lakes: dict[str, Lake], work: Callable[[Lake], float]) -> None:
    seconds: dict[str, list[float]] = {way: [] for way in lakes}
    for _ in range(TIMES):
        for way, lake in lakes.items():
            seconds[way].append(work(lake))
    print(f"| {name} | " + " | ".join(f"{1e6 * median(each):.0f} µs" for each in seconds.values()) + " |", flush=True)


def _check(lake: Lake) -> float:
    gate = lake.database.gate
    assert gate is not None
    with lake.database.read() as connection:
        began = time.perf_counter()
        gate.check(connection)
        return time.perf_counter() - began


def _write_ungated(lake: Lake) -> float:
    began = time.perf_counter()
    lake.database.write_ungated(lambda connection: connection.execute(_NOTHING))
    return time.perf_counter() - began


def _write(lake: Lake) -> float:
    began = time.perf_counter()
    lake.database.write(lambda connection: connection.execute(_NOTHING))
    return time.perf_counter() - began


_ids = iter(range(10**9))


def _note(lake: Lake) -> float:
    gate = lake.database.gate
    assert gate is not None
    at = datetime.now(UTC)
    began = time.perf_counter()
    gate.note_snapshot(next(_ids), at)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
