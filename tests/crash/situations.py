"""What leads a worker, or whoever refreshes by hand, to each named point."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import headwater
from headwater.core.crash import POINTS
from headwater.registry import leases, workers
from headwater.registry.workers import Worker
from headwater.service.lake import Lake
from tests import arrow_lake
from tests.faults import scene
from tests.simulation.lake import Quick, playing


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
    lake.database.write(lambda connection: connection.execute(workers.register_stmt(me, lake.database.kind)))


def _nothing(lake: Lake, number: int) -> None:
    """No change at all."""


SITUATIONS = dict.fromkeys(POINTS, Situation(scene.change)) | {
    "request-asked": Situation(_other_worker, refresh_by_hand),
    "idle-advanced": Situation(_other_rows),
    "idle-recorded": Situation(_nothing, refresh_by_hand),
    "abandoned-leases-freed": Situation(_dead_holder),
    "delete-file-written": Situation(_one_row_of_many),
    "frontier-written": Situation(_rows_without_partner),
    "frontier-moved": Situation(_rows_without_partner),
    "failure-recorded": Situation(scene.change, failing=True),
    "failure-counted": Situation(scene.change, failing=True),
}
