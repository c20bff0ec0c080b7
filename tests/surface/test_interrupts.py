"""Ctrl-C cancels what a command computes: soon, without a trace in the lake, and without a traceback."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import headwater
from headwater.refresh.find import all_tables
from headwater.registry import leases
from tests.surface.conftest import DIFFERENCES, LATER, Cli
from tests.surface.worker_command import WorkerCommand

# 3,000,000 rows with 50,000 each, which take minutes. Spark cancels a task between rows of the first table's file.
ENDLESS = "AS SELECT count(*) AS n FROM nums a, few b WHERE a.i * b.i % 7919 = a.i % 13"
NUMS = (
    "CREATE TABLE nums AS SELECT CAST(i AS BIGINT) AS i FROM range({}) t(i);"
    "CREATE TABLE few AS SELECT CAST(i AS BIGINT) AS i FROM range({}) t(i);"
)
MANY = (3_000_000, 50_000)
CHAIN = (
    f"{NUMS.format(3, 3)} CREATE DYNAMIC TABLE endless REFRESH_MODE = FULL {ENDLESS};"
    "CREATE DYNAMIC TABLE after_endless AS SELECT n + 1 AS m FROM endless;"
    f"INSERT INTO nums FROM range({MANY[0]}); INSERT INTO few FROM range({MANY[1]})"
)
COMPUTING = re.compile(rb"endless  [A-Z]+  stage")


def test_ctrl_c_cancels_a_refresh_and_what_comes_after_it(shop: Path, cli: Cli) -> None:
    cli("sql", CHAIN)
    before = _snapshot(shop)
    with _terminal("refresh", "after_endless") as (command, screen):
        screen.wait_for(COMPUTING)
        command.send_signal(signal.SIGINT)
        screen.wait_for(re.compile("cancelling …".encode()))
        assert command.wait(60) == 130
    assert b"Traceback" not in screen.seen
    assert _snapshot(shop) == before
    history = [(row["name"], row["state"]) for row in cli("history", "-o", "json").rows]
    assert history[:3] == [("endless", "CANCELLED"), ("after_endless", "SUCCEED"), ("endless", "SUCCEED")]
    with headwater.connect(shop) as lake:
        with lake.reader() as reader:
            endless = next(table for table in all_tables(reader) if table.name.name == "endless")
        assert leases.take(lake.database, endless.id) is not None


def test_two_ctrl_c_end_create_at_once_and_nothing_is_created(shop: Path, cli: Cli) -> None:
    cli("sql", NUMS.format(*MANY))
    before = _snapshot(shop)
    with _terminal("create", f"CREATE DYNAMIC TABLE endless {ENDLESS}") as (command, screen):
        screen.wait_for(COMPUTING)
        command.send_signal(signal.SIGINT)
        screen.wait_for(re.compile("cancelling …".encode()))
        command.send_signal(signal.SIGINT)
        assert command.wait(60) == 130
    assert b"Traceback" not in screen.seen
    assert _snapshot(shop) == before
    assert cli("sql", "SHOW DYNAMIC TABLES LIKE 'endless'", "-o", "json").rows == []


def test_ctrl_c_cancels_what_a_worker_does_for_the_command(
    shop: Path, cli: Cli, start: Callable[..., WorkerCommand]
) -> None:
    cli("sql", CHAIN)
    worker = start("--lake", str(shop), "--poll-interval", "0.2")
    worker.wait_for(lambda line: line["event"] == "worker started")
    with _terminal("refresh", "endless") as (command, screen):
        screen.wait_for(re.compile(rb"worker .*stage"))
        command.send_signal(signal.SIGINT)
        assert command.wait(60) == 130
    assert b"Traceback" not in screen.seen
    worker.wait_for(lambda line: line["event"] == "refresh" and line["state"] == "CANCELLED")
    states = [row["state"] for row in cli("history", "endless", "-o", "json").rows]
    assert (states[0], states.count("CANCELLED")) == ("CANCELLED", 1)
    cli("sql", LATER)
    assert cli("refresh", "tot").code == 0
    assert cli("sql", DIFFERENCES, "-o", "csv").out == "name,s,n\n"


PROGRAM = f"""
import os, signal, threading
import headwater
from headwater.refresh.progress import Progress

def interrupt(event):
    if isinstance(event, Progress) and event.work.stages:
        os.kill(os.getpid(), signal.SIGINT)

with headwater.connect("lake") as lake:
    def interrupted(*calls):
        for call in calls:
            try:
                with lake.watched(interrupt):
                    call()
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            # What was interrupted reports its progress until it has ended.
            for thread in threading.enumerate():
                if thread.name == "headwater-work":
                    thread.join()

    interrupted(
        lambda: lake.refresh("after_endless"),
        lambda: lake.sql({f"CREATE DYNAMIC TABLE other {ENDLESS}"!r}),
        lambda: lake.sql("REFRESH DYNAMIC TABLE endless"),
    )
    (outcome,) = lake.refresh("tot")
    print(outcome.state, lake.verify("tot").equal, sorted(table.name for table in lake.tables()))
"""


def test_ctrl_c_ends_a_query_on_duckdb(shop: Path) -> None:
    with _terminal(
        "sql", "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range * b.range % 7 = 3"
    ) as (
        command,
        screen,
    ):
        duckdb = _child_of(command.pid)
        command.send_signal(signal.SIGINT)
        assert command.wait(60) == 130
        screen.read_all()
    assert "cancelling …" in screen.seen.decode()
    assert b"Traceback" not in screen.seen
    select.select([duckdb], [], [])
    os.close(duckdb)


def test_a_program_goes_on_after_an_interrupted_call(shop: Path, cli: Cli) -> None:
    cli("sql", f"{LATER}; {CHAIN}")
    quick = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC"}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=quick, check=False)
    tables = ["after_endless", "big", "customers", "endless", "few", "nums", "orders", "tot"]
    assert ran.stdout.splitlines() == [*["interrupted"] * 3, f"SUCCEED True {tables}"], ran.stderr
    states = [row["state"] for row in cli("history", "endless", "-o", "json").rows]
    assert (states[:2], states.count("CANCELLED")) == (["CANCELLED"] * 2, 2)
    assert cli("sql", DIFFERENCES, "-o", "csv").out == "name,s,n\n"


def _child_of(pid: int) -> int:
    """A descriptor of a process's child, once there is one; it is readable when the child has ended."""
    while not (children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
        time.sleep(0.01)
    return os.pidfd_open(int(children[0]))


def _snapshot(shop: Path) -> int:
    with headwater.connect(shop) as lake:
        return lake.snapshots()[-1].id


class Screen:
    """What a command has sent to its terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self.seen = b""

    def wait_for(self, pattern: re.Pattern[bytes]) -> None:
        while not pattern.search(self.seen):
            chunk = self._read()
            assert chunk, self.seen.decode()
            self.seen += chunk

    def read_all(self) -> None:
        while chunk := self._read():
            self.seen += chunk

    def _read(self) -> bytes:
        try:
            return os.read(self._terminal, 65536)
        except OSError:  # the command has closed the other end
            return b""


@contextmanager
def _terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], Screen]]:
    """A command whose stdout and stderr are a terminal."""
    ours, theirs = os.openpty()
    env = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC", "TERM": "xterm"}
    command = subprocess.Popen([sys.executable, "-m", "headwater", *arguments], stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    screen = Screen(ours)
    try:
        yield command, screen
        screen.read_all()
    finally:
        command.kill()
        command.wait()
        os.close(ours)
