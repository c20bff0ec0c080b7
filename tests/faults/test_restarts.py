"""PostgreSQL dies under a worker and comes back: nothing is lost or doubled, whatever had been begun."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.registry import leases
from tests.faults import scene
from tests.postgres import Postgres, run_postgres

TIMES = int(os.environ.get("HEADWATER_RESTARTS", "3"))
# In the middle of a refresh, in the middle of its commit, and right after it; then all the others.
POINTS = (
    "announced",
    "rows-written",
    "landed",
    "lease-wanted",
    "lease-taken",
    "staged",
    "snapshot-claimed",
    "delete-file-written",
    "lease-returned",
)


@pytest.fixture
def durable() -> Iterator[Postgres]:
    with run_postgres(durable=True) as server:
        yield server


@pytest.mark.postgres
def test_a_worker_outlives_a_server_that_is_restarted(
    durable: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", scene.SHORT)
    with scene.make(durable.url(durable.new_database()), f"{tmp_path}/data/") as lake:
        for number in range(TIMES):
            scene.change(lake, number)
            with scene.AtPoint(POINTS[number % len(POINTS)], durable.crash) as at:
                scene.finish(lake, number + 1.0, longest=4.0)
            assert at.reached, POINTS[number % len(POINTS)]
            scene.check_at_rest(lake)
