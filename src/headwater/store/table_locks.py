"""Locks of tables by name, for transactions that DuckDB writes."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from contextlib import ExitStack

import sqlalchemy as sa
from sqlalchemy import exc

from headwater.core.errors import CommitConflict
from headwater.store import translate_errors
from headwater.store.lock import lock_file

# Seconds that a lock is waited for out of order, and the pause between two attempts.
PATIENCE, PAUSE = 5.0, 0.02
# The class of the advisory locks of tables: ("hetw" in ASCII, a hash of the table's name).
_TABLE_LOCK = 0x68657477


class TableLocks:
    """The locks of one transaction, held until `release`, which any thread may call.

    On SQLite, the first `add` locks out all writers of this machine.
    """

    def __init__(self, engine: sa.Engine, display_url: str, lock_path: str | None, timeout: float) -> None:
        self._engine = engine
        self._display_url = display_url
        self._lock_path = lock_path
        self._timeout = timeout
        self._held = ExitStack()
        self._locked_file = False
        self._connection: sa.Connection | None = None
        self._numbers: set[int] = set()

    def add(self, names: Iterable[str]) -> None:
        """Lock these names too.

        All processes wait for locks in the order of their numbers, so that no two wait for each other. A lock that is out of
        order is attempted for a while; then the caller has to give up all of its locks.
        """
        if self._lock_path is not None:
            if not self._locked_file:
                self._held.enter_context(lock_file(self._lock_path, self._timeout))
                self._locked_file = True
            return
        for number in sorted({_lock_number(name) for name in names} - self._numbers):
            self._lock(number, in_order=number > max(self._numbers, default=number - 1))
            self._numbers.add(number)

    def check(self) -> None:
        """Raise StoreUnreachable if the connection that holds the locks is lost, and they with it."""
        if self._connection is not None:
            self._execute("SELECT 1", {})

    def release(self) -> None:
        """Release all locks."""
        self._held.close()
        self._locked_file = False
        connection, self._connection = self._connection, None
        self._numbers.clear()
        if connection is None:
            return
        with connection:
            try:
                connection.execute(sa.text("SELECT pg_advisory_unlock_all()"))
            except exc.SQLAlchemyError:
                # The server releases the locks of a closed connection.
                connection.invalidate()

    def _lock(self, number: int, *, in_order: bool) -> None:
        values = {"a": _TABLE_LOCK, "b": number}
        if in_order:
            self._execute("SELECT pg_advisory_lock(:a, :b)", values)
            return
        until = time.monotonic() + PATIENCE
        while not self._execute("SELECT pg_try_advisory_lock(:a, :b)", values):
            if time.monotonic() >= until:
                raise CommitConflict(
                    "another transaction writes one of the tables",
                    detail=f"Its lock was not free for {PATIENCE:g} seconds.",
                    hint="Run the transaction again.",
                )
            time.sleep(PAUSE)

    def _execute(self, sql: str, values: dict[str, int]) -> object:
        try:
            if self._connection is None:
                self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            return self._connection.execute(sa.text(sql), values).scalar()
        except exc.SQLAlchemyError as error:
            if self._connection is not None:
                self._connection.invalidate()
            raise translate_errors.translate(error, self._display_url) from error


def _lock_number(name: str) -> int:
    """A hash of the name as a signed 32-bit integer, for a lock in PostgreSQL."""
    return zlib.crc32(name.encode()) - 2**31
