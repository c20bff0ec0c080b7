"""Alerts reach an endpoint in order, once, and an endpoint that is ill hurts nobody."""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from headwater.core.errors import EngineError
from headwater.core.events import Event
from headwater.observe.alert_body import ALERTS, Place, body
from headwater.observe.webhook import Webhook
from tests.fakes.log import FakeLog
from tests.observe import happened as h
from tests.observe.endpoint import Endpoint, endpoint

PLACE = Place("postgresql://me:***@host/lake", "host:1")


class Sender:
    """A webhook with what it counted and logged."""

    def __init__(self, url: str, **options: object) -> None:
        self.lines = FakeLog()
        self.counted: Counter[str] = Counter()
        self.webhook = Webhook(url, 1, PLACE, self.lines, self._count, **options)  # type: ignore[arg-type]

    def _count(self, webhook: str, result: str, alerts: int) -> None:
        assert webhook == "1"
        self.counted[result] += alerts


@contextmanager
def sender(url: str, **options: object) -> Iterator[Sender]:
    made = Sender(url, **options)
    yield made
    made.webhook.close()


@pytest.fixture
def there() -> Iterator[Endpoint]:
    with endpoint() as found:
        yield found


def test_only_what_people_must_know_is_an_alert(there: Endpoint) -> None:
    with sender(there.url) as sent:
        for event in h.EVERY:
            sent.webhook(event)
    assert [alert["event"] for alert in there.bodies] == [
        "refresh_failed",
        "refresh_overdue",
        "table_suspended",
        "lag_breached",
        "lag_met",
    ]
    assert {alert["event"] for alert in there.bodies} == set(ALERTS)
    assert sent.counted == Counter(delivered=5)


def test_the_body_says_what_happened_where_and_in_one_line(there: Endpoint) -> None:
    with sender(there.url) as sent:
        sent.webhook(h.FAILED)
        sent.webhook(h.BREACHED)
    failed, breached = there.bodies
    assert failed == {
        "event": "refresh_failed",
        "time": "2026-01-01T12:00:00.000+00:00",
        "lake": "postgresql://me:***@host/lake",
        "worker": "host:1",
        "table": "main.t",
        "refresh_id": "r-2",
        "trigger": "LH_SCHEDULED",
        "error": {
            "code": "HW-RUN-001",
            "message": "Spark failed at postgresql://me:***@host/lake",
            "detail": "Out of memory.",
            "hint": "Give it more.",
        },
        "reason": None,
        "lag": None,
        "target": None,
        "seconds": None,
        "limit": None,
        "text": "Headwater: refresh of main.t failed: Spark failed at postgresql://me:***@host/lake",
    }
    assert (breached["lag"], breached["target"]) == (65.4, 60.0)
    assert breached["text"] == "Headwater: main.t is 0:01:05 behind, its target is 0:01:00"
    assert failed.keys() == breached.keys()


@pytest.mark.parametrize("event", h.EVERY, ids=lambda event: type(event).__name__)
def test_each_text_is_one_line(event: Event) -> None:
    alert = body(event, PLACE)
    assert alert is None or "\n" not in alert["text"]


def test_a_book_is_cut_to_what_endpoints_take() -> None:
    book = EngineError("x\n" * 5_000, detail="y" * 10_000)
    alert = body(replace(h.FAILED, refresh=replace(h.FAILED.refresh, error=book)), PLACE)
    assert alert is not None
    assert len(alert["text"]) == 500
    assert "\n" not in alert["text"]
    assert len(alert["error"]["detail"]) == 4_000


def test_what_may_pass_is_tried_again_and_order_is_kept(there: Endpoint) -> None:
    there.statuses = [503, 429, 204, 204]
    with sender(there.url, pauses=(0.01, 0.01)) as sent:
        sent.webhook(h.BREACHED)
        sent.webhook(h.MET)
        there.wait_for(4)
    assert [alert["event"] for alert in there.bodies] == ["lag_breached"] * 3 + ["lag_met"]
    assert sent.counted == Counter(delivered=2)
    assert sent.lines.all == []


@pytest.mark.parametrize("status", [400, 302, 404])
def test_what_will_not_pass_is_logged_without_the_address(there: Endpoint, status: int) -> None:
    there.statuses = [status]
    with sender(there.url, pauses=(0.01,)) as sent:
        sent.webhook(h.FAILED)
        sent.webhook(h.MET)
    assert [alert["event"] for alert in there.bodies] == ["refresh_failed", "lag_met"]
    assert sent.counted == Counter(failed=1, delivered=1)
    (line,) = sent.lines.of("alert not delivered")
    assert (line["refresh_id"], line["table"]) == ("r-2", "main.t")
    assert line["error"] == f"the endpoint answered {status}"
    assert "s3cret" not in str(sent.lines.all)


def test_nobody_home_is_logged_and_counted() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with sender(f"http://127.0.0.1:{port}/s3cret", pauses=(0.01,)) as sent:
        sent.webhook(h.FAILED)
    assert sent.counted == Counter(failed=1)
    assert "s3cret" not in str(sent.lines.all)


def test_an_endpoint_that_hangs_blocks_nobody_and_no_shutdown(there: Endpoint) -> None:
    there.slow = 5.0
    sent = Sender(there.url, waiting=2)
    began = time.monotonic()
    for _ in range(6):
        sent.webhook(h.FAILED)
    assert time.monotonic() - began < 0.5
    assert sent.counted["dropped"] >= 3
    sent.webhook.close(grace=0.2)
    assert time.monotonic() - began < 2
    assert sent.lines.of("alert not delivered")


def test_what_waits_is_delivered_before_the_end(there: Endpoint) -> None:
    there.slow = 0.05
    with sender(there.url) as sent:
        for _ in range(5):
            sent.webhook(h.FAILED)
    assert sent.counted == Counter(delivered=5)
