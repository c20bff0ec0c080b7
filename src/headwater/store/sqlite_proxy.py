"""SQLite connections that live in a child process, for programs that may also use DuckDB.

DuckDB has a copy of SQLite of its own, and the locks on a file belong to the process: in one process, each copy would release
the locks of the other, and both would write at once. The connections have as much of the DBAPI as SQLAlchemy needs; errors are
those of `sqlite3`.
"""

from __future__ import annotations

import atexit
import os
import pickle
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from headwater.store import sqlite_child
from headwater.store.sqlite_child import Fetched, Reply

# By this text SQLAlchemy recognizes a lost connection.
_CLOSED = "Cannot operate on a closed database."


def connect(path: str, timeout: float) -> ProxiedConnection:
    """A connection to the SQLite file, which waits `timeout` seconds for locks."""
    global _child
    with _starting:
        for _ in range(2):
            if _child is None:
                _child = _Child()
            try:
                return ProxiedConnection(_child.channel(), os.path.abspath(path), timeout)
            except (OSError, sqlite3.ProgrammingError):
                _child.close()
                _child = None
    raise sqlite3.OperationalError("the process that opens SQLite files ended")


class _Pickler(pickle.Pickler):
    """Pickles values as SQLite stores them: the child has no classes but those of the standard library.

    SQLAlchemy passes binary values as views of memory, and names as a subclass of str.
    """

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, memoryview):
            return bytes, (bytes(value),)
        # A subclass may convert itself to another text or number, such as an enum member to its name.
        if isinstance(value, str):
            return str, (str.__str__(value),)
        if isinstance(value, int):
            return int, (int.__int__(value),)
        if isinstance(value, float):
            return float, (float.__float__(value),)
        return NotImplemented


class ProxiedConnection:
    """A connection in the child process."""

    def __init__(self, channel: socket.socket, path: str, timeout: float) -> None:
        self.in_transaction = False
        self.isolation_level: str | None = None
        self._owner = os.getpid()
        self._channel = channel
        self._requests, self._replies = channel.makefile("wb"), channel.makefile("rb")
        self._open = True
        try:
            self.call("connect", path, timeout)
        except BaseException:
            self.close()
            raise

    def cursor(self) -> ProxiedCursor:
        """A cursor."""
        return ProxiedCursor(self)

    def execute(self, sql: str, parameters: Any = ()) -> ProxiedCursor:
        """A cursor that ran the statement."""
        return self.cursor().execute(sql, parameters)

    def commit(self) -> None:
        """Commit the open transaction, if there is one."""
        if self.in_transaction:
            self.call("commit")

    def rollback(self) -> None:
        """Roll back the open transaction, if there is one; the child has done so for a closed connection."""
        if self._open and self.in_transaction:
            self.call("rollback")

    def close(self) -> None:
        """Close the connection; the child rolls back what is not committed."""
        self._open = False
        for each in (self._requests, self._replies, self._channel):
            with suppress(OSError):  # the child has ended, and a request was not sent
                each.close()

    def create_function(self, name: str, _arguments: int, _function: Any, **_options: Any) -> None:
        """Does nothing: SQLAlchemy offers functions of Python, which no statement of ours calls."""

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of the method of the child's connection."""
        # A process that was forked has its program's sockets, and must not use them.
        if not self._open or self._owner != os.getpid():
            raise sqlite3.ProgrammingError(_CLOSED)
        try:
            _Pickler(self._requests).dump((method, arguments))
            self._requests.flush()
            reply = Reply(*pickle.load(self._replies))
        except (EOFError, OSError) as error:
            self.close()
            raise sqlite3.ProgrammingError(_CLOSED) from error
        except BaseException:
            # An interrupted request leaves a reply behind, which the next one would take for its own.
            self.close()
            raise
        self.in_transaction = reply.in_transaction
        if reply.error is not None:
            raise reply.error
        return reply.result


class ProxiedCursor:
    """A cursor that has read all rows of its statement."""

    arraysize = 1
    _rows: Iterator[Any]

    def __init__(self, connection: ProxiedConnection) -> None:
        self._connection = connection
        self._take(Fetched(None, [], -1, None))

    def execute(self, sql: str, parameters: Any = ()) -> ProxiedCursor:
        """Run a statement."""
        return self._take(Fetched(*self._connection.call("execute", sql, parameters)))

    def executemany(self, sql: str, parameters: Sequence[Any]) -> ProxiedCursor:
        """Run a statement once for each set of parameters."""
        return self._take(Fetched(*self._connection.call("executemany", sql, list(parameters))))

    def fetchone(self) -> Any:
        """The next row; None after the last."""
        return next(self._rows, None)

    def fetchmany(self, size: int | None = None) -> list[Any]:
        """The next rows, at most `size`."""
        wanted = self.arraysize if size is None else size
        return list(islice(self._rows, wanted))

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        return list(self._rows)

    def close(self) -> None:
        """Forget the rows."""
        self._rows = iter(())

    def _take(self, fetched: Fetched) -> ProxiedCursor:
        self.description, self.rowcount, self.lastrowid = fetched.description, fetched.rowcount, fetched.lastrowid
        self._rows = iter(fetched.rows)
        return self


class _Child:
    """The child process, one for all connections of this process."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            # In a session of its own, it is not interrupted from the terminal; -I and -S make it start fast.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", sqlite_child.__file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )

    def channel(self) -> socket.socket:
        """A new connection's socket."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [b"+"], [theirs.fileno()])
            except BaseException:
                ours.close()
                raise
        return ours

    def forget(self) -> None:
        """Close this process's end, so that only another process keeps the child."""
        self._control.close()

    def close(self) -> None:
        """End the process, which takes a moment."""
        self._control.close()
        self._process.wait()


_child: _Child | None = None
_starting = threading.Lock()


@atexit.register
def _end() -> None:
    global _child
    if _child is not None:
        _child.close()
        _child = None


def _forget() -> None:
    """After a fork: the child belongs to the other process, and must end with it."""
    global _child, _starting
    if _child is not None:
        _child.forget()
    _child, _starting = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
