"""Two workers go for the same table at the same moment, again and again: one of them does it, once."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing.connection import Connection

import pytest

import headwater
from headwater.core.refresh_record import RefreshAction, RefreshState
from tests.faults import scene
from tests.fix_db import Catalog
from tests.processes import Partner
from tests.simulation.lake import Quick, playing

TIMES = int(os.environ.get("HEADWATER_PAIRS", "20"))


def refresh_when_told(talk: Connection, url: str, data_path: str) -> None:
    """Refresh a table each time that it is told the minute, and say how that ended."""
    with headwater.connect(url, data_path) as lake, playing(Quick()):
        while True:
            lake.clock = scene.Hasty(talk.recv())
            outcome = scene.refresh_once(lake)
            talk.send((outcome.state, outcome.action, outcome.leased, str(outcome.error)))


@pytest.mark.postgres
def test_of_two_workers_one_refreshes(new_catalog: Callable[[str], Catalog]) -> None:
    catalog = new_catalog("postgres")
    told = (catalog.url, catalog.data_path)
    with scene.make(*told) as lake, Partner(refresh_when_told, told) as one, Partner(refresh_when_told, told) as other:
        for number in range(TIMES):
            scene.change(lake, number)
            for each in (one, other):
                each.say(number + 1.0)
            answers = [each.hear() for each in (one, other)]
            for state, _, leased, error in answers:
                assert leased or state == RefreshState.SUCCEED, error
            assert sum(action not in (None, RefreshAction.NO_DATA) for _, action, _, _ in answers) == 1
            scene.check(lake)
        scene.finish(lake, TIMES + 1.0)
        scene.check_at_rest(lake)
