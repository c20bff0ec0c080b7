"""The protocol between the two processes: length-prefixed JSON messages and Arrow IPC frames."""

from __future__ import annotations

import json
import struct
from enum import StrEnum
from typing import Any, BinaryIO

JSON = b"J"
ARROW = b"A"
# The causes of failed statements that callers handle.
CONFLICT, CONNECTION_LOST = "conflict", "connection lost"
# After an internal error, DuckDB refuses all statements.
INVALIDATED = "invalidated"
# The key of an Arrow field's metadata with the type that Arrow can't express.
TYPE = b"duckdb_type"
_HEAD = struct.Struct("<cQ")


class RequestScope(StrEnum):
    """How a request and a transaction of the process relate."""

    # No transaction.
    READ = "read"
    # A transaction of its own.
    REQUEST = "request"
    # Begins a transaction, runs in it, or ends it.
    BEGIN = "begin"
    INSIDE = "inside"
    COMMIT = "commit"
    ROLLBACK = "rollback"


def send(pipe: BinaryIO, message: dict[str, Any]) -> None:
    """Send a message, and flush the pipe."""
    send_frame(pipe, JSON, json.dumps(message).encode())
    pipe.flush()


def send_frame(pipe: BinaryIO, kind: bytes, data: bytes | memoryview) -> None:
    """Write a frame into the pipe's buffer."""
    pipe.write(_HEAD.pack(kind, len(data)))
    pipe.write(data)


def receive(pipe: BinaryIO) -> tuple[dict[str, Any], bytearray]:
    """The next message, and the Arrow bytes before it; EOFError when the other process has ended."""
    body = bytearray()
    while True:
        kind, size = _HEAD.unpack(_exactly(pipe, _HEAD.size))
        data = _exactly(pipe, size)
        if kind == JSON:
            return json.loads(data), body
        body += data


def _exactly(pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
