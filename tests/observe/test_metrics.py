"""What happens is counted, what the lake looks like is read when asked, over HTTP."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from headwater.core.errors import InvalidRequest, StoreUnreachable
from headwater.core.names import TableName
from headwater.core.refresh_record import RefreshState, SuspendedBy
from headwater.core.table_status import Suspension, TableCondition, TableStatus
from headwater.observe import families as f
from headwater.observe.gauges import Gauges
from headwater.observe.lake_state import LakeState
from headwater.observe.metrics import Metrics
from headwater.observe.server import serving
from tests.observe import happened as h
from tests.observe.scrape import Page

LOOK = LakeState(
    h.NOON,
    tables=(
        TableStatus(1, h.TABLE, TableCondition.ACTIVE, "", 65.0, 60.0, failures=2),
        TableStatus(
            2,
            TableName("main", "free"),
            TableCondition.SUSPENDED,
            "",
            5.0,
            suspension=Suspension(SuspendedBy.PERSON, "suspended by a user", h.NOON),
        ),
    ),
    running=(replace(h.SUCCEEDED.refresh, id="r-4", state=RefreshState.RUNNING, ended_at=None),),
    backlog=3,
    snapshots=40,
    heartbeats={"host:1": 0.5, "host:2": 99.0},
    leases={"host:1": 2},
)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics("host:1")


@pytest.fixture
def page(metrics: Metrics) -> Iterator[str]:
    metrics.registry.register(Gauges(lambda: LOOK))
    with serving("127.0.0.1", 0, metrics.registry, lambda: {"status": "ok"}) as address:
        yield address


def test_refreshes_are_counted_by_what_they_did(metrics: Metrics, page: str) -> None:
    for event in (*h.EVERY, h.SUCCEEDED):
        metrics(event)
    found = Page(page)
    assert found("headwater_refreshes_total", "main.t", "INCREMENTAL", "ADDITIVE", "SUCCEED") == 2
    assert found("headwater_refreshes_total", "main.t", "none", "none", "FAILED") == 1
    assert found("headwater_refreshes_total", "main.below", "none", "none", "UPSTREAM_FAILED") == 1
    assert found("headwater_refresh_seconds_sum", "main.t", "INCREMENTAL") == pytest.approx(0.6)
    assert found("headwater_refresh_seconds_count", "main.below", "none") is None
    assert found("headwater_rows_inserted_total", "main.t") == 6
    assert found("headwater_rows_deleted_total", "main.t") == 2
    assert found("headwater_rows_unchanged_total", "main.t") == 18
    assert found("headwater_deduplication_ratio", "main.t") == 0.75
    assert found("headwater_affected_keys_total", "main.t") == 8
    assert found("headwater_spark_jobs_total", "main.t") == 4
    assert found("headwater_bytes_read_total", "main.t") == 8000
    assert found("headwater_errors_total", "main.t", "HW-RUN-001") == 1
    assert found("headwater_passes_total", "ok") == 1
    assert found("headwater_passes_total", "failed") == 1
    assert found("headwater_alerts_total", "lag_breached") == 1
    assert found("headwater_last_pass_timestamp_seconds") == h.NOON.timestamp()
    assert found("process_cpu_seconds_total") > 0


def test_the_lake_is_read_when_somebody_asks(page: str) -> None:
    found = Page(page)
    assert found("headwater_lag_seconds", "main.t") == 65
    assert found("headwater_target_lag_seconds", "main.t") == 60
    assert found("headwater_lag_within_target", "main.t") == 0
    assert found("headwater_lag_within_target", "main.free") is None
    assert found("headwater_suspended", "main.free") == 1
    assert found("headwater_failures_in_a_row", "main.t") == 2
    assert [found(f"headwater_{name}") for name in ("tables", "backlog", "running", "snapshots", "workers")] == [
        2,
        3,
        1,
        40,
        1,
    ]
    assert found("headwater_worker_heartbeat_age_seconds", "host:2") == 99
    assert found("headwater_leases", "host:1") == 2


def test_a_lake_that_does_not_answer_leaves_the_rest_readable(metrics: Metrics) -> None:
    def away() -> LakeState:
        raise StoreUnreachable("no connection")

    metrics.registry.register(Gauges(away))
    with serving("127.0.0.1", 0, metrics.registry, dict) as address:
        found = Page(address)
    assert found("headwater_lake_readable") == 0
    assert found("headwater_tables") is None
    assert found("headwater_pass_seconds_count") == 0


def test_no_label_is_a_text(metrics: Metrics, page: str) -> None:
    for event in h.EVERY:
        metrics(event)
    assert not [key for key in Page(page) for label in key[1:] if "hunter2" in label or "failed at" in label]
    allowed = {"table", "action", "strategy", "state", "code", "result", "event", "webhook", "subscriber", "worker"}
    assert {label for each in (*f.WORKER_METRICS, *f.LAKE_GAUGES) for label in each.labels} == allowed | {"version"}


def test_a_sign_of_life_and_nothing_else_is_served(page: str) -> None:
    with urlopen(f"{page}/healthz", timeout=60) as answer:
        assert json.load(answer) == {"status": "ok"}
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{page}/etc/passwd", timeout=60)
    assert refused.value.code == 404
    refused.value.close()


def test_a_port_in_use_is_refused_with_a_hint() -> None:
    registry = Metrics("").registry
    with serving("127.0.0.1", 0, registry, dict) as address:
        port = int(address.rpartition(":")[2])
        with (
            pytest.raises(InvalidRequest, match=f"127.0.0.1:{port}") as refused,
            serving("127.0.0.1", port, registry, dict),
        ):
            pass
    assert refused.value.detail == "Address already in use."


def test_a_client_that_says_nothing_holds_up_no_shutdown() -> None:
    with serving("127.0.0.1", 0, Metrics("").registry, dict) as address:
        silent = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])))
        time.sleep(0.05)
        began = time.monotonic()
    assert time.monotonic() - began < 1
    silent.close()
