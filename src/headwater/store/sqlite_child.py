"""The child process that opens SQLite files for a program; `store.sqlite_proxy` starts it and speaks to it.

It runs as a script, so it imports only the standard library. Each connection has a socket and a thread of its own; a
request is a method and its arguments, a reply its result or the error that it raised. It ends when the program ends,
however that ends.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import socket
import sqlite3
import sys
import threading
from contextlib import suppress
from typing import Any, NamedTuple

# Seconds between two interrupts of a statement that nobody waits for.
_PAUSE = 0.05


class Reply(NamedTuple):
    """The result of a request or the error that it raised, and whether a transaction is open after it."""

    result: Any
    error: Exception | None
    in_transaction: bool


class Fetched(NamedTuple):
    """All that a cursor knows after a statement."""

    description: Any
    rows: list[Any]
    rowcount: int
    lastrowid: int | None


def serve(control: socket.socket) -> None:
    """Serve each connection whose socket arrives, until the program has closed its end."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        threading.Thread(target=_serve_connection, args=(socket.socket(fileno=descriptors[0]),), daemon=True).start()


def _serve_connection(channel: socket.socket) -> None:
    connection: sqlite3.Connection | None = None
    served = threading.Event()
    try:
        with channel, channel.makefile("rb") as requests, channel.makefile("wb") as replies:
            while True:
                method, arguments = pickle.load(requests)
                result, failed = None, None
                try:
                    if method == "connect":
                        path, timeout = arguments
                        # Without an isolation level, Python begins no transactions of its own.
                        connection = sqlite3.connect(path, timeout, isolation_level=None)
                        watch = (channel, connection, served)
                        threading.Thread(target=_interrupt_when_closed, args=watch, daemon=True).start()
                    else:
                        assert connection is not None
                        result = _run(connection, method, arguments)
                except Exception as error:  # noqa: BLE001 - it is raised again in the program
                    failed = error
                pickle.dump(tuple(Reply(result, failed, connection is not None and connection.in_transaction)), replies)
                replies.flush()
    except (EOFError, OSError):
        pass  # the program closed this connection
    finally:
        served.set()
        if connection is not None:
            connection.close()


def _interrupt_when_closed(channel: socket.socket, connection: sqlite3.Connection, served: threading.Event) -> None:
    """End the running statement when the program closes the connection; it would hold its locks until it ends by itself."""
    closed = select.poll()
    closed.register(channel, select.POLLRDHUP)
    closed.poll()
    # The statement may be about to begin.
    while not served.wait(_PAUSE):
        with suppress(sqlite3.ProgrammingError):  # it has just been closed
            connection.interrupt()


def _run(connection: sqlite3.Connection, method: str, arguments: tuple[Any, ...]) -> Any:
    result = getattr(connection, method)(*arguments)
    if not isinstance(result, sqlite3.Cursor):
        return result
    return tuple(Fetched(result.description, result.fetchall(), result.rowcount, result.lastrowid))


if __name__ == "__main__":
    # The terminal interrupts the program, and a service manager stops all of its processes; the program needs its catalog
    # until it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve(socket.socket(fileno=int(sys.argv[1])))
    # Connections that are still open lose what they have not committed.
    os._exit(0)
