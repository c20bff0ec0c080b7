"""The seed of random tests, printed with the run, and what they counted."""

from __future__ import annotations

import os
from collections import Counter
from random import SystemRandom
from typing import Any

import pytest

# One seed for `make test`, so that a change is judged by what it changed; `random` looks for new trouble, as long suites do.
DEFAULT = "20261115"
_given = os.environ.get("HEADWATER_SEED") or DEFAULT
SEED = SystemRandom().randrange(10**6) if _given == "random" else int(_given)
# Processes of pytest-xdist inherit the drawn seed.
if _given == "random":
    os.environ["HEADWATER_SEED"] = str(SEED)
COUNTED: dict[str, Counter[str]] = {}


def pytest_report_header() -> str:
    return f"headwater: HEADWATER_SEED={SEED}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of pytest-xdist hands over what its tests counted."""
    handed_over = getattr(session.config, "workeroutput", None)
    if handed_over is not None:
        handed_over["counted"] = {
            title: {str(name): count for name, count in counts.items()} for title, counts in COUNTED.items()
        }


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The sum of what the processes counted."""
    # A process that died has handed over nothing.
    for title, counts in getattr(node, "workeroutput", {}).get("counted", {}).items():
        COUNTED.setdefault(title, Counter()).update(counts)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, counts in COUNTED.items():
        terminalreporter.section(f"{title}, HEADWATER_SEED={SEED}")
        terminalreporter.write_line("; ".join(f"{name} {count}" for name, count in counts.items()))


@pytest.fixture(scope="session")
def seed() -> int:
    """Set HEADWATER_SEED to repeat a run, or to `random`."""
    return SEED
