"""Who waits for a refresh sees how far it is: on a terminal, and through a worker too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

import headwater
from headwater.cli import progress
from headwater.cli.command import Call
from headwater.cli.output import Format
from headwater.cli.progress import shown_progress, watched_wait
from headwater.cli.settings import load
from headwater.core.names import TableName
from headwater.refresh.engine import Work
from headwater.refresh.progress import Elsewhere, Ended, Progress, ProgressEvent, Waiting
from tests.surface.conftest import DIFFERENCES, LATER, Cli
from tests.surface.worker_command import WorkerCommand

_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SLOW = (
    "CREATE TABLE nums AS SELECT CAST(i AS BIGINT) AS i FROM range(6000) t(i);"
    "CREATE DYNAMIC TABLE slow INITIALIZE = ON_SCHEDULE AS"
    " SELECT a.i % 7 AS k, count(*) AS n FROM nums a CROSS JOIN nums b WHERE (a.i * b.i) % 3 = 1 GROUP BY a.i % 7"
)
# The same, without making all pairs.
COUNTED = """
    SELECT a.k, CAST(sum(a.c * b.c) AS BIGINT) FROM (SELECT i % 7 AS k, i % 3 AS r, count(*) AS c FROM nums GROUP BY ALL) a
    JOIN (SELECT i % 3 AS r, count(*) AS c FROM nums GROUP BY ALL) b ON (a.r * b.r) % 3 = 1 GROUP BY a.k
"""


class Screen(StringIO):
    """What a terminal is sent."""

    terminal = True

    def wait_for(self, text: str) -> None:
        """Wait until it has been sent this text."""
        until = time.monotonic() + 30
        while text not in self.getvalue():
            assert time.monotonic() < until, self.getvalue()
            time.sleep(0.01)

    def isatty(self) -> bool:
        return self.terminal


def test_a_terminal_shows_progress_beside_the_outcome(shop: Path, cli: Cli) -> None:
    cli("sql", LATER)
    code, out, err = _on_terminal("refresh", "tot", "-o", "csv")
    assert (code, out.splitlines()[1].split(",")[:2]) == (0, ["main.tot", "SUCCEED"])
    for line in ("refreshing …", r"main\.big  [A-Z]+", r"main\.tot  [A-Z]+", r"main\.tot [A-Z]+, \+2 -2 rows"):
        assert re.search(line, err)


@pytest.mark.parametrize(
    ("output", "terminal", "shown"), [("table", True, True), ("json", True, True), ("table", False, False)]
)
def test_progress_is_for_people_who_look(
    folder: Path, monkeypatch: pytest.MonkeyPatch, output: str, terminal: bool, shown: bool
) -> None:
    screen = Screen()
    screen.terminal = terminal
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    event = Progress("1", TableName("s", "t\x1b[31m"), "FULL", Work(2, 5, 42, 200, 1_204_000))
    with headwater.connect("lake") as lake:
        with shown_progress(Call(load({}, {}, folder), Format(output)), lake, "running …"):
            assert lake.compute.watch is not None
            lake.compute.watch(event)
            screen.wait_for("42 of 200 tasks" if shown else "")
            lake.compute.watch(Ended("1"))
        assert lake.compute.watch is None
    text = _STEERING.sub("", screen.getvalue())
    assert ("s.t\\x1b[31m  FULL  stage 3/5, 42 of 200 tasks, 1,204,000 rows read" in text) == shown
    assert bool(text) == shown


def test_where_there_is_no_terminal_a_line_says_now_and_then_what_is_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen()
    screen.terminal = False
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "EVERY", 0.05)
    with headwater.connect("lake") as lake, watched_wait(lake, "refreshing …"):
        screen.wait_for("refreshing …  0 s\n")
        assert lake.compute.watch is not None
        lake.compute.watch(Waiting("starting Spark …"))
        screen.wait_for("starting Spark …  0 s\n")
        lake.compute.watch(Waiting())
        lake.compute.watch(Progress("1", TableName("s", "t"), "FULL", Work(2, 5, 42, 200, 7)))
        screen.wait_for("s.t  FULL  stage 3/5, 42 of 200 tasks, 7 rows read  ")
    assert "\x1b" not in screen.getvalue()


def test_a_command_on_a_terminal_is_never_silent(shop: Path, cli: Cli) -> None:
    cli("sql", LATER)
    ours, theirs = os.openpty()
    env = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC", "TERM": "xterm"}
    command = subprocess.Popen(
        [sys.executable, "-m", "headwater", "refresh", "tot"], stdout=theirs, stderr=theirs, env=env
    )
    os.close(theirs)
    seen, last, gaps = b"", time.monotonic(), [0.0]
    while chunk := _read(ours):
        now = time.monotonic()
        if seen:
            gaps.append(now - last)
        seen, last = seen + chunk, now
    os.close(ours)
    assert command.wait() == 0
    shown = _STEERING.sub("", seen.decode())
    # A pause of the whole machine may hold up one drawing, but the start of Spark takes several seconds.
    assert max(gaps) < 3, shown
    starting, computing = shown.rindex("starting Spark …"), shown.index("main.tot  ")
    assert starting < computing
    assert len(set(re.findall(r"starting Spark …  (\d+) s", shown))) > 1
    assert cli("sql", DIFFERENCES, "-o", "csv").out == "name,s,n\n"


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the command has closed the other end
        return b""


def test_who_asks_a_worker_follows_it(shop: Path, cli: Cli, start: Callable[..., WorkerCommand]) -> None:
    worker = start("--lake", str(shop), "--poll-interval", "0.2")
    worker.wait_for(lambda line: line["event"] == "worker started")
    heard: list[ProgressEvent] = []
    with headwater.connect(shop) as lake:
        lake.sql(SLOW)
        with lake.watched(heard.append):
            assert [(o.state, o.action) for o in lake.refresh("slow")] == [("SUCCEED", "REINITIALIZE")]
        assert lake.sql(f"(FROM slow EXCEPT ALL {COUNTED}) UNION ALL ({COUNTED} EXCEPT ALL FROM slow)").rows == ()
    assert heard[-1] == Elsewhere()
    lines = [line for event in heard if isinstance(event, Elsewhere) for line in event.lines]
    assert any(re.search(rf":{worker.process.pid}  main\.slow  REINITIALIZE  stage \d/\d, ", line) for line in lines)
    deadline = time.monotonic() + 60
    while cli("workers", "-o", "json").rows[0]["doing"] is not None:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _on_terminal(*arguments: str) -> tuple[int, str, str]:
    """Run a command whose stderr is a terminal; its exit code, its stdout, and what the terminal was sent."""
    ours, theirs = os.openpty()
    quick = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseParallelGC", "TERM": "xterm"}
    command = [sys.executable, "-m", "headwater", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=quick) as process:
        os.close(theirs)
        sent = b""
        # A terminal whose other end is closed fails to be read.
        while chunk := _read(ours):
            sent += chunk
        assert process.stdout is not None
        out = process.stdout.read()
    os.close(ours)
    said = [line for line in _STEERING.sub("", sent.decode()).splitlines() if not line.startswith("Picked up JAVA")]
    return process.returncode, out, "\n".join(said)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
