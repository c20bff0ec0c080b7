"""A worker that is watched: a scrape shows what it did, an alert comes when a refresh fails."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import headwater
from headwater.core.clock import SystemClock
from headwater.observe import families as f
from headwater.refresh.find import find_dynamic
from headwater.registry import definitions
from headwater.service import worker_jobs
from headwater.sql.parse_names import parse_name
from headwater.worker import loop
from headwater.worker.reporting import ReportingOptions
from tests.fakes.log import FakeLog
from tests.observe.endpoint import endpoint
from tests.observe.scrape import Page
from tests.surface.conftest import LATER, Cli


class Impatient(SystemClock):
    """Waits for nothing, so that a refresh is tried again at once."""

    def sleep(self, seconds: float) -> None:
        pass


def test_a_worker_can_be_scraped_and_tells_of_failures(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = loop.look
    lines, pages = FakeLog(), list[Page]()

    def look(*given: Any) -> Any:
        if not pages and {line["table"] for line in lines.of("refresh")} >= {'"main"."bad"', '"main"."big"'}:
            (served,) = lines.of("metrics served")
            pages.append(Page(served["address"].removesuffix("/metrics")))
            os.kill(os.getpid(), signal.SIGTERM)
        return real(*given)

    monkeypatch.setattr(loop, "look", look)
    with headwater.connect(shop) as lake, endpoint() as there:
        lake.clock = Impatient()
        lake.sql(
            "CREATE DYNAMIC TABLE bad TARGET_LAG = '1 second' INITIALIZE = ON_SCHEDULE AS"
            " SELECT id, 1 / (id - 1) AS x FROM customers"
        )
        lake.sql(LATER)
        lake.sql("ALTER DYNAMIC TABLE big SET TARGET_LAG = '1 second'")
        # One more failure is the fifth.
        with lake.reader() as reader:
            bad = find_dynamic(reader, parse_name("bad"))
        lake.database.execute(definitions.count_failure_stmt(bad.id, 4, None))
        outlets = ReportingOptions(0, webhooks=(there.url,), overdue_after=0)
        worker_jobs.run_worker(lake.site, lake.compute, lines, loop.WorkerOptions(poll_interval=0.2, outlets=outlets))
        (failed,) = (row for row in lake.history("bad") if row.state == "FAILED")
        (page,) = pages
        failures = [alert for alert in there.bodies if alert["event"] == "refresh_failed"]
        suspended = [alert for alert in there.bodies if alert["event"] == "table_suspended"]

    assert [(alert["table"], alert["refresh_id"]) for alert in failures] == [("main.bad", failed.id)]
    assert failures[0]["error"]["code"] == "HW-RUN-001"
    assert [(alert["table"], alert["lake"]) for alert in suspended] == [
        ("main.bad", lake.database.display_url.strip('"'))
    ]
    assert {line["worker"] for _, _, line in lines.all} == {lines.of("worker started")[0]["worker"]}
    assert {line["refresh_id"] for line in lines.of("refresh") if line["table"] == '"main"."bad"'} == {failed.id}
    assert page("headwater_refreshes_total", "main.bad", "none", "none", "FAILED") == 1
    assert page("headwater_errors_total", "main.bad", "HW-RUN-001") == 1
    (computed,) = (key for key in page if key[0] == "headwater_refreshes_total" and "main.big" in key)
    assert "SUCCEED" in computed
    assert (page("headwater_bytes_read_total", "main.big") or 0) > 0
    assert page("headwater_lag_seconds", "main.big") == 0
    assert page("headwater_target_lag_seconds", "main.big") == 1
    assert page("headwater_failures_in_a_row", "main.bad") == 5
    assert page("headwater_suspended", "main.bad") == 1
    assert page("headwater_workers") == 1
    assert (page("headwater_passes_total", "ok") or 0) >= 1
    described = {family.name for family in page.families}
    assert {each.name.removesuffix("_total") for each in (*f.WORKER_METRICS, *f.LAKE_GAUGES)} <= described


def test_a_port_in_use_is_told_with_all_that_keeps_a_worker_from_starting(cli: Cli) -> None:
    with endpoint() as there:
        port = there.url.rpartition(":")[2].partition("/")[0]
        ran = cli("worker", "--lake", "nowhere", "--metrics-port", port)
    assert ran.code == 1
    assert f"- metrics: metrics can't be served on 127.0.0.1:{port}: Address already in use." in ran.err
