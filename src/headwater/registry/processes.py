"""Processes that hold leases and serve lakes, stored as host:pid."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Process:
    """A process of a machine.

    >>> process = parse_process("host:12")
    >>> process, str(process)
    (Process(host='host', pid=12), 'host:12')
    """

    host: str
    pid: int

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"

    def is_dead(self) -> bool:
        """Whether it is a process of this machine that has ended; other machines' are only known by expiry."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False


def this_process() -> Process:
    """The running process."""
    return Process(socket.gethostname(), os.getpid())


def parse_process(text: str) -> Process | None:
    """The inverse of `str(process)`; None for another text."""
    host, _, pid = text.rpartition(":")
    return Process(host, int(pid)) if pid.isdecimal() else None
