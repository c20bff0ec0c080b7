"""The server of a compute process, over a real socket, with a driver that only notes what it is asked."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from headwater.core.errors import EngineLost
from headwater.service import compute_server
from headwater.service.compute_server import ComputeServer, Driver, listen, removed_after
from headwater.service.compute_socket import ask, connect, receive, send


@dataclass
class Served:
    """A server that runs in a thread, and what its driver was asked."""

    path: Path
    server: ComputeServer
    thread: threading.Thread
    cancelled: Queue[str]
    starts: list[int] = field(default_factory=list)
    needed: threading.Event = field(default_factory=threading.Event)

    def use(self, tag: str, idle: float = 60) -> tuple[socket.socket, dict[str, Any] | None]:
        channel = connect(self.path)
        assert channel is not None
        return channel, ask(channel, {"verb": "driver", "pid": 1, "command": "verify a", "tag": tag, "idle": idle})

    def ask(self, verb: str) -> dict[str, Any]:
        channel = connect(self.path)
        assert channel is not None
        with channel:
            reply = ask(channel, {"verb": verb})
        assert reply is not None
        return reply

    def await_clients(self, count: int) -> dict[str, Any]:
        deadline = time.monotonic() + 20
        while len((status := self.ask("status"))["commands"]) != count:
            assert time.monotonic() < deadline
        return status


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    path = tmp_path / "compute.sock"
    listener = listen(path)
    cancelled: Queue[str] = Queue()
    starts: list[int] = []

    def start() -> tuple[int, str]:
        starts.append(len(starts))
        if len(starts) == 1:
            raise EngineLost("Spark did not start", hint="Look at its output.")
        return 4711, "hidden"

    def cancel(tag: str) -> bool:
        cancelled.put(tag)
        return tag != "stuck"

    server = ComputeServer(listener, Driver(start, cancel), disposable=True)
    needed = threading.Event()
    needed.set()
    thread = threading.Thread(target=server.run, args=(needed.is_set, 0.01))
    with removed_after(path):
        thread.start()
        yield Served(path, server, thread, cancelled, starts, needed)
        needed.clear()
        thread.join()


def test_a_command_gets_the_error_of_the_driver_and_the_next_one_starts_it_again(served: Served) -> None:
    channel, reply = served.use("a")
    with channel:
        assert reply == {
            "error": {
                "code": "HW-RUN-003",
                "message": "Spark did not start",
                "detail": None,
                "hint": "Look at its output.",
            }
        }
    first, reply = served.use("b")
    second, same = served.use("c")
    with first, second:
        assert reply == same == {"port": 4711, "secret": "hidden", "pid": os.getpid()}
    assert len(served.starts) == 2


def test_the_jobs_of_a_command_that_has_gone_are_cancelled_and_those_of_others_are_not(served: Served) -> None:
    served.use("failed")[0].close()
    gone, _ = served.use("gone")
    with served.use("stays")[0]:
        gone.close()
        assert served.cancelled.get(timeout=20) == "gone"
        status = served.await_clients(1)
        assert served.cancelled.empty()
    assert [(each["pid"], each["command"]) for each in status["commands"]] == [(1, "verify a")]
    assert (status["state"], status["spark"]) == ("busy", True)


def test_when_tasks_of_a_cancelled_command_do_not_end_it_takes_no_more_commands(served: Served) -> None:
    served.use("failed")[0].close()
    other, _ = served.use("other")
    with other:
        served.use("stuck")[0].close()
        assert served.cancelled.get(timeout=20) == "stuck"
        _await(lambda: (channel := connect(served.path)) is None or channel.close())
        assert served.thread.is_alive()
    served.thread.join(20)
    assert not served.thread.is_alive()


def _await(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline


def test_it_ends_when_it_was_idle_for_the_time_that_the_last_command_gave(served: Served) -> None:
    with served.use("a", idle=60)[0], served.use("b", idle=0.05)[0]:
        served.await_clients(1)  # the first got the error of the driver
        served.thread.join(0.3)
        assert served.thread.is_alive()
    served.thread.join(20)
    assert not served.thread.is_alive()
    assert connect(served.path) is None


def test_it_stops_after_the_commands_that_use_it_and_takes_no_more(served: Served) -> None:
    served.use("failed")[0].close()
    running, _ = served.use("a")
    stopping = connect(served.path)
    assert stopping is not None
    reply = ask(stopping, {"verb": "stop"})
    assert reply is not None
    assert (reply["state"], len(reply["commands"])) == ("stopping", 1)
    assert connect(served.path) is None
    assert served.thread.is_alive()
    running.close()
    served.thread.join(20)
    assert not served.thread.is_alive()
    stopping.close()


def test_it_ends_at_once_when_its_lake_is_gone_even_if_a_command_uses_it(served: Served) -> None:
    served.use("failed")[0].close()
    with served.use("a")[0]:
        served.needed.clear()
        served.thread.join(20)
        assert not served.thread.is_alive()


def test_a_process_that_says_nothing_holds_up_nobody(served: Served) -> None:
    silent = connect(served.path)
    assert silent is not None
    with silent:
        assert served.ask("status")["state"] == "idle"
    broken = connect(served.path)
    assert broken is not None
    with broken:
        broken.sendall(b"not json\n")
        assert receive(broken) is None
    assert served.ask("status")["state"] == "idle"


def test_a_socket_that_another_process_has_put_in_place_stays(tmp_path: Path) -> None:
    path = tmp_path / "compute.sock"
    ours = listen(path)
    with removed_after(path):
        ours.close()
        theirs = listen(path)
    with theirs:
        channel = connect(path)
        assert channel is not None
        channel.close()


def test_the_reply_to_stop_is_sent_before_the_server_ends(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    running_at_reply: list[bool] = []

    def slow_send(channel: socket.socket, message: dict[str, Any]) -> None:
        served.thread.join(0.3)
        running_at_reply.append(served.thread.is_alive())
        send(channel, message)

    monkeypatch.setattr(compute_server, "send", slow_send)
    assert served.ask("stop")["state"] == "stopping"
    assert running_at_reply == [True]
