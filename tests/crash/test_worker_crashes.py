"""kill -9 at every named point that a worker comes to: another one finishes what it left."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

import headwater
from headwater.core.crash import POINTS
from headwater.registry import leases, requests, workers
from headwater.registry.workers import Worker
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.faults import scene
from tests.fix_db import Catalog
from tests.processes import run_until_crash
from tests.simulation.lake import Quick, playing

TIMES = int(os.environ.get("HEADWATER_WORKER_CRASHES", "1"))


@dataclass(frozen=True, slots=True)
class Situation:
    """What leads a process to a point: what happened before, and what the process does."""

    before: Callable[[Lake, int], None]
    process: Callable[..., None] = scene.work
    failing: bool = False


def refresh_by_hand(url: str, data_path: str, minutes: float, failing: bool) -> None:
    """Refresh a table, by a worker if there is one."""
    with headwater.connect(url, data_path) as lake, playing(Quick()):
        lake.refresh("sums")


def _other_rows(lake: Lake, number: int) -> None:
    """Rows of a table that no dynamic table reads."""
    arrow_lake.append(lake, "other", [(number,)])


def _rows_without_partner(lake: Lake, number: int) -> None:
    """Rows that no join finds."""
    arrow_lake.append(lake, "t", [(None, number)])


def _one_row_of_many(lake: Lake, number: int) -> None:
    """A change of one group, after one of all: where all rows of a file go, it needs no delete file."""
    arrow_lake.append(lake, "t", [(key, number) for key in range(4)])
    scene.finish(lake, 3.0 * number + 1)
    arrow_lake.append(lake, "t", [(0, number)])


def _dead_holder(lake: Lake, number: int) -> None:
    """The lease of one who has been silent for long."""
    scene.change(lake, number)
    assert leases.take(lake.database, lake.describe("sums").table.id)
    scene.expire_leases(lake)


def _other_worker(lake: Lake, number: int) -> None:
    """Somebody who can be asked."""
    scene.change(lake, number)
    me = Worker("other", socket.gethostname(), os.getpid(), "0", datetime.now(UTC))
    lake.database.write(lambda connection: connection.execute(workers.came(me, lake.database.kind)))


def _nothing(lake: Lake, number: int) -> None:
    """No change at all."""


SITUATIONS = dict.fromkeys(POINTS, Situation(scene.change)) | {
    "request-asked": Situation(_other_worker, refresh_by_hand),
    "idle-advanced": Situation(_other_rows),
    "idle-recorded": Situation(_nothing, refresh_by_hand),
    "dead-buried": Situation(_dead_holder),
    "delete-file-written": Situation(_one_row_of_many),
    "frontier-written": Situation(_rows_without_partner),
    "frontier-moved": Situation(_rows_without_partner),
    "failure-recorded": Situation(scene.change, failing=True),
    "failure-counted": Situation(scene.change, failing=True),
}


@pytest.mark.parametrize("turn", range(TIMES))
def test_another_worker_finishes_what_one_left_that_was_killed_at_any_point(catalog: Catalog, turn: int) -> None:
    with scene.make(catalog.url, catalog.data_path) as lake:
        # Each turn has a lake of its own, for the joins of a lake with many changes grow.
        for number, point in enumerate(POINTS, turn):
            situation = SITUATIONS[point]
            situation.before(lake, number)
            told = (catalog.url, catalog.data_path, 3.0 * number + 2, situation.failing)
            assert run_until_crash(situation.process, told, point) == -9, point
            scene.check(lake)
            scene.expire_leases(lake)
            scene.finish(lake, 3.0 * number + 3)
            scene.check_at_rest(lake)
            with lake.reader() as reader:
                assert not requests.open_requests(reader.connection)
                assert not workers.living(reader.connection, lake.database.kind)
