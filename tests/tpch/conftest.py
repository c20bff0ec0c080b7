"""The long suite's table: what each refresh did, and how long it took."""

from __future__ import annotations

import os
from collections import defaultdict

import pytest

from tests.tpch.streams import STREAMS

# By query and stream: what the refreshes did and the seconds that each took.
DONE: dict[tuple[int, str], list[tuple[str, float]]] = defaultdict(list)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not (DONE and os.environ.get("HEADWATER_TPCH")):
        return
    terminalreporter.section("TPC-H: what refreshes did, and their seconds (mean)")
    terminalreporter.write_line("query " + "".join(f"{stream:<34}" for stream in STREAMS))
    for number in sorted({query for query, _ in DONE}):
        terminalreporter.write_line(f"{number:<6}" + "".join(f"{_told(number, stream):<34}" for stream in STREAMS))


def _told(number: int, stream: str) -> str:
    done = DONE[number, stream]
    mean = sum(seconds for _, seconds in done) / len(done) if done else 0.0
    return f"{' / '.join(sorted({what for what, _ in done}))} {mean:.1f} s"
