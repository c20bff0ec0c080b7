"""Offer this process's Spark driver to commands on the same machine."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.core.errors import HeadwaterError
from headwater.service.compute_socket import is_own_user, receive, send


@dataclass(frozen=True, slots=True)
class Driver:
    """Starts the driver, and cancels a command's jobs in it.

    The address is its port and secret; `cancel` waits a while, and returns whether the jobs' tasks have ended.
    """

    start: Callable[[], tuple[int, str]]
    cancel: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Client:
    """A command that uses the driver."""

    pid: int
    command: str
    since: float


class ComputeServer:
    """Gives the driver's address to commands, and counts those that use it.

    A server that is `disposable` accepts no more commands once tasks of a cancelled one occupy the driver.
    """

    def __init__(self, listener: socket.socket, driver: Driver, *, disposable: bool = False) -> None:
        self._listener, self._driver, self._disposable = listener, driver, disposable
        self._cancelling = 0
        self._changed = threading.Condition()
        self._clients: dict[str, Client] = {}
        self._started_at = self._used_at = time.time()
        self._idle = 0.0
        self._stopping = self._was_idle = False
        self._starting = threading.Lock()
        self._address: tuple[int, str] | None = None
        threading.Thread(target=self._accept, name="headwater-compute", daemon=True).start()

    def run(self, is_needed: Callable[[], bool], pause: float = 1.0) -> bool:
        """Serve until a command stops it, it was idle for the time that the last command gave, or it is not needed.

        Returns whether it was idle.
        """
        with self._changed:
            while is_needed() and not self._is_over():
                self._changed.wait(pause)
            return self._was_idle

    def close(self) -> None:
        """Accept no more commands, and wait for those that use the driver."""
        with self._changed:
            self._stop()
            while self._clients:
                self._changed.wait()

    def _is_over(self) -> bool:
        if self._clients:
            return False
        if not self._stopping and time.time() - self._used_at >= self._idle > 0:
            self._was_idle = True
            self._stop()
        return self._stopping

    def _stop(self) -> None:
        """Refuse what has connected and was not accepted: it looks for another process."""
        self._stopping = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._changed.notify_all()

    def _accept(self) -> None:
        while True:
            try:
                channel, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(channel,), name="headwater-command", daemon=True).start()

    def _serve(self, channel: socket.socket) -> None:
        # What is not JSON is no command of Headwater.
        with channel, suppress(OSError, ValueError):
            request = receive(channel) if is_own_user(channel) else None
            match request and request["verb"]:
                case "driver":
                    assert request is not None
                    self._serve_driver(channel, request)
                case "status":
                    send(channel, self._status())
                case "stop":
                    # The process ends once it gets the lock, and the reply must be sent before.
                    with self._changed:
                        self._stop()
                        send(channel, self._status())
                    # The connection ends with the process.
                    receive(channel)

    def _serve_driver(self, channel: socket.socket, request: dict[str, Any]) -> None:
        tag = request["tag"]
        with self._registered(
            tag, Client(request["pid"], request["command"], time.time()), request["idle"]
        ) as accepted:
            if not accepted:
                return
            try:
                port, secret = self._started()
            except HeadwaterError as error:
                send(channel, {"error": error.body()})
                return
            if not self._is_free():
                return
            send(channel, {"port": port, "secret": secret, "pid": os.getpid()})
            receive(channel)
            self._cancel(tag)

    @contextmanager
    def _registered(self, tag: str, client: Client, idle: float) -> Iterator[bool]:
        with self._changed:
            accepted = not self._stopping
            if accepted:
                self._clients[tag], self._idle = client, idle
        try:
            yield accepted
        finally:
            with self._changed:
                self._clients.pop(tag, None)
                self._used_at = time.time()
                self._changed.notify_all()

    def _is_free(self) -> bool:
        """Wait for the tasks of commands that have gone; whether others can use the driver."""
        with self._changed:
            while self._cancelling:
                self._changed.wait()
            return not self._stopping

    def _cancel(self, tag: str) -> None:
        with self._changed:
            self._cancelling += 1
        ended = self._driver.cancel(tag)
        with self._changed:
            self._cancelling -= 1
            if self._disposable and not ended:
                self._stop()
            self._changed.notify_all()

    def _started(self) -> tuple[int, str]:
        """The driver's address; the first command starts it, and the others wait."""
        with self._starting:
            if self._address is None:
                self._address = self._driver.start()
            return self._address

    def _status(self) -> dict[str, Any]:
        with self._changed:
            clients = [
                {"pid": each.pid, "command": each.command, "since": each.since} for each in self._clients.values()
            ]
            started = self._address is not None
            return {
                "pid": os.getpid(),
                "state": "stopping" if self._stopping else "busy" if clients else "idle",
                "spark": started,
                "started_at": self._started_at,
                "used_at": self._used_at,
                "idle": self._idle,
                "commands": clients,
            }


def listen(path: Path) -> socket.socket:
    """A socket at the path, in place of one that nobody listens on."""
    with suppress(FileNotFoundError):
        path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.fspath(path))
    listener.listen(64)
    return listener


@contextmanager
def removed_after(path: Path) -> Iterator[None]:
    """Remove the socket at the path after the block, unless it is another one by then."""
    ours = _identity(path)
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            if _identity(path) == ours:
                path.unlink()


def _identity(path: Path) -> tuple[int, int]:
    """Distinguishes files that were at the same path; an inode's number is used again."""
    found = path.stat()
    return found.st_ino, found.st_ctime_ns
