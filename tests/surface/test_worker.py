"""The worker: starts only if all is well, keeps tables fresh, goes when told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headwater
from headwater.core.errors import StoreUnreachable
from headwater.service import worker_jobs
from headwater.worker import loop
from tests.fakes.log import FakeLog
from tests.surface.conftest import DIFFERENCES, LATER, Cli
from tests.surface.worker_command import WorkerCommand


def test_all_that_is_wrong_is_told_before_starting(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_LOG_LEVEL", "loud")
    ran = cli("worker", "--lake", "nowhere", "--poll-interval", "0")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.splitlines() == [
        "the worker can't start, 3 problems:",
        "- log_level 'loud' is not one of debug, info, warning, error",
        '- catalog: no lake in "nowhere" (Run headwater init, or choose another lake with --lake.)',
        "- poll interval: 0 seconds can't be the poll interval (Choose 0.1 to 3600 seconds.)",
    ]
    assert cli("worker", "--lake", "a", "--pg-url", "postgresql://b/c").code == 2


def test_one_pass_refreshes_what_is_due(cli: Cli, shop: Path) -> None:
    cli("sql", LATER)
    cli("alter", "tot", "SET TARGET_LAG = '1 second'")
    time.sleep(1)
    ran = cli("worker", "--once")
    assert ran.code == 0, ran.err
    events = [json.loads(line) for line in ran.err.splitlines()]
    assert [event["event"] for event in events] == ["worker started", "refresh", "refresh", "worker stopped"]
    assert [(event["table"], event["state"]) for event in events[1:3]] == [
        ('"main"."big"', "SUCCEED"),
        ('"main"."tot"', "SUCCEED"),
    ]
    assert cli("sql", DIFFERENCES, "-o", "csv").out == "name,s,n\n"
    assert cli("workers", "-o", "csv").out.count("\n") == 1


def test_a_worker_follows_changes_until_sigterm(
    cli: Cli, shop: Path, start: Callable[..., WorkerCommand], monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("alter", "tot", "SET TARGET_LAG = '1 second'")
    cli("sql", LATER)
    monkeypatch.setenv("HEADWATER_POLL_INTERVAL", "0.2")
    worker = start("--lake", str(shop))
    worker.wait_for(lambda line: line["event"] == "worker started")
    (row,) = cli("workers", "-o", "json").rows
    assert row["pid"] == worker.process.pid

    second = cli("worker", "--once")
    assert second.code == 1
    assert f":{worker.process.pid} already serves this lake" in second.err

    def refreshed(line: dict[str, Any]) -> bool:
        return line["event"] == "refresh" and line["table"] == '"main"."tot"' and line["state"] == "SUCCEED"

    worker.wait_for(refreshed)
    cli("sql", "DELETE FROM orders WHERE id = 3; INSERT INTO orders VALUES (6, 1, NULL), (6, 1, 4)")
    worker.wait_for(lambda line: refreshed(line) and line["rows_inserted"] + line["rows_deleted"] > 0)
    worker.process.send_signal(signal.SIGTERM)
    worker.wait_for(lambda line: line["event"] == "worker stopped")
    assert worker.process.wait(60) == 0
    assert cli("workers", "-o", "csv").out.count("\n") == 1
    assert cli("sql", DIFFERENCES, "-o", "csv").out == "name,s,n\n"


def test_a_worker_that_was_killed_is_not_waited_for(cli: Cli, shop: Path, start: Callable[..., WorkerCommand]) -> None:
    worker = start("--lake", str(shop), "--poll-interval", "60")
    worker.wait_for(lambda line: line["event"] == "worker started")
    worker.process.kill()
    worker.process.wait()
    assert len(cli("workers", "-o", "json").rows) == 1
    assert cli("worker", "--once").code == 0


def test_a_second_signal_ends_at_once(folder: Path) -> None:
    program = """
import sys, time
import headwater
from headwater.cli.logs import logger
from headwater.service import worker_jobs
from headwater.worker import loop

def look(*given):
    sys.stdout.write("busy\\n")
    sys.stdout.flush()
    time.sleep(60)

loop.look = look
with headwater.connect("lake") as lake:
    worker_jobs.run_worker(lake.site, lake.compute, logger("error"))
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM


def test_a_pass_that_fails_is_logged_and_tried_again(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = FakeLog()
    real: Any = loop.look

    def look(*given: Any) -> object:
        if len(log.all) == 1:
            raise StoreUnreachable("no connection")
        if len(log.all) == 2:
            raise ZeroDivisionError
        os.kill(os.getpid(), signal.SIGTERM)
        return real(*given)

    monkeypatch.setattr(loop, "look", look)
    with headwater.connect(shop) as lake:
        worker_jobs.run_worker(lake.site, lake.compute, log, loop.WorkerOptions(poll_interval=60))
    assert [event for _, event, _ in log.all] == ["worker started", "pass failed", "pass failed", "worker stopped"]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
