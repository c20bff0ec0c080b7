"""The seed of random tests, printed with the run, and what they counted."""

from __future__ import annotations

import os
from collections import Counter
from random import SystemRandom

import pytest

# One seed for `make test`, so that a change is judged by what it changed; `random` looks for new trouble, as long suites do.
DEFAULT = "20261115"
_given = os.environ.get("HEADWATER_SEED") or DEFAULT
SEED = SystemRandom().randrange(10**6) if _given == "random" else int(_given)
COUNTED: dict[str, Counter[str]] = {}


def pytest_report_header() -> str:
    return f"headwater: HEADWATER_SEED={SEED}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, counts in COUNTED.items():
        terminalreporter.section(f"{title}, HEADWATER_SEED={SEED}")
        terminalreporter.write_line("; ".join(f"{name} {count}" for name, count in counts.items()))


@pytest.fixture(scope="session")
def seed() -> int:
    """Set HEADWATER_SEED to repeat a run, or to `random`."""
    return SEED
