"""Find the process that computes for a lake's commands: a worker of this machine, else a background process."""

from __future__ import annotations

import os
import select
import socket
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from headwater.core.errors import EngineLost, error_from_body
from headwater.core.format import format_duration
from headwater.core.warehouse import Warehouse
from headwater.lake.site import Site
from headwater.service.compute_socket import ComputeFolder, ask, connect, log_of, receive
from headwater.service.start_compute import start_compute
from headwater.store.lock import lock_file

# How often a process that ends just then is replaced.
ATTEMPTS = 3
_STARTING = 60.0


@dataclass(frozen=True, slots=True)
class UsedDriver:
    """A driver of another process, used until the connection is closed; `tag` marks this process's jobs there."""

    port: int
    secret: str
    tag: str
    channel: socket.socket

    def poll(self) -> int | None:
        """None while the other process runs: it sends nothing more, and closes the connection when it ends."""
        readable, _, _ = select.select([self.channel], [], [], 0)
        return 0 if readable else None


@dataclass(frozen=True, slots=True)
class SharedCompute:
    """How a command finds the process that computes for it: the lake, and what the process is told.

    A background process that it starts ends after `idle` seconds without a command; `note` tells the user of it.
    """

    site: Site
    command: str
    idle: float
    note: Callable[[str], None]
    tag: str = field(default_factory=lambda: str(uuid.uuid4()))

    def find_driver(self, warehouse: Warehouse) -> UsedDriver:
        """The driver for a warehouse, in a background process that is started if no process has it."""
        folder = ComputeFolder.of(self.site)
        for _ in range(ATTEMPTS):
            for path in folder.workers(warehouse):
                if (channel := connect(path)) and (driver := self._use(channel)):
                    return driver
            if (channel := self._background(folder, warehouse)) and (driver := self._use(channel)):
                return driver
        raise EngineLost(
            "the background compute process ended",
            detail=f'Its output is in "{log_of(folder.background(warehouse))}".',
            hint="Set compute_idle = 0 to compute in the command's own process.",
        )

    def _background(self, folder: ComputeFolder, warehouse: Warehouse) -> socket.socket | None:
        """A connection to the background process, which may still be starting; None if it ended at once."""
        path = folder.background(warehouse)
        with lock_file(str(folder.path / "start.lock"), _STARTING):
            if channel := connect(path):
                return channel
            pid = start_compute(path, self.site, warehouse)
            self.note(
                f"started a compute process for this lake (pid {pid}); it ends after {format_duration(self.idle)}"
                " without a command, or by: headwater compute stop"
            )
            return connect(path)

    def _use(self, channel: socket.socket) -> UsedDriver | None:
        request = {
            "verb": "driver",
            "pid": os.getpid(),
            "command": self.command,
            "tag": self.tag,
            "idle": self.idle,
        }
        reply = ask(channel, request)
        if reply is None:
            channel.close()
            return None
        if error := reply.get("error"):
            channel.close()
            raise error_from_body(**error)
        return UsedDriver(reply["port"], reply["secret"], self.tag, channel)


def compute_status(site: Site) -> list[dict[str, Any]]:
    """What the background processes of the lake do."""
    found = []
    for path in ComputeFolder.of(site).backgrounds():
        if channel := connect(path):
            with channel:
                found.append(ask(channel, {"verb": "status"}))
    return [each for each in found if each is not None]


def stop_compute(site: Site, report: Callable[[dict[str, Any]], None] = lambda _status: None) -> int:
    """End the lake's background processes once no command uses them; returns how many there were.

    `report` gets the status of each before it ends.
    """
    stopping = []
    for path in ComputeFolder.of(site).backgrounds():
        if channel := connect(path):
            if status := ask(channel, {"verb": "stop"}):
                stopping.append(channel)
                report(status)
            else:
                channel.close()
    for channel in stopping:
        with channel:
            receive(channel)
    return len(stopping)


def retire_backgrounds(site: Site) -> None:
    """Have the lake's background processes accept no more commands, and end after those that use them."""
    for path in ComputeFolder.of(site).backgrounds():
        if channel := connect(path):
            with channel:
                ask(channel, {"verb": "stop"})
