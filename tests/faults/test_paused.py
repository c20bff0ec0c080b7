"""A process that is stopped past its lease and woken: another has done its work, and its own is refused."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import headwater
from headwater.registry import leases
from headwater.store import database
from tests.faults import scene
from tests.fix_db import Catalog
from tests.processes import PATIENCE, Partner
from tests.simulation.lake import Quick, playing


def refresh_and_stop(talk: Connection, url: str, data_path: str, point: str) -> None:
    """Refresh a table, and stop at a point until woken; how it ended."""
    leases.LEASE_SECONDS = scene.SHORT
    database.IDLE_TIMEOUT = scene.SHORT
    with headwater.connect(url, data_path) as lake, playing(Quick()):
        lake.clock = scene.Hasty(1.0)
        with scene.AtPoint(point, lambda: os.kill(os.getpid(), signal.SIGSTOP)):
            outcome = scene.refresh_once(lake)
        talk.send((outcome.state, outcome.reason or str(outcome.error)))


def _wait_until_stopped(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="whether a process is stopped is read in /proc")
def test_a_process_that_slept_through_its_lease_changes_nothing(catalog: Catalog) -> None:
    with scene.make(catalog.url, catalog.data_path) as lake:
        scene.change(lake, 1)
        with Partner(refresh_and_stop, (catalog.url, catalog.data_path, "staged")) as sleeper:
            _wait_until_stopped(sleeper.pid)
            assert leases.LEASE_SECONDS > scene.SHORT
            scene.finish(lake, 2.0)
            scene.check(lake)
            os.kill(sleeper.pid, signal.SIGCONT)
            state, reason = sleeper.hear()
        assert state == "SKIPPED", reason
        assert "lease" in reason
        scene.check_at_rest(lake)


@pytest.mark.parametrize("catalog_kind", ["postgres"])
def test_a_process_that_sleeps_in_its_commit_does_not_keep_others_from_theirs(catalog: Catalog) -> None:
    with scene.make(catalog.url, catalog.data_path) as lake:
        scene.change(lake, 1)
        with Partner(refresh_and_stop, (catalog.url, catalog.data_path, "rows-written")) as sleeper:
            _wait_until_stopped(sleeper.pid)
            scene.finish(lake, 2.0)
            scene.check(lake)
            os.kill(sleeper.pid, signal.SIGCONT)
            state, reason = sleeper.hear()
        assert state == "SKIPPED", reason
        scene.check_at_rest(lake)
