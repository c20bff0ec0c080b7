"""Old history is forgotten, but for what the scheduler goes on from."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import headwater
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshAction, RefreshRecord, RefreshState, RefreshTrigger
from headwater.lake.site import Site
from headwater.maintain.forget_history import forget_history
from headwater.maintain.steps import Rules
from headwater.registry import frontiers, history, install, requests
from headwater.registry.frontiers import Frontier
from headwater.registry.source_identity import SourceIdentity
from headwater.service import worker_jobs
from headwater.service.lake import Lake
from headwater.worker import loop
from headwater.worker.look import Look, look
from tests.fakes.clock import FakeClock
from tests.fakes.log import FakeLog
from tests.fix_db import Catalog

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def lake(catalog: Catalog) -> Iterator[Lake]:
    with headwater.connect(catalog.url, catalog.data_path) as opened:
        install.install(opened.database)
        yield Lake(opened.database, opened.data_path, FakeClock(NOW))


def _ran(
    lake: Lake, id: str, days: float, state: str = "SUCCEED", action: str | None = "FULL", snapshot: int | None = None
) -> None:
    """A refresh of the table that the id begins with, so many days ago, which took a minute."""
    at = NOW - timedelta(days=days)
    ended = None if state == "RUNNING" else at + timedelta(minutes=1)
    name = TableName("main", id[0])
    lake.database.execute(
        history.insert_stmt(
            RefreshRecord(
                id,
                ord(id[0]),
                name,
                "DEFAULT",
                RefreshState(state),
                RefreshTrigger.MANUAL,
                at,
                ended,
                RefreshAction(action) if action else None,
                lake_snapshot=snapshot,
            )
        ),
    )


def _left(lake: Lake) -> set[str]:
    with lake.reader() as reader:
        return {refresh.id for refresh in history.load(reader.connection)}


def test_what_is_needed_stays(lake: Lake) -> None:
    # Refreshed all the time: a week stays.
    for days in (1, 6, 8, 9, 30):
        _ran(lake, f"a{days}", days)
    # At rest for long: its last computation, its last success and its last row stay.
    for days, state, action in (
        (20, "FAILED", None),
        (21, "SUCCEED", "NO_DATA"),
        (22, "SUCCEED", "NO_DATA"),
        (23, "SKIPPED", None),
        (24, "SUCCEED", "FULL"),
        (25, "SUCCEED", "FULL"),
    ):
        _ran(lake, f"b{days}", days, state, action)
    # Never succeeded; one was left running by a process that died.
    for days, state in ((10, "FAILED"), (11, "FAILED"), (12, "RUNNING")):
        _ran(lake, f"c{days}", days, state, None)
    # Restored: its content is that of a version long ago.
    for days, snapshot in ((10, 5), (40, 4), (50, 3)):
        _ran(lake, f"d{days}", days, snapshot=snapshot)
    lake.database.execute(frontiers.insert_stmt(Frontier(ord("d"), 4, 4, 4, 1, SourceIdentity(), NOW)))
    # Began before the week, ended in it.
    _ran(lake, "e1", 1)
    _ran(lake, "e7", 7)

    assert forget_history(lake.site) == 8
    assert _left(lake) == {"a1", "a6", "b20", "b21", "b24", "c10", "c12", "d10", "d40", "e1", "e7"}
    assert forget_history(lake.site) == 0
    assert forget_history(lake.site, 0.5) == 2
    assert _left(lake) == {"a1", "b20", "b21", "b24", "c10", "c12", "d10", "d40", "e1"}


def test_answered_requests_go_and_open_ones_stay(lake: Lake) -> None:
    old = NOW - timedelta(days=8)
    ids = []
    for done in (old, NOW, None):
        request, statement = requests.request_stmt(1, old, "me")
        lake.database.execute(statement)
        ids.append(request)
        if done:
            lake.database.execute(requests.answer_stmt([request], done, "r"))
    forget_history(lake.site)
    with lake.reader() as reader:
        assert [requests.find(reader.connection, id) is not None for id in ids] == [False, True, True]


def test_a_worker_forgets_once_an_hour(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    for days in (1, 3, 5, 6):
        _ran(lake, f"a{days}", days)
    log = FakeLog()
    clock = lake.clock
    assert isinstance(clock, FakeClock)
    forgot_at: list[float] = []

    def half_an_hour_later(site: Site, *given: Any) -> Look:
        clock.ahead += timedelta(minutes=30)
        if clock.ahead == timedelta(minutes=150):
            os.kill(os.getpid(), signal.SIGTERM)
        return look(site, *given)

    def forget(site: Site, days: float) -> int:
        forgot_at.append(clock.ahead.total_seconds())
        return forget_history(site, days)

    monkeypatch.setattr(loop, "look", half_an_hour_later)
    monkeypatch.setattr(worker_jobs, "forget_history", forget)
    plan = worker_jobs.Plan(every=0.0, rules=Rules(history_days=4))
    worker_jobs.run_worker(lake.site, lake.compute, log, loop.WorkerOptions(poll_interval=0.1), plan)
    assert forgot_at == [1800, 5400, 9000]
    said = [(event, facts.get("rows")) for _, event, facts in log.all]
    # The clock of this worker is hours ahead, which it also says.
    own = [each for each in said if each[0] != "wrong clock"]
    assert own == [("worker started", None), ("history forgotten", 2), ("worker stopped", None)]
    assert _left(lake) == {"a1", "a3"}
