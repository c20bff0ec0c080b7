"""Alerts by HTTP: one JSON POST each, from a separate thread, in order, with retries."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException
from queue import Empty, Full, Queue
from time import monotonic
from typing import Any
from urllib.error import HTTPError

from headwater.core.events import Event
from headwater.core.redact import Redactor
from headwater.core.version import VERSION
from headwater.observe.alert_body import Place, body
from headwater.observe.log import Log

# The queue size for a slow endpoint; further alerts are dropped and counted.
WAITING = 1_000
# The timeout of a request in seconds.
PATIENCE = 10.0
# Seconds before each retry.
PAUSES = (1.0, 2.0, 4.0, 8.0)
# Seconds to deliver queued alerts when the worker stops.
GRACE = 5.0
# Statuses after which a retry may succeed.
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})

RESULTS = DELIVERED, FAILED, DROPPED = "delivered", "failed", "dropped"
Count = Callable[[str, str, int], None]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuse redirects: a redirected POST would become a GET without the alert, possibly to another host."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


class Webhook:
    """A subscriber that hands alerts to one address, known to logs and metrics by its number alone."""

    def __init__(
        self,
        url: str,
        number: int,
        place: Place,
        log: Log,
        count: Count = lambda _webhook, _result, _alerts: None,
        *,
        pauses: Sequence[float] = PAUSES,
        patience: float = PATIENCE,
        waiting: int = WAITING,
    ) -> None:
        self._url = url
        self._number = str(number)
        self._place = place
        self._log = log
        self._count = count
        self._pauses = pauses
        self._patience = patience
        self._redact = Redactor([url])
        self._queue: Queue[Mapping[str, Any]] = Queue(waiting)
        self._deadline: float | None = None
        self._closing = threading.Event()
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._thread = threading.Thread(target=self._run, name=f"headwater-webhook-{number}", daemon=True)
        for result in RESULTS:
            count(self._number, result, 0)
        self._thread.start()

    def __call__(self, event: Event) -> None:
        alert = body(event, self._place)
        if alert is None:
            return
        try:
            self._queue.put_nowait(self._redact.deep(alert))
        except Full:
            self._lost(DROPPED, alert, f"the queue is full with {self._queue.maxsize} alerts")

    def close(self, grace: float = GRACE) -> None:
        """Deliver the queued alerts, for at most `grace` seconds."""
        self._deadline = monotonic() + grace
        self._closing.set()
        self._thread.join(grace + 0.5)
        if self._thread.is_alive():
            waiting = self._queue.qsize() + 1
            self._log.error(
                "alerts not delivered", webhook=self._number, alerts=waiting, error="the worker is stopping"
            )

    def _run(self) -> None:
        while True:
            try:
                alert = self._queue.get(timeout=0.1)
            except Empty:
                if self._closing.is_set():
                    return
                continue
            if self._late:
                self._lost(DROPPED, alert, "the worker is stopping")
            else:
                self._deliver(alert)

    @property
    def _late(self) -> bool:
        return self._deadline is not None and monotonic() >= self._deadline

    def _deliver(self, alert: Mapping[str, Any]) -> None:
        problem: str | None = None
        for pause in (*self._pauses, 0.0):
            problem, may_pass = self._post(alert)
            if problem is None:
                self._count(self._number, DELIVERED, 1)
                return
            if not may_pass or self._closing.is_set():
                break
            self._closing.wait(pause)
        self._lost(FAILED, alert, problem)

    def _post(self, alert: Mapping[str, Any]) -> tuple[str | None, bool]:
        """The failure, without the URL, and whether a retry may help."""
        request = urllib.request.Request(
            self._url,
            json.dumps(alert, ensure_ascii=False).encode(),
            {"Content-Type": "application/json; charset=utf-8", "User-Agent": f"headwater/{VERSION}"},
        )
        try:
            with self._opener.open(request, timeout=self._time_left()):
                return None, False
        except HTTPError as error:
            error.close()
            return f"the endpoint answered {error.code}", error.code in _LATER
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            return self._redact(f"{type(error).__name__}: {reason}"), True

    def _time_left(self) -> float:
        if self._deadline is None:
            return self._patience
        return max(0.1, min(self._patience, self._deadline - monotonic()))

    def _lost(self, result: str, alert: Mapping[str, Any], why: str | None) -> None:
        self._count(self._number, result, 1)
        self._log.error(
            "alert not delivered",
            webhook=self._number,
            alert=alert["event"],
            table=alert["table"],
            refresh_id=alert["refresh_id"],
            error=why,
        )
