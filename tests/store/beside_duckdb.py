"""A program: Headwater and DuckDB on one embedded lake, in threads of one process or alone.

It creates tables with the one and inserts rows with the other, closing and reopening both now and then, and prints as JSON
which tables and how many rows it committed, and the errors that it met.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.duck import EXTENSIONS, SETTINGS, extension_path, literal

LONGEST_PAUSE = 0.02


@dataclass
class Run:
    """What the threads of this process have committed, and how long they go on."""

    folder: str
    name: str
    commits: int
    until: float
    tables: list[str] = field(default_factory=list)
    rows: int = 0
    errors: list[str] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)

    def goes_on(self) -> bool:
        """Until the time is over and each thread has made its commits."""
        return time.monotonic() < self.until or min(self.done.values()) < self.commits

    def count(self, client: str) -> None:
        """A client has committed."""
        self.done[client] += 1


def main(folder: str, name: str, commits: int, seconds: float, clients: list[str]) -> None:
    """Run a thread for each of `clients`, which are imported in this order."""
    for client in clients:
        __import__(client)
    run = Run(folder, name, commits, time.monotonic() + seconds, done=dict.fromkeys(clients, 0))
    work = {"headwater": _create_tables, "duckdb": _insert_rows}
    threads = [threading.Thread(target=_keep_on, args=(work[client], run, client)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stdout.write(json.dumps({"tables": run.tables, "rows": run.rows, "errors": run.errors}))


def _keep_on(session: Callable[[Run, Callable[[], bool]], None], run: Run, client: str) -> None:
    pauses = random.Random(f"{run.name} {client}")

    def stays_open() -> bool:
        time.sleep(pauses.uniform(0, LONGEST_PAUSE))
        return run.goes_on() and pauses.random() < 0.8

    while run.goes_on():
        try:
            session(run, stays_open)
        except Exception as error:  # noqa: BLE001 - the test decides which errors may be
            run.errors.append(f"{type(error).__name__}: {error}")


def _create_tables(run: Run, stays_open: Callable[[], bool]) -> None:
    import headwater

    with headwater.connect(run.folder) as lake:
        while stays_open():
            table = f"{run.name}_{len(run.tables)}"
            lake.sql(f"CREATE TABLE {table} (a INTEGER)")
            run.tables.append(table)
            run.count("headwater")


def _insert_rows(run: Run, stays_open: Callable[[], bool]) -> None:
    import duckdb

    connection: Any = duckdb.connect(":memory:", config={"threads": 1})
    try:
        for setting in SETTINGS:
            connection.execute(setting)
        for extension in EXTENSIONS:
            connection.execute(f"LOAD {literal(extension_path(extension))}")
        connection.execute(
            f"ATTACH 'ducklake:sqlite:{run.folder}/catalog.sqlite' AS lake (DATA_PATH '{run.folder}/data')"
        )
        while stays_open():
            connection.execute(f"INSERT INTO lake.written VALUES ('{run.name}')")
            run.rows += 1
            run.count("duckdb")
    finally:
        connection.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:])
