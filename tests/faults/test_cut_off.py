"""A worker loses its connections to PostgreSQL: cut, held up, or with the answer to its commit lost."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import headwater
from headwater.registry import leases
from headwater.service.lake import Lake
from tests.faults import scene
from tests.faults.proxy import Proxy
from tests.postgres import Postgres
from tests.simulation.lake import Quick, playing

TIMES = int(os.environ.get("HEADWATER_CUTS", "1"))
SILENCE = os.environ.get("HEADWATER_SILENCE")
STALLS = tuple(map(float, os.environ.get("HEADWATER_STALLS", "1").split(",")))


@pytest.fixture
def there(postgres: Postgres, postgres_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A lake on PostgreSQL, reached without detours."""
    monkeypatch.setattr(leases, "LEASE_SECONDS", scene.SHORT)
    return scene.make(postgres.url(postgres_database), f"{tmp_path}/data/")


def _through(proxy: Proxy, lake: Lake) -> Lake:
    url = lake.database.url.set(port=proxy.port).render_as_string(hide_password=False)
    return headwater.connect(url, lake.data_path)


@pytest.mark.parametrize("point", ["announced", "rows-written", "landed"])
def test_a_worker_that_is_cut_off_goes_on_when_it_can(there: Lake, postgres: Postgres, point: str) -> None:
    with there, Proxy(postgres.port) as proxy, _through(proxy, there) as lake:
        for number in range(TIMES):
            scene.change(there, number)
            with scene.AtPoint(point, lambda: proxy.cut(refused=2)) as at:
                scene.finish(lake, number + 1.0)
            assert at.reached
            scene.check_at_rest(there)


def test_a_commit_whose_answer_is_lost_is_settled(there: Lake, postgres: Postgres) -> None:
    with there, Proxy(postgres.port) as proxy, _through(proxy, there) as lake, playing(Quick()):
        for number in range(TIMES):
            lake.clock = scene.Hasty(2.0 * number + 1)
            scene.change(there, number)
            with scene.AtPoint("rows-written", proxy.lose_an_answer) as at:
                outcome = scene.refresh_once(lake)
            assert at.reached
            assert (outcome.state, outcome.rows_inserted > 0) == ("SUCCEED", True), outcome
            scene.check(there)
            scene.finish(there, 2.0 * number + 2)
            scene.check_at_rest(there)


def test_a_commit_is_settled_later_if_the_server_is_away_for_a_while(there: Lake, postgres: Postgres) -> None:
    with there, Proxy(postgres.port) as proxy, _through(proxy, there) as lake, playing(Quick()):
        lake.clock = scene.Hasty(1.0)
        scene.change(there, 1)

        with scene.AtPoint("rows-written", partial(proxy.lose_an_answer, refused=1)):
            outcome = scene.refresh_once(lake)
        assert (outcome.state, outcome.rows_inserted > 0) == ("SUCCEED", True), outcome
        scene.check(there)
        assert [row.state for row in there.history("sums")][:1] == ["SUCCEED"]


@pytest.mark.parametrize("point", ["announced", "rows-written"])
def test_a_worker_whose_line_is_held_up_waits(there: Lake, postgres: Postgres, point: str) -> None:
    with there, Proxy(postgres.port) as proxy, _through(proxy, there) as lake:
        for number, seconds in enumerate(STALLS):
            scene.change(there, number)

            with scene.AtPoint(point, partial(proxy.stall, seconds)) as at:
                scene.finish(lake, number + 1.0)
            assert at.reached
            scene.check_at_rest(there)


@pytest.mark.postgres
@pytest.mark.skipif(not SILENCE, reason="it takes a minute; the long suite cuts has it")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can have a network of its own, and take it down")
def test_a_line_that_went_dead_without_a_word_is_given_up() -> None:
    command = ["unshare", "--net", sys.executable, "-m", "tests.faults.silence", str(SILENCE)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [float(line) < 60 for line in ran.stdout.split()] == [True, True], ran.stdout
