"""The seed of random tests, printed with the run, and what they counted."""

from __future__ import annotations

import os
from collections import Counter
from random import SystemRandom

import pytest

SEED = int(os.environ.get("HEADWATER_SEED") or SystemRandom().randrange(10**6))
COUNTED: dict[str, Counter[str]] = {}


def pytest_report_header() -> str:
    return f"headwater: HEADWATER_SEED={SEED}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, counts in COUNTED.items():
        terminalreporter.section(f"{title}, HEADWATER_SEED={SEED}")
        terminalreporter.write_line("; ".join(f"{name} {count}" for name, count in counts.items()))


@pytest.fixture(scope="session")
def seed() -> int:
    """Set HEADWATER_SEED to repeat a run."""
    return SEED
