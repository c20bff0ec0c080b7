"""Connections to a SQLite catalog: who opens the file, and when a write transaction begins."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from headwater.core.errors import InvalidRequest
from headwater.core.own_program import is_own_program
from headwater.store import sqlite_proxy
from headwater.store.catalog_files import folder_error

# The longest and the shortest wait of a writer for a moment without readers, and the interval of its checks, in seconds.
PATIENCE, LEAST_PATIENCE, PAUSE = 2.0, 0.05, 0.005


def open_catalog(path: str, timeout: float) -> Any:
    """A connection in this process if it runs Headwater alone, else in a child process."""
    return connect_directly(path, timeout) if is_own_program() else sqlite_proxy.connect(path, timeout)


def engine(
    url: sa.URL,
    timeout: float,
    writes: Callable[[sa.Connection], bool],
    connect: Callable[[str, float], Any] = open_catalog,
) -> sa.Engine:
    """An engine for the file, whose connections wait `timeout` seconds for locks; `writes` tells which of them write."""
    path = os.path.abspath(url.database or "")
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise folder_error(folder, error) from error
    made = sa.create_engine(url)
    quiet = _Quiet(timeout)

    @event.listens_for(made, "do_connect")
    def do_connect(*_arguments: Any) -> Any:
        return connect(path, timeout)

    @event.listens_for(made, "begin")
    def begin(connection: sa.Connection) -> None:
        if not writes(connection):
            connection.exec_driver_sql("BEGIN")
        elif not quiet.begin(connection):
            # A deferred transaction fails at its first write if another writer was first.
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return made


def connect_directly(path: str, timeout: float) -> sqlite3.Connection:
    """A connection in this process; refused if the process has loaded DuckDB."""
    if "duckdb" in sys.modules:
        raise InvalidRequest(
            f'this process has loaded DuckDB, so it must not open "{path}"',
            detail="DuckDB has its own copy of SQLite, and each copy releases the locks of the other.",
            hint="Find what imports duckdb when Python starts, such as a .pth file or sitecustomize, and remove it.",
        )
    # Without an isolation level, Python begins no transactions of its own.
    return sqlite3.connect(path, timeout, isolation_level=None, check_same_thread=False)


class _Quiet:
    """Begins write transactions on a SQLite catalog at moments without readers.

    DuckDB's transactions are deferred, and fail if another writer begins between their reads and their writes. From its start,
    the write transaction makes new readers wait. If a wait ends without such a moment, the next one is half as long.
    """

    def __init__(self, timeout: float) -> None:
        self._patience, self._timeout = PATIENCE, timeout

    def begin(self, connection: sa.Connection) -> bool:
        """Begin without readers; returns false if there is no such moment in time, or the lock is not possible."""
        sqlite = connection.connection.driver_connection
        assert sqlite is not None
        until = time.monotonic() + self._patience
        try:
            sqlite.execute("PRAGMA busy_timeout = 0")
            while time.monotonic() < until:
                try:
                    sqlite.execute("BEGIN EXCLUSIVE")
                except sqlite3.Error as error:
                    if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                        return False
                    time.sleep(PAUSE)
                else:
                    self._patience = min(PATIENCE, 2 * self._patience)
                    return True
        finally:
            sqlite.execute(f"PRAGMA busy_timeout = {int(self._timeout * 1000)}")
        self._patience = max(LEAST_PATIENCE, self._patience / 2)
        return False
