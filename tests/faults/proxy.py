"""A line between a worker and its database that can be cut, held up, or made to lose an answer."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress

# What PostgreSQL answers when a transaction has been committed.
_COMMITTED = b"COMMIT\x00"


class Proxy:
    """Passes bytes between clients and a server on loopback."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._refusing = 0
        self._losing: Callable[[], None] | None = None
        self._flowing = threading.Event()
        self._flowing.set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self._flowing.set()
        self._listening.close()
        self.cut()

    def cut(self, refused: int = 0) -> None:
        """Reset all connections, and refuse so many that are tried after that."""
        with self._lock:
            ended, self._open = self._open, []
            self._refusing = refused
        for end in ended:
            _reset(end)

    def lose_an_answer(self, refused: int = 0) -> None:
        """Pass the next commit on to the server, and instead of passing its answer back cut all connections."""
        self._losing = lambda: self.cut(refused)

    def stall(self, seconds: float) -> None:
        """Hold all bytes for a while; nobody is told."""
        self._flowing.clear()
        threading.Timer(seconds, self._flowing.set).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                with self._lock:
                    refused = self._refusing > 0
                    self._refusing -= refused
                if refused:
                    _reset(client)
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self._server))
                except OSError:
                    _reset(client)
                    continue
                with self._lock:
                    self._open += [client, server]
                for source, target, answers in ((client, server, False), (server, client, True)):
                    threading.Thread(target=self._pass, args=(source, target, answers), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(1 << 16):
                self._flowing.wait()
                if answers and self._losing and _COMMITTED in piece:
                    lost, self._losing = self._losing, None
                    lost()
                    return
                target.sendall(piece)
        _reset(target)


def _reset(end: socket.socket) -> None:
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
    end.close()
