"""Where the processes that compute for a lake's commands listen, and what is said there: one JSON object a line."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import struct
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headwater
from headwater.core.errors import InvalidRequest
from headwater.core.version import VERSION
from headwater.core.warehouse import Warehouse
from headwater.lake.site import Site


@dataclass(frozen=True, slots=True)
class ComputeFolder:
    """The folder of the sockets of one lake, for this user and this installation of Headwater."""

    path: Path

    @staticmethod
    def of(site: Site) -> ComputeFolder:
        """The folder of the lake, created if absent."""
        known = (
            site.database.display_url,
            site.data_path,
            VERSION,
            str(Path(headwater.__file__).parent),
            sys.executable,
        )
        path = _private(_runtime_folder()) / _digest(known)
        path.mkdir(mode=0o700, exist_ok=True)
        return ComputeFolder(path)

    def background(self, warehouse: Warehouse) -> Path:
        """The socket of the background process with the warehouse's driver."""
        return self.path / f"compute-{_digest(warehouse.driver)}.sock"

    def worker(self, warehouse: Warehouse, pid: int) -> Path:
        """The socket of a worker that serves the warehouse, with whatever memory."""
        return self.path / f"worker-{_worker_digest(warehouse)}-{pid}.sock"

    def workers(self, warehouse: Warehouse) -> list[Path]:
        """The sockets of workers that serve the warehouse."""
        return sorted(self.path.glob(f"worker-{_worker_digest(warehouse)}-*.sock"))

    def backgrounds(self) -> list[Path]:
        """The sockets of all background processes."""
        return sorted(self.path.glob("compute-*.sock"))


def log_of(path: Path) -> Path:
    """The file with the output of the background process that listens at the path."""
    return path.with_suffix(".log")


def connect(path: Path) -> socket.socket | None:
    """A connection to the process that listens there; None if none does."""
    channel = socket.socket(socket.AF_UNIX)
    try:
        channel.connect(os.fspath(path))
    except (FileNotFoundError, ConnectionError):
        channel.close()
        return None
    return channel


def ask(channel: socket.socket, request: dict[str, Any]) -> dict[str, Any] | None:
    """The reply to a request; None if the other side has gone."""
    try:
        send(channel, request)
        return receive(channel)
    except ConnectionError:
        return None


def send(channel: socket.socket, message: dict[str, Any]) -> None:
    """Send a message."""
    channel.sendall(json.dumps(message).encode() + b"\n")


def receive(channel: socket.socket) -> dict[str, Any] | None:
    """The next message; None if the other side has gone."""
    line = bytearray()
    while not line.endswith(b"\n"):
        try:
            read = channel.recv(4096)
        except ConnectionError:
            return None
        if not read:
            return None
        line += read
    message: dict[str, Any] = json.loads(line)
    return message


def is_own_user(channel: socket.socket) -> bool:
    """Whether the other side is a process of this user."""
    _pid, user, _group = struct.unpack(
        "3i", channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    )
    return bool(user == os.getuid())


def _runtime_folder() -> Path:
    """A folder for sockets, whose paths may have 107 bytes."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and len(given) < 50 and os.path.isdir(given):
        return Path(given) / "headwater"
    return Path(tempfile.gettempdir()) / f"headwater-{os.getuid()}"


def _private(folder: Path) -> Path:
    """The folder, created if absent; refused if another user could put sockets into it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise InvalidRequest(
            f'the folder "{folder}" is not private',
            detail="Headwater puts the sockets of its compute processes there, which only this user may reach.",
            hint=f"Remove it, or run: chmod 700 {folder}",
        )
    return folder


def _digest(facts: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _worker_digest(warehouse: Warehouse) -> str:
    return _digest((warehouse.master, warehouse.conf))
