"""kill -9 at every named point that a worker comes to: another one finishes what it left."""

from __future__ import annotations

import os

import pytest

from headwater.core.crash import POINTS
from headwater.registry import requests, workers
from tests.crash.situations import SITUATIONS
from tests.faults import scene
from tests.fix_db import Catalog
from tests.processes import run_until_crash

TIMES = int(os.environ.get("HEADWATER_WORKER_CRASHES", "1"))


@pytest.mark.parametrize("turn", range(TIMES))
@pytest.mark.slow
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
