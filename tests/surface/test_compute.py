"""Commands of one lake compute in one background process, as if each computed itself."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headwater
from headwater.core.warehouse import Warehouse
from headwater.service.compute_client import compute_status, stop_compute
from headwater.service.compute_socket import ComputeFolder
from headwater.service.start_compute import start_compute
from tests.surface.conftest import DIFFERENCES, LATER, Cli
from tests.surface.test_interrupts import CHAIN, COMPUTING, _snapshot, _terminal
from tests.surface.worker_command import WorkerCommand

pytestmark = pytest.mark.spark

STARTED = re.compile(r"started a compute process for this lake \(pid (\d+)\)")


@pytest.fixture(autouse=True)
def _background(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Commands use a compute process, which ends with the test."""
    monkeypatch.setenv("HEADWATER_COMPUTE_IDLE", "60")
    yield
    if shop.exists():
        with headwater.connect(shop) as lake:
            stop_compute(lake.site)


def _start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "headwater", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    with _start(*arguments) as process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def _status(shop: Path) -> list[dict[str, Any]]:
    with headwater.connect(shop) as lake:
        return compute_status(lake.site)


def _await(holds: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def _await_idle(shop: Path) -> None:
    """Wait until the compute processes know that the commands have ended."""
    _await(lambda: not any(each["commands"] for each in _status(shop)))


def test_commands_share_one_process_that_outlives_them_and_a_killed_one_leaves_no_job(
    shop: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "hunter2")
    assert cli("compute", "stop").code == 1
    assert cli("compute", "status", "-o", "json").rows == []
    cli("sql", LATER)
    both = [_start("refresh", "tot", "-o", "json"), _start("verify", "big", "-o", "json")]
    outputs = [each.communicate(timeout=120) for each in both]
    assert [each.returncode for each in both] == [0, 0], outputs
    pids = STARTED.findall("".join(err for _, err in outputs))
    assert len(pids) == 1
    assert cli("sql", DIFFERENCES, "-o", "json").rows == []
    _await_idle(shop)
    (found,) = cli("compute", "status", "-o", "json").rows
    assert (found["pid"], found["state"], found["commands"]) == (int(pids[0]), "idle", "")
    environment = Path(f"/proc/{pids[0]}/environ").read_bytes().split(b"\0")
    assert not [each for each in environment if each.startswith((b"HEADWATER_", b"PG"))]

    # Ctrl-C and kill -9 end the command and its jobs, and nothing else.
    assert cli("sql", CHAIN).code == 0
    before = _snapshot(shop)
    for number in (signal.SIGINT, signal.SIGKILL):
        with _terminal("refresh", "endless") as (command, screen):
            screen.wait_for(COMPUTING)
            command.send_signal(number)
            assert command.wait(60) == (130 if number == signal.SIGINT else -signal.SIGKILL)
        # Its tasks end soon, or the process does, and the next command starts another.
        _await_idle(shop)
        verified = _run("verify", "tot", "-o", "json")
        assert verified.returncode == 0, verified.stderr
    assert _snapshot(shop) == before

    # A command whose compute process is killed fails; the next one starts another.
    (running,) = _status(shop)
    with _terminal("refresh", "endless") as (command, screen):
        screen.wait_for(COMPUTING)
        os.kill(running["pid"], signal.SIGKILL)
        assert command.wait(60) == 1
    assert b"The next refresh starts a new process." in screen.seen
    assert b"Traceback" not in screen.seen
    assert _snapshot(shop) == before
    again = _run("verify", "tot")
    assert again.returncode == 0, again.stderr
    (pid,) = STARTED.findall(again.stderr)

    _await_idle(shop)
    assert cli("compute", "stop").err == "1 compute process ended\n"
    _await(lambda: _has_ended(int(pid)))


def test_the_process_ends_with_its_lake(shop: Path) -> None:
    with headwater.connect(shop) as lake:
        path = ComputeFolder.of(lake.site).background(Warehouse())
        pid = start_compute(path, lake.site, Warehouse())
    _await(lambda: _status(shop))
    shutil.rmtree(shop)
    _await(lambda: _has_ended(pid))


def _has_ended(pid: int) -> bool:
    """Whether the process is gone, or a zombie of this one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_worker_takes_over_from_the_background_process(
    shop: Path, cli: Cli, start: Callable[..., WorkerCommand]
) -> None:
    with headwater.connect(shop) as lake:
        start_compute(ComputeFolder.of(lake.site).background(Warehouse()), lake.site, Warehouse())
    _await(lambda: _status(shop))
    worker = start("--lake", str(shop), "--poll-interval", "0.2")
    worker.wait_for(lambda line: line["event"] == "worker started")
    _await(lambda: not _status(shop))
    verified = _run("verify", "tot", "-o", "json")
    assert (verified.returncode, STARTED.search(verified.stderr)) == (0, None), verified.stderr
    created = _run("create", "CREATE DYNAMIC TABLE copy AS SELECT id, amount FROM orders")
    assert (created.returncode, STARTED.search(created.stderr)) == (0, None), created.stderr
    assert cli("sql", "FROM copy EXCEPT ALL SELECT id, amount FROM orders", "-o", "json").rows == []
